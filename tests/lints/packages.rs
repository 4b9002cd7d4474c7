//! What `cargo publish` would upload: the crates of the library, complete and without tests.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Those that are not published: the tool, which is linked with the shared library.
const PRIVATE: [&str; 2] = ["tiledb-rs-cli", "tiledb-test-support"];

/// The largest package, before it is compressed: crates.io accepts 10 MB compressed.
const LARGEST: u64 = 4 << 20;

/// What a package contains besides sources.
const NEEDED: [&str; 3] = ["Cargo.toml", "LICENSE", "README.md"];

/// Files that the build script of a package reads.
const READ_BY_BUILDS: [(&str, &str); 4] = [
    ("tiledb-rs", "build.rs"),
    ("tiledb-rs", "tools/everyday.ld"),
    ("tiledb-rs", "tools/openssl_archives.rs"),
    ("tiledb-rs", "tools/plt.ld"),
];

fn cargo(arguments: &[&str]) -> String {
    let program = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let output = Command::new(program)
        .args(arguments)
        .args(["--offline", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn packages() -> Vec<Value> {
    let metadata: Value = serde_json::from_str(&cargo(&["metadata", "--no-deps", "--format-version", "1"])).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

/// What is missing in the manifest of a package.
fn incomplete(package: &Value, version: &str) -> Vec<String> {
    let mut wrong: Vec<String> = ["description", "license", "readme", "rust_version"]
        .iter()
        .filter(|key| package[**key].as_str().is_none_or(str::is_empty))
        .map(|key| format!("no {key}"))
        .collect();
    if package["version"] != version {
        wrong.push(format!("version {}", package["version"]));
    }
    for dependency in package["dependencies"].as_array().unwrap() {
        let (name, needed) = (dependency["name"].as_str().unwrap(), dependency["req"].as_str().unwrap());
        // Without a version, cargo leaves it out of the package.
        let is_left_out = PRIVATE.contains(&name) && dependency["kind"] == "dev" && needed == "*";
        if dependency["path"].is_string() && !is_left_out && needed != format!("={version}") {
            wrong.push(format!("{name} {needed}, not ={version}"));
        }
    }
    wrong
}

/// What should not be in a package, or is missing there.
fn strange(name: &str, files: &BTreeMap<String, Vec<u8>>, root: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let own = READ_BY_BUILDS.iter().filter(|(package, _)| *package == name).map(|(_, file)| *file);
    for needed in NEEDED.into_iter().chain(own) {
        if !files.contains_key(needed) {
            wrong.push(format!("no {needed}"));
        }
    }
    for (path, bytes) in files {
        if ["tests/", "benches/", "fuzz/", "proptest-regressions/"].iter().any(|folder| path.starts_with(folder)) {
            wrong.push(format!("{path} is for tests"));
        }
        if String::from_utf8_lossy(bytes).contains(root) {
            wrong.push(format!("{path} contains a path of this machine"));
        }
    }
    let size: u64 = files.values().map(|bytes| bytes.len() as u64).sum();
    if size > LARGEST {
        wrong.push(format!("{size} bytes"));
    }
    wrong
}

#[test]
fn crates_can_be_published() {
    let packages = packages();
    let root = env!("CARGO_MANIFEST_DIR");
    let version = env!("CARGO_PKG_VERSION");
    let mut wrong = Vec::new();
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        assert_eq!(is_published(package), !PRIVATE.contains(&name), "{name}: publish");
        if !is_published(package) {
            continue;
        }
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        let list = cargo(&["package", "--list", "--allow-dirty", "--no-verify", "-p", name]);
        // Cargo generates the others.
        let paths = list.lines().filter(|path| folder.join(path).is_file());
        let files = paths.map(|path| (path.to_owned(), std::fs::read(folder.join(path)).unwrap())).collect();
        let problems = incomplete(package, version).into_iter().chain(strange(name, &files, root));
        wrong.extend(problems.map(|what| format!("{name}: {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(packages.iter().filter(|package| is_published(package)).count(), 12);
}

#[test]
fn incomplete_package_is_reported() {
    let full = || {
        let dependencies = serde_json::json!([
            { "name": "tiledb-core", "req": "=1.2.3", "path": "/p" }, { "name": "libc", "req": "^0.2", "path": null },
        ]);
        serde_json::json!({
            "description": "d", "license": "MIT", "readme": "README.md", "rust_version": "1.89", "version": "1.2.3",
            "dependencies": dependencies,
        })
    };
    assert_eq!(incomplete(&full(), "1.2.3"), Vec::<String>::new());
    for key in ["description", "license", "readme", "rust_version"] {
        for value in [Value::Null, "".into()] {
            let mut package = full();
            package[key] = value;
            assert_eq!(incomplete(&package, "1.2.3"), [format!("no {key}")]);
        }
    }
    let mut package = full();
    package["dependencies"][0]["req"] = "*".into();
    assert_eq!(incomplete(&package, "1.2.3"), ["tiledb-core *, not =1.2.3"]);
    package["dependencies"][0]["kind"] = "dev".into();
    assert_eq!(incomplete(&package, "1.2.3"), ["tiledb-core *, not =1.2.3"]);
    package["dependencies"][0]["name"] = "tiledb-test-support".into();
    assert_eq!(incomplete(&package, "1.2.3"), Vec::<String>::new());
    package["dependencies"][0]["kind"] = Value::Null;
    assert_eq!(incomplete(&package, "1.2.3"), ["tiledb-test-support *, not =1.2.3"]);
    assert_eq!(incomplete(&full(), "1.2.4").len(), 2);
}

#[test]
fn unexpected_files_in_a_package_are_reported() {
    let files = |added: &[(&str, &str)]| {
        let read = READ_BY_BUILDS.iter().map(|(_, path)| (*path, ""));
        let all =
            NEEDED.iter().map(|name| (*name, "")).chain([("src/lib.rs", "")]).chain(read).chain(added.iter().copied());
        all.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(strange("tiledb-rs", &files(&[]), "/some/where"), Vec::<String>::new());
    for added in [("tests/golden/a", ""), ("benches/b.rs", ""), ("src/path.rs", "\"/some/where/else\"")] {
        assert_eq!(strange("tiledb-rs", &files(&[added]), "/some/where").len(), 1, "{added:?}");
    }
    let large = "x".repeat(LARGEST as usize + 1);
    assert_eq!(strange("tiledb-rs", &files(&[("src/large.rs", &large)]), "/some/where").len(), 1);
    for missing in ["LICENSE", "README.md", "tools/plt.ld"] {
        let mut files = files(&[]);
        files.remove(missing);
        assert_eq!(strange("tiledb-rs", &files, "/some/where"), [format!("no {missing}")]);
    }
}
