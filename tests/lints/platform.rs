//! Only `core/platform`, kernels and the boundary to C name an operating system.

use super::house::{HOUSE, House};

/// Files and folders that may.
const ALLOWED: &[&str] = &["crates/tiledb-core/src/platform/", "src/capi/boundary/"];
/// What names one.
const WORDS: &[&str] =
    &["target_os", "target_vendor", "target_env", "target_family", "cfg(unix", "cfg(windows", "(unix)", "(windows)"];

fn wrong(house: &House) -> Vec<String> {
    let elsewhere = || house.files.iter().filter(|file| !ALLOWED.iter().any(|place| file.path.starts_with(place)));
    let attributes = elsewhere().flat_map(|file| {
        let lines = file.text.lines().enumerate().filter(|(_, line)| WORDS.iter().any(|word| line.contains(word)));
        lines.map(|(number, line)| format!("{}:{}: {}", file.path, number + 1, line.trim()))
    });
    let paths = elsewhere().flat_map(|file| {
        let of_a_system = |segments: &[String]| match segments {
            [first, second, third, ..] if first == "std" && second == "os" => third != "raw",
            [first, second, ..] => first == "rustix" && second != "net" && second != "io",
            _ => false,
        };
        let paths = file.paths.iter().filter(move |path| of_a_system(&path.segments));
        paths.map(|path| format!("{}:{}: {}", file.path, path.line, path.segments.join("::")))
    });
    attributes.chain(paths).collect()
}

#[test]
fn operating_systems_are_named_in_one_module() {
    let wrong = wrong(&HOUSE);
    assert!(wrong.is_empty(), "move it to crates/tiledb-core/src/platform:\n{}", wrong.join("\n"));
}

#[test]
fn platform_code_in_an_unlisted_file_is_reported() {
    let broken = [
        "#[cfg(target_os = \"linux\")] fn f() {}",
        "#[cfg(not(windows))] fn f() {}",
        "fn f() -> bool { cfg!(unix) }",
        "use std::os::fd::AsFd;",
        "use rustix::fs::openat;",
        "fn f() { std::os::unix::fs::symlink(); }",
    ];
    for text in broken {
        assert_eq!(wrong(&House::planted(&[("crates/tiledb-query/src/x.rs", text)])).len(), 1, "{text}");
        assert_eq!(wrong(&House::planted(&[("src/capi/boundary/x.rs", text)])), Vec::<String>::new(), "{text}");
    }
    let fine = [
        "#[cfg(target_arch = \"x86_64\")] fn f() {}",
        "#[cfg(test)] mod tests { use std::os::unix::fs::symlink; }",
        "use rustix::net::sockopt;",
    ];
    for text in fine {
        assert_eq!(wrong(&House::planted(&[("crates/tiledb-query/src/x.rs", text)])), Vec::<String>::new(), "{text}");
    }
}
