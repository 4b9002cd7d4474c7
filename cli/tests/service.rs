//! `maintain` as a service: many arrays, discovery, status file, metrics, logs; and the examples of units and of a CronJob.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at once")]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value as Json;
use support::{Story, project, tool};

const MERGE_ALL: [&str; 2] = ["-c", "sm.maintenance.max_fragments=1"];

/// Time for what happens within seconds.
const PATIENCE: Duration = Duration::from_secs(60);

fn says(story: &Story, arguments: &[&str]) -> String {
    let output = story.tool(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// An array of two fragments.
fn make(story: &Story, uri: &str) {
    std::fs::write(story.path().join("rows.csv"), "d,a\n1,5\n2,6\n").unwrap();
    says(story, &["import", "rows.csv", uri, "--dims", "d"]);
    says(story, &["append", "rows.csv", uri]);
}

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The arrays of the steps of a log.
fn maintained(log: &[Json]) -> Vec<String> {
    let steps = log.iter().filter(|line| line["event"] == "step" && line["kind"] == "fragments");
    let mut arrays: Vec<String> =
        steps.map(|line| line["array"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect();
    arrays.sort();
    arrays
}

#[test]
fn arrays_of_arguments_lists_groups_and_folders_are_maintained() {
    let story = Story::new();
    std::fs::create_dir_all(story.path().join("all/below")).unwrap();
    says(&story, &["create", "--group", "all/group"]);
    for uri in ["all/one", "all/below/two", "all/group/three", "four", "five"] {
        make(&story, uri);
    }
    std::fs::write(story.path().join("list"), "# mine\n\nfive\nfour\n").unwrap();
    let log = says(
        &story,
        &[
            &["maintain", "--jobs", "3", "--recursive", "--log-format", "json", "--list", "list", "all", "four"],
            &MERGE_ALL[..],
        ]
        .concat(),
    );
    let log = lines(&log);
    assert_eq!(maintained(&log), ["five", "four", "one", "three", "two"]);
    assert!(log.iter().all(|line| line["level"] == "info" && line["time"].as_str().unwrap().starts_with("20")));
    // What the library logs is JSON, too.
    let verbose = story.tool(&["maintain", "-v", "--log-format", "json", "four", "five"]);
    let operations = lines(std::str::from_utf8(&verbose.stderr).unwrap());
    assert!(operations.iter().any(|line| line["event"] == "end" && line["seconds"].is_number()), "{operations:?}");
    // A failure of one does not keep the others from being maintained.
    make(&story, "six");
    let output = story.tool(&[&["maintain", "--json", "missing", "six"], &MERGE_ALL[..]].concat());
    assert_eq!(output.status.code(), Some(3));
    let report: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["arrays"][0]["uri"], &report["failed"][0]["uri"]), (&"six".into(), &"missing".into()));
    let folder = story.tool(&["maintain", "all"]);
    assert!(String::from_utf8(folder.stderr).unwrap().contains("but a folder"), "only with --recursive");
}

/// The response to a request.
fn get(address: &str, path: &str) -> String {
    let mut client = TcpStream::connect(address).unwrap();
    write!(client, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut response = String::new();
    client.read_to_string(&mut response).unwrap();
    response
}

/// Waits until the status file says so.
fn wait_for_status(file: &Path, holds: impl Fn(&Json) -> bool) -> Json {
    let began = std::time::Instant::now();
    loop {
        if let Ok(text) = std::fs::read_to_string(file) {
            // The file is replaced as a whole.
            let status: Json = serde_json::from_str(&text).unwrap();
            if holds(&status) {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "{status}");
        }
        assert!(began.elapsed() < PATIENCE, "there is no status");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn stop(child: Child, signal: &str) -> Option<i32> {
    assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
    child.wait_with_output().unwrap().status.code()
}

#[test]
fn service_discovers_arrays_and_reports_its_state() {
    let story = Story::new();
    std::fs::create_dir(story.path().join("all")).unwrap();
    make(&story, "all/one");
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let status = story.path().join("status.json");
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(tool()).args([
        "maintain",
        "--watch",
        "1",
        "--recursive",
        "--log-format",
        "json",
    ]);
    command.args(["--status-file", "status.json", "--metrics", &address, "all"]).args(MERGE_ALL);
    let mut child = command.current_dir(story.path()).stdout(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    log.read_line(&mut line).unwrap();
    assert_eq!(maintained(&lines(&line)), ["one"]);
    let state = wait_for_status(&status, |state| state["state"] == "waiting");
    assert_eq!((&state["healthy"], state["arrays"].as_array().unwrap().len()), (&true.into(), 1));
    let metrics = get(&address, "/metrics");
    assert!(
        metrics.starts_with("HTTP/1.1 200 OK\r\n") && metrics.contains("tiledb_rs_maintain_up{array="),
        "{metrics}"
    );
    assert!(get(&address, "/healthz").starts_with("HTTP/1.1 200"));
    assert!(get(&address, "/").starts_with("HTTP/1.1 404"));
    // An array that is created later, and one that cannot be maintained.
    make(&story, "all/two");
    wait_for_status(&status, |state| state["arrays"].as_array().unwrap().len() == 2);
    let schemas = story.path().join("all/one/__schema");
    for schema in std::fs::read_dir(schemas).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        std::fs::write(schema, "no schema").unwrap();
    }
    wait_for_status(&status, |state| state["healthy"] == false);
    assert!(get(&address, "/healthz").starts_with("HTTP/1.1 503"));
    assert_eq!(stop(child, "TERM"), Some(143));
    let state = wait_for_status(&status, |_| true);
    assert_eq!(state["state"], "stopped");
    let leases = std::fs::read_dir(story.path().join("all/two/__commits")).unwrap();
    assert!(leases.into_iter().all(|entry| !entry.unwrap().file_name().to_str().unwrap().ends_with(".lease")));
}

#[test]
fn services_that_are_stopped_often_are_refused_by_no_lease() {
    let story = Story::new();
    make(&story, "array");
    let arguments = [&["maintain", "--watch", "0", "--log-format", "json", "array"], &MERGE_ALL[..]].concat();
    for delay in (0..10).map(|number| Duration::from_millis(number * 40)) {
        says(&story, &["append", "rows.csv", "array"]);
        let mut command = Command::new("env");
        command.arg("--default-signal").arg(tool()).args(&arguments).current_dir(story.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = child.stdout.take().unwrap();
        // The first step may be that of an earlier run, or of this one.
        std::thread::sleep(delay);
        _ = stop(child, "TERM");
        let mut text = String::new();
        log.read_to_string(&mut text).unwrap();
        assert!(!text.contains("lease"), "{text}");
    }
    let cells = says(&story, &["count", "array"]);
    assert!(!says(&story, &["maintain", "array"]).contains("lease"));
    assert_eq!(says(&story, &["count", "array"]), cells);
}

fn example(name: &str) -> String {
    std::fs::read_to_string(project().join("packages/service").join(name)).unwrap()
}

#[test]
fn units_are_valid() {
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        return;
    }
    let story = Story::new();
    let program = tool().to_str().unwrap().to_owned();
    let names = ["tiledb-rs-maintain.service", "tiledb-rs-maintain-once.service", "tiledb-rs-maintain-once.timer"];
    for name in names {
        std::fs::write(story.path().join(name), example(name).replace("/usr/bin/tiledb-rs", &program)).unwrap();
    }
    let output =
        Command::new("systemd-analyze").args(["verify", "--man=no"]).args(names).current_dir(story.path()).output();
    let output = output.unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    // What units of the system lack is none of ours.
    assert!(output.status.success() && !text.contains("tiledb-rs"), "{text}");
}

/// The commands of the examples, on local arrays.
#[test]
fn commands_of_examples_run() {
    let story = Story::new();
    make(&story, "arrays/one");
    std::fs::write(story.path().join("config"), "sm.maintenance.max_fragments 1\n").unwrap();
    std::fs::write(story.path().join("list"), "arrays/one\n").unwrap();
    let unit = example("tiledb-rs-maintain-once.service");
    let unit = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/bin/tiledb-rs ")).unwrap();
    let unit: Vec<String> = unit.split(' ').map(str::to_owned).collect();
    let job = example("maintain-cronjob.yaml");
    let job = job.split("command:\n").nth(1).unwrap().split("volumeMounts").next().unwrap();
    let job: Vec<String> = job.lines().filter_map(|line| line.trim().strip_prefix("- ")).map(str::to_owned).collect();
    assert_eq!(job[0], "tiledb-rs");
    for command in [&unit[..], &job[1..]] {
        says(&story, &["append", "rows.csv", "arrays/one"]);
        let local = |word: &String| match word.as_str() {
            "${CREDENTIALS_DIRECTORY}/config" | "/etc/tiledb-rs/config" => "config".to_owned(),
            "/etc/tiledb-rs/arrays" => "list".to_owned(),
            "s3://bucket/arrays" => "arrays".to_owned(),
            word => word.to_owned(),
        };
        let words: Vec<String> = command.iter().map(local).collect();
        let log = says(&story, &words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(maintained(&lines(&log)), ["one"], "{words:?}");
    }
}
