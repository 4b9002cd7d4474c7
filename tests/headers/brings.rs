//! What a header brings along: every name that libtiledb's header of that name brings, and no macro beyond.
//!
//! `includes.tsv` tells which header of libtiledb 2.30 includes which; the other tables tell where each name is declared.
//! A header that is included alone must show all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};

use crate::tables::library::root;
use crate::tables::table;

/// All that each header of libtiledb brings: headers of the interface by their path, others as `<set>`.
pub fn closures() -> BTreeMap<String, BTreeSet<String>> {
    let mut direct: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in table("includes.tsv") {
        direct.entry(row["header"].clone()).or_default().insert(row["brings"].clone());
    }
    let closure = |header: &String| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![header.clone()]);
        while let Some(next) = left.pop() {
            if seen.insert(next.clone()) {
                left.extend(direct.get(&next).into_iter().flatten().cloned());
            }
        }
        seen
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

/// What the preprocessor makes of a unit that includes this header alone.
pub fn preprocessed(compiler: &str, language: &str, header: &str, flag: &str) -> String {
    let mut command = Command::new(compiler);
    command.args(["-E", flag, "-x", language, "-I"]).arg(root().join("include")).arg("-");
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
    let seen: BTreeSet<&str> =
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
        missing.extend(declared.filter(|name| !seen.contains(name.as_str())).map(|name| format!("{name} of {header}")));
    }
    missing
}

/// The macros of the interface that stay defined after this header, and that libtiledb's does not leave.
pub fn left_over(defines: &str, header: &str) -> Vec<String> {
    let known: BTreeSet<String> = table("macros.tsv").into_iter().map(|row| row["macro"].clone()).collect();
    let own = ["TILEDB_EXPORT", "TILEDB_NO_EXPORT", "TILEDB_DEPRECATED", "TILEDB_DEPRECATED_EXPORT"];
    let own = |name: &str| own.contains(&name) || name == "TILEDB_DEPRECATED_NO_EXPORT";
    let guard = |name: &str| name.ends_with("_H") || name.starts_with("TILEDB_CPP_");
    let names = defines.lines().filter_map(|line| line.strip_prefix("#define ")?.split([' ', '(']).next());
    let names =
        names.filter(|name| name.starts_with("TILEDB_") && !guard(name) && !own(name) && !known.contains(*name));
    names.map(|name| format!("{header} leaves the macro {name}")).collect()
}
