//! Runs the tool as a user does, in a folder of its own.
#![allow(unreachable_pub, reason = "a module of test programs")]
#![allow(dead_code, reason = "each test uses some of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at once")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of the project.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The tool, which cargo puts beside the tests. (Its variable with the path has a hyphen, which shells do not hand on.)
pub fn tool() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().with_file_name("tiledb-rs")
}

/// A folder to work in, and all that was run there.
pub struct Story {
    folder: tempfile::TempDir,
    text: String,
}

impl Story {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), text: String::new() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Unpacks golden arrays: `v22/dense_4d` becomes `dense_4d`.
    pub fn unpack(&self, cases: &[&str]) {
        for case in cases {
            let (version, name) = case.split_once('/').unwrap();
            let archive = project().join(format!("tests/golden/{version}.tar.gz"));
            let inner = if name.starts_with("group") { "group.tar" } else { "array.tar" };
            tar(&["-xzf", archive.to_str().unwrap(), &format!("{name}/{inner}")], self.path());
            tar(&["-xf", inner], &self.path().join(name));
            std::fs::remove_file(self.path().join(name).join(inner)).unwrap();
        }
    }

    /// Runs the tool.
    pub fn tool(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(tool());
        command.args(arguments).current_dir(self.path()).env_remove("RUST_BACKTRACE").output().unwrap()
    }

    /// Runs the tool and writes down what it says.
    pub fn run(&mut self, arguments: &[&str]) -> &mut Self {
        let output = self.tool(arguments);
        let quoted = |word: &&str| {
            let plain = word.chars().all(|letter| letter.is_alphanumeric() || "-_./=:,".contains(letter));
            if plain { (*word).to_owned() } else { format!("\"{word}\"") }
        };
        let words: Vec<String> = arguments.iter().map(quoted).collect();
        let mut text = format!("$ tiledb-rs {}\n", words.join(" "));
        text += &String::from_utf8(output.stdout).unwrap();
        text += &String::from_utf8(output.stderr).unwrap();
        match output.status.code() {
            Some(0) => {}
            Some(code) => text += &format!("[exit code {code}]\n"),
            None => panic!("{words:?}: {}", output.status),
        }
        let here = self.path().canonicalize().unwrap();
        let text = text.replace(here.to_str().unwrap(), "/HERE");
        // Whoever merges fragments makes up a name; the other fragments have those of the golden arrays.
        let mut parts = text.split(".vac ");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = text.rfind('_').unwrap();
            text.replace_range(end - 32..end, &"x".repeat(32));
            text = text + ".vac " + part;
        }
        self.text += &text;
        self.text += "\n";
        self
    }

    /// Compares all that was said with the committed file.
    pub fn is_as(&self, name: &str) {
        let path = project().join(format!("cli/tests/expected/{name}.txt"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &self.text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(self.text == expected, "{name}: BLESS=1 writes what is said now:\n{}", self.text);
    }
}

pub fn tar(arguments: &[&str], folder: &Path) {
    let status = Command::new("tar").args(arguments).current_dir(folder).status().unwrap();
    assert!(status.success(), "tar {arguments:?}");
}

/// The folder with the library of this build, also under the name that programs load it by.
pub fn libraries() -> PathBuf {
    let folder = tool().with_file_name("deps");
    // Another test may have done so.
    _ = std::os::unix::fs::symlink("libtiledb_rs.so", folder.join("libtiledb_rs.so.2.30"));
    folder
}

/// Compiles an example in C against the library of this build.
pub fn example(name: &str, folder: &Path) -> PathBuf {
    compile(&project().join(format!("examples-c/{name}.c")), &folder.join(format!("{name}_example")))
}

/// Compiles a program in C against the library of this build.
pub fn compile(source: &Path, made: &Path) -> PathBuf {
    let libraries = libraries();
    let include = project().join("include");
    let status = Command::new("cc")
        .args(["-std=c11", "-D_GNU_SOURCE", "-O1", "-o"])
        .args([made, source])
        .arg(format!("-I{}", include.display()))
        .arg(format!("-L{}", libraries.display()))
        .args(["-ltiledb_rs", "-lm"])
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .status()
        .unwrap();
    assert!(status.success(), "cc {}", source.display());
    made.to_owned()
}

/// Writes the flights arrays by the example.
pub fn flights(program: &Path, place: &str, folder: &Path) {
    let data = project().join("examples-c/data");
    let link = folder.join("libtiledb_rs.so.2.30");
    let library = tool().with_file_name("deps/libtiledb_rs.so");
    std::os::unix::fs::symlink(library, link).unwrap();
    let output = Command::new(program)
        .args([data.to_str().unwrap(), place])
        .env("LD_LIBRARY_PATH", folder)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The array of an unpacked golden case.
pub fn array(story: &Story, case: &str) -> String {
    let inside = std::fs::read_dir(story.path().join(case)).unwrap().map(|entry| entry.unwrap().path());
    let folder = inside.filter(|path| path.is_dir()).min().unwrap();
    folder.strip_prefix(story.path()).unwrap().to_str().unwrap().to_owned()
}

/// All files below a folder with their contents.
pub fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut files, mut waiting) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = waiting.pop() {
        for path in std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                waiting.push(path);
            } else {
                files.insert(path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Makes a bucket at a server.
pub fn bucket(endpoint: &str, name: &str) {
    let python = project().join(".venv/bin/python");
    let code = "import boto3, sys; boto3.client('s3', endpoint_url='http://' + sys.argv[1], \
                region_name='us-east-1').create_bucket(Bucket=sys.argv[2])";
    let status = Command::new(python).args(["-c", code, endpoint, name]).status().unwrap();
    assert!(status.success(), "no bucket");
}
