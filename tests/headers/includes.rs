//! Names that a header declares: every name of libtiledb's header, and no other macro.
//!
//! `includes.tsv` tells which header of libtiledb 2.30 includes which; the other tables tell where each name is declared.
//! A header that is included alone must show all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use support::library::root;
use support::tables::table;

/// All that each header of libtiledb brings: headers of the interface by their path, others as `<set>`.
pub fn closures() -> BTreeMap<String, BTreeSet<String>> {
    let mut direct: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in table("includes.tsv") {
        direct.entry(row["header"].clone()).or_default().insert(row["brings"].clone());
    }
    let closure = |header: &String| {
        let (mut visited, mut left) = (BTreeSet::new(), vec![header.clone()]);
        while let Some(next) = left.pop() {
            if visited.insert(next.clone()) {
                left.extend(direct.get(&next).into_iter().flatten().cloned());
            }
        }
        visited
    };
    direct.keys().map(|header| (header.clone(), closure(header))).collect()
}

/// The names that each header declares.
pub fn names() -> BTreeMap<String, BTreeSet<String>> {
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let columns =
        [("functions.tsv", "name"), ("enums.tsv", "constant"), ("enums.tsv", "enum"), ("structs.tsv", "name")];
    for (file, column) in
        columns.into_iter().chain([("macros.tsv", "macro"), ("cpp.tsv", "class"), ("cpp.tsv", "member")])
    {
        for row in table(file) {
            // A client may define a switch; a callback without a name has none.
            let switch = row.get("category").is_some_and(|category| category == "client-switch");
            let last = row[column].rsplit("::").next().unwrap_or_default().trim_start_matches('~').to_owned();
            if !switch && !last.is_empty() && last.chars().all(|c| c.is_alphanumeric() || c == '_') {
                names.entry(row["header"].clone()).or_default().insert(last);
            }
        }
    }
    names
}

/// The macros of libtiledb's interface.
pub fn macros() -> BTreeSet<String> {
    table("macros.tsv").into_iter().map(|row| row["macro"].clone()).collect()
}

/// What the preprocessor makes of a unit that includes this header alone, and the macros that it meets.
pub fn preprocessed(compiler: &str, language: &str, header: &str) -> String {
    let mut command = Command::new(compiler);
    command.args(["-E", "-dD", "-x", language, "-I"]).arg(root().join("include")).arg("-");
    command.arg(if language == "c" { "-std=c11" } else { "-std=c++17" });
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a compiler");
    let unit = format!("#include <tiledb/{header}>\n");
    child.stdin.take().expect("a pipe").write_all(unit.as_bytes()).expect("the compiler reads");
    let output = child.wait_with_output().expect("the compiler ends");
    assert!(output.status.success(), "{compiler} cannot read {header}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The names and headers that are missing when this header is included alone.
pub fn missing(text: &str, closure: &BTreeSet<String>, names: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let (markers, code): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("# "));
    let files: BTreeSet<&str> = markers.iter().filter_map(|line| line.split('"').nth(1)).collect();
    let files: Vec<_> = files.into_iter().filter_map(|file| std::fs::canonicalize(file).ok()).collect();
    let visible: BTreeSet<&str> =
        code.iter().flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let mut missing = Vec::new();
    for header in closure {
        let end = match header.strip_prefix('<') {
            Some(system) => system.trim_end_matches('>').to_owned(),
            None => format!("tiledb/{header}"),
        };
        if !files.iter().any(|file| file.ends_with(&end)) {
            missing.push(header.clone());
        }
        let declared = names.get(header).into_iter().flatten();
        missing
            .extend(declared.filter(|name| !visible.contains(name.as_str())).map(|name| format!("{name} of {header}")));
    }
    missing
}

/// The names of the language that a header uses and neither it nor what it includes declares.
pub fn unknown(text: &str, header: &Path) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let source = std::fs::read_to_string(header).expect("a header");
    let code = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    let uses = code.flat_map(|line| line.split("std::").skip(1)).filter_map(|rest| rest.split(|c| !is_word(c)).next());
    let uses: BTreeSet<&str> = uses.filter(|name| !name.is_empty()).collect();
    // What stands in its own lines declares nothing of the language.
    let (mut own, mut rest) = (false, String::with_capacity(text.len()));
    for line in text.lines() {
        match line.strip_prefix("# ") {
            Some(marker) => own = marker.contains("/tiledb/"),
            None if !own => rest.extend([line, "\n"]),
            None => {}
        }
    }
    let declared = |name: &str| {
        let places = rest.match_indices(name);
        places
            .into_iter()
            .any(|(at, _)| !rest[..at].ends_with(is_word) && !rest[at + name.len()..].starts_with(is_word))
    };
    uses.into_iter().filter(|name| !declared(name)).map(|name| format!("std::{name} is used")).collect()
}

/// The macros of the interface that stay defined after this header, and that libtiledb's does not leave: `known` are its.
pub fn left_over(text: &str, header: &str, known: &BTreeSet<String>) -> Vec<String> {
    let own = ["TILEDB_EXPORT", "TILEDB_NO_EXPORT", "TILEDB_DEPRECATED", "TILEDB_DEPRECATED_EXPORT"];
    let own = |name: &str| own.contains(&name) || name == "TILEDB_DEPRECATED_NO_EXPORT";
    let guard = |name: &str| name.ends_with("_H") || name.starts_with("TILEDB_CPP_");
    let mut defined = BTreeSet::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("#define TILEDB_") {
            defined.insert(format!("TILEDB_{}", rest.split([' ', '(']).next().unwrap_or_default()));
        } else if let Some(name) = line.strip_prefix("#undef ") {
            defined.remove(name);
        }
    }
    let names = defined.iter().filter(|name| !guard(name) && !own(name) && !known.contains(*name));
    names.map(|name| format!("{header} leaves the macro {name}")).collect()
}
