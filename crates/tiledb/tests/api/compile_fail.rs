//! Programs that must not compile: each names the expected error on a line of its own, `// error: E0599`, above the line that has it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate as it was compiled for these tests: the newest, if there are several.
fn library(folder: &Path) -> PathBuf {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let libraries = files.filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("libtiledb-") && name.ends_with(".rlib")
    });
    libraries.max_by_key(|path| path.metadata().and_then(|file| file.modified()).unwrap()).unwrap()
}

#[test]
fn misuse_does_not_compile() {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let (library, target) = (library(&folder), tempfile::tempdir().unwrap());
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile_fail");
    let compile = |path: &Path| {
        Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
            .args(["--edition", "2024", "--crate-type", "bin", "--emit", "metadata", "--out-dir"])
            .arg(target.path())
            .arg("-L")
            .arg(format!("dependency={}", folder.display()))
            .arg("--extern")
            .arg(format!("tiledb={}", library.display()))
            .arg(path)
            .output()
            .unwrap()
    };
    let mut count = 0;
    for entry in std::fs::read_dir(programs).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let marked = text
            .lines()
            .enumerate()
            .find_map(|(at, line)| line.trim().strip_prefix("// error: ").map(|code| (at + 2, code.to_owned())));
        let (line, code) = marked.unwrap_or_else(|| panic!("{name} names no error"));
        let output = compile(&path);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{name} compiles");
        assert!(errors.contains(&format!("error[{code}]")), "{name}: not {code}, but {errors}");
        assert!(errors.contains(&format!("{name}:{line}:")), "{name}: not line {line}, but {errors}");
        count += 1;
        // Without the marked line it compiles: that is all that is wrong.
        let right: Vec<&str> =
            text.lines().enumerate().filter(|(at, _)| at + 1 != line).map(|(_, line)| line).collect();
        let path = target.path().join(&name);
        std::fs::write(&path, right.join("\n")).unwrap();
        let output = compile(&path);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(count > 4);
}
