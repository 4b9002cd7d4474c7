//! The tables of `capi-tests/abi/`.

use std::collections::HashMap;

use crate::library::root;

/// One line of a table, by column name.
pub type Row = HashMap<String, String>;

/// Reads a table of `capi-tests/abi/`.
pub fn table(name: &str) -> Vec<Row> {
    let path = root().join("capi-tests/abi").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().expect("a table has a first line").split('\t').collect();
    let row = |line: &str| columns.iter().zip(line.split('\t')).map(|(c, v)| (c.to_string(), v.to_owned())).collect();
    lines.map(row).collect()
}

/// A parameter: its type as C writes it, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub kind: String,
    pub name: String,
}

/// The parameters of a function, from the table's `params` column.
pub fn parameters(params: &str) -> Vec<Parameter> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for letter in params.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("never empty").push(letter);
    }
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty() && *part != "void").map(parameter).collect()
}

fn parameter(text: &str) -> Parameter {
    if let Some((result, rest)) = text.split_once("(*") {
        let (name, types) = rest.split_once(')').expect("a function pointer");
        return Parameter { kind: format!("{result}(*){types}"), name: name.to_owned() };
    }
    let (text, array) = match text.strip_suffix("[]") {
        Some(text) => (text, "*"),
        None => (text, ""),
    };
    let at = text.rfind(|letter: char| !letter.is_alphanumeric() && letter != '_').map_or(0, |at| at + 1);
    Parameter { kind: format!("{}{array}", text[..at].trim()), name: text[at..].to_owned() }
}

/// The C compilers that are here, as (command, is C++).
pub fn compilers() -> Vec<(&'static str, bool)> {
    let all = [("cc", false), ("clang", false), ("c++", true), ("clang++", true)];
    let works =
        |name: &str| std::process::Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    all.into_iter().filter(|(name, _)| works(name)).collect()
}
