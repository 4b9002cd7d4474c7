//! Session files in which the AWS CLI keeps tokens: JSON objects in `~/.aws`, whose content is not trusted.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::Path;

use serde_json::Value;
use tiledb_core::plain_file;
use tiledb_core::platform::file::CreationMode;

/// Maximum size of a session file.
const MOST: u64 = 1 << 20;

/// The object in a session file.
///
/// # Errors
/// If the file cannot be read, is a folder or a device, is larger than 1 MiB, or is no JSON object.
pub(super) fn read(path: &Path) -> Result<Value, String> {
    let bytes = read_bytes(path).map_err(|error| error.to_string())?;
    match serde_json::from_slice(&bytes) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => Err("it holds no JSON object".to_owned()),
        Err(error) => Err(format!("it is no JSON: {error}")),
    }
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let (file, metadata) = plain_file::open(path, OpenOptions::new().read(true))?;
    let mut bytes = Vec::new();
    if metadata.is_file() {
        file.take(MOST + 1).read_to_end(&mut bytes)?;
    }
    if !metadata.is_file() || bytes.len() as u64 > MOST {
        let error = format!("it is no file of at most {MOST} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, error));
    }
    Ok(plain_file::without_bom(bytes))
}

/// Replaces a session file atomically, readable only by the user; of a link, the file that it leads to.
pub(super) fn store(path: &Path, session: &Value) -> io::Result<()> {
    let path = std::fs::canonicalize(path)?;
    let next = path.with_extension(format!("json.{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).creation_mode(0o600).open(&next)?;
    let written = file.write_all(session.to_string().as_bytes()).and_then(|()| std::fs::rename(&next, path));
    if written.is_err() {
        _ = std::fs::remove_file(&next);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_files_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.json");
        let rejected = |part: &str| {
            let why = read(&path).unwrap_err();
            assert!(why.contains(part), "no '{part}' in: {why}");
        };
        rejected("No such file");
        for (content, part) in [
            (&b""[..], "no JSON: EOF"),
            (b"{", "no JSON"),
            (b"[]", "no JSON object"),
            (b"\"text\"", "no JSON object"),
            (b"1e999", "no JSON"),
            (b"\xff\xfe{}", "no JSON"),
            (b"{\"a\":\"\xff\"}", "no JSON"),
            (&[b'['; 100_000], "recursion limit"),
            (&[b' '; (1 << 20) + 1], "no file of at most 1048576 bytes"),
        ] {
            std::fs::write(&path, content).unwrap();
            rejected(part);
        }
        std::fs::remove_file(&path).unwrap();
        for (target, part) in
            [("/dev/zero", "no file of at most"), ("/", "no file of at most"), ("session.json", "symbolic links")]
        {
            std::os::unix::fs::symlink(target, &path).unwrap();
            rejected(part);
            std::fs::remove_file(&path).unwrap();
        }
        let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        std::process::Command::new("mkfifo").arg(name.to_str().unwrap()).status().unwrap();
        rejected("");
    }

    #[test]
    fn links_lead_to_the_file_that_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link.json"].map(|name| folder.path().join(name));
        std::fs::write(&file, "\u{feff}{\"a\":1}").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read(&link).unwrap()["a"], 1);
        store(&link, &serde_json::json!({ "a": 2 })).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(read(&file).unwrap()["a"], 2);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
