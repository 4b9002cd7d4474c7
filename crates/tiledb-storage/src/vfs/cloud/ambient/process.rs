//! Runs external programs that print credentials, such as `credential_process` of an AWS profile.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Timeout of a program, since some programs prompt the user.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of bytes that are read of a program's output.
const MOST: u64 = 64 << 10;

/// The words of a command line, as a shell divides it: blanks between words, quotes around some, a backslash before a letter
/// that means itself. Nothing else has a meaning.
///
/// # Errors
/// If a quote is not closed, or there are no words.
pub(in crate::vfs::cloud) fn split(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == letter => quote = None,
            (None | Some('"'), '\\') => {
                let next = letters.peek().copied();
                // Inside quotes it stays before letters that need none.
                let plain = quote.is_none() || matches!(next, Some('"' | '\\'));
                let taken = if plain { letters.next() } else { Some('\\') };
                word.get_or_insert_default().extend(taken);
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    match (quote, words.is_empty()) {
        (Some(quote), _) => Err(format!("a {quote} is not closed")),
        (None, true) => Err("it is empty".to_owned()),
        (None, false) => Ok(words),
    }
}

/// The standard output of a program that succeeds.
///
/// # Errors
/// If it cannot be started, fails, or takes longer than half a minute.
pub(in crate::vfs::cloud) fn output_of(words: &[String]) -> Result<Vec<u8>, String> {
    let (program, arguments) = words.split_first().ok_or("it is empty")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("'{program}' cannot be started: {error}"))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (tell, heard) = mpsc::channel();
    // A grandchild may keep the pipe open forever.
    let reader = std::thread::Builder::new().spawn(move || _ = tell.send((all(out), all(err))));
    let heard = match reader {
        Ok(_) => heard.recv_timeout(TIMEOUT),
        Err(_) => Err(mpsc::RecvTimeoutError::Disconnected),
    };
    let Ok((said, complaint)) = heard else {
        _ = child.kill();
        _ = child.wait();
        return Err(format!("'{program}' does not end within {} seconds", TIMEOUT.as_secs()));
    };
    // The status is lost if the parent ignores SIGCHLD.
    match child.wait() {
        Ok(status) if !status.success() => {
            let complaint = String::from_utf8_lossy(&complaint);
            Err(format!("'{program}' fails with {status}: {}", complaint.trim()))
        }
        _ => Ok(said),
    }
}

fn all(from: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A failed read ends the output.
    _ = from.map(|from| from.take(MOST).read_to_end(&mut bytes));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_a_shell_does() {
        let words = |line: &str| split(line).unwrap();
        assert_eq!(words(" /opt/a  --b\tc "), ["/opt/a", "--b", "c"]);
        assert_eq!(words(r#""/opt/my tool" 'x "y"' z"w"'v' '' \ q"#), ["/opt/my tool", "x \"y\"", "zwv", "", " q"]);
        assert_eq!(words(r#""a\"b\c\\" '\'"#), ["a\"b\\c\\", "\\"]);
        assert_eq!(words("$HOME/x;y|z *"), ["$HOME/x;y|z", "*"]);
        assert!(split("a 'b").is_err() && split("  ").is_err());
    }

    #[test]
    fn programs_are_heard() {
        let run = |line: &str| output_of(&split(line).unwrap());
        assert_eq!(run("sh -c 'echo a; echo b >&2'").unwrap(), b"a\n");
        let failed = run("sh -c 'echo bad >&2; exit 3'").unwrap_err();
        assert!(failed.contains("exit status: 3: bad"), "{failed}");
        assert!(run("/nowhere/at/all").unwrap_err().contains("cannot be started"));
    }
}
