//! Distributes the declarations over the headers as in libtiledb, by the tables of `capi-tests/abi/`.

use std::collections::{BTreeMap, BTreeSet};

use crate::enums;
use support::tables::{Row, table};

const COMMON: &str = "api/c_api/api_external_common.h";
const EXPORT: &str = "tiledb_export.h";
const OWN: &str = "tiledb_rs.h";
/// What libtiledb no longer has: `tiledb.h` includes it where a program asks for it.
const REMOVED: &str = "tiledb_rs_removed.h";
const REMOVED_SWITCH: &str = "TILEDB_RS_REMOVED_API";
/// Functions of libtiledb's next release, likewise.
const NEXT: &str = "tiledb_rs_next.h";
const NEXT_SWITCH: &str = "TILEDB_RS_NEXT_API";

/// One header in the making.
#[derive(Default)]
struct Header {
    includes: BTreeSet<String>,
    /// Included after the declarations, which they need.
    late_includes: BTreeSet<String>,
    macros: Vec<String>,
    types: Vec<String>,
    functions: Vec<String>,
}

/// The text of every header, by its path below `include/tiledb/`.
pub fn headers(declarations: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut headers: BTreeMap<String, Header> = BTreeMap::new();
    let declared = |name: &str| declarations.get(name).unwrap_or_else(|| panic!("src/capi does not declare {name}"));

    let mut homes: BTreeMap<String, String> = BTreeMap::new();
    let mut printed_enums = BTreeSet::new();
    for row in table("enums.tsv") {
        if printed_enums.insert(row["enum"].clone()) {
            homes.insert(row["enum"].clone(), row["header"].clone());
            headers.entry(row["header"].clone()).or_default().types.push(declared(&row["enum"]).clone());
        }
    }
    for row in table("structs.tsv") {
        let Some(text) = type_of(&row, declarations) else { continue };
        homes.insert(row["name"].clone(), row["header"].clone());
        headers.entry(row["header"].clone()).or_default().types.push(text);
    }
    for row in table("macros.tsv") {
        if ["status-code", "function-backed"].contains(&row["category"].as_str()) {
            let line = format!("#define {} {}", row["macro"], row["expansion"]);
            headers.entry(row["header"].clone()).or_default().macros.push(line);
        }
    }
    for row in table("functions.tsv") {
        let header = headers.entry(row["header"].clone()).or_default();
        header.functions.push(exported(declared(&row["name"]), !row["deprecated_attr"].is_empty()));
        umbrella(&mut headers, &row);
    }
    for row in table("removed.tsv") {
        headers.entry(REMOVED.to_owned()).or_default().functions.push(exported(declared(&row["name"]), true));
    }
    for row in table("next.tsv") {
        headers.entry(NEXT.to_owned()).or_default().functions.push(exported(declared(&row["name"]), false));
    }
    brought_along(&mut headers);
    let own = headers.entry(OWN.to_owned()).or_default();
    for (_, text) in declarations.iter().filter(|(name, _)| name.starts_with("tiledb_rs_")) {
        match text.starts_with("typedef ") || text.contains("\ntypedef ") {
            true => own.types.push(text.clone()),
            false => own.functions.push(exported(text, false)),
        }
    }
    // Callbacks take structs, and both refer to enumerations.
    own.types.sort_by_key(|text| {
        ["typedef enum", "typedef struct"].iter().position(|kind| text.contains(kind)).unwrap_or(2)
    });

    let names: Vec<String> = headers.keys().cloned().collect();
    for name in &names {
        let needs = needed(&headers[name], &homes);
        let header = headers.get_mut(name).expect("it is there");
        header.includes.extend(needs);
        header.includes.remove(name);
    }
    let mut texts: BTreeMap<String, String> =
        headers.iter().map(|(name, header)| (name.clone(), header.text(name))).collect();
    texts.extend(enums::headers());
    texts.insert(EXPORT.to_owned(), export_header());
    texts.insert("tiledb_version.h".to_owned(), version_header());
    texts
}

/// Lets every header bring along what libtiledb's brings.
fn brought_along(headers: &mut BTreeMap<String, Header>) {
    for row in table("includes.tsv") {
        let Some(header) = headers.get_mut(&row["header"]) else { continue };
        // The deprecated functions come last, since they need the others.
        if row["brings"] != "tiledb_deprecated.h" && row["brings"] != "tiledb_version.h" {
            header.includes.insert(row["brings"].clone());
        }
    }
}

/// Lets the header that users include have the one that declares the function.
fn umbrella(headers: &mut BTreeMap<String, Header>, row: &Row) {
    let (home, entry) = (&row["header"], &row["entry_header"]);
    if home == entry {
        return;
    }
    let entry = headers.entry(entry.clone()).or_default();
    if home == "tiledb_deprecated.h" {
        entry.late_includes.insert(home.clone());
    } else {
        entry.includes.insert(home.clone());
    }
}

/// The headers whose types this one uses.
fn needed(header: &Header, homes: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut needs = BTreeSet::from([COMMON.to_owned()]);
    for text in header.types.iter().chain(&header.functions) {
        let code = text.rsplit("*/").next().expect("some text");
        let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        needs.extend(words.filter_map(|word| homes.get(word)).cloned());
    }
    needs
}

/// The declaration of a type of structs.tsv that is not an enumeration.
fn type_of(row: &Row, declarations: &BTreeMap<String, String>) -> Option<String> {
    let (name, declared_as) = (&row["name"], &row["declared_as"]);
    let comment = |text: &String| text.split_inclusive("*/\n").next().unwrap_or_default().to_owned();
    let declaration = |name: &str| declarations.get(name).unwrap_or_else(|| panic!("src/capi does not declare {name}"));
    match row["kind"].as_str() {
        "opaque" => Some(format!("{}typedef {declared_as} {name};", comment(declaration(name)))),
        "struct" => {
            let tag = declared_as.strip_prefix("struct ").expect("a struct");
            let text = declaration(tag);
            let (head, _) = text.rsplit_once('}').expect("a struct ends");
            Some(format!("{}}} {name};", head.replace("typedef struct {", &format!("typedef {declared_as} {{"))))
        }
        "callback" if !name.starts_with('(') => Some(declaration(name).clone()),
        "scalar-typedef" => Some(declaration(name).clone()),
        _ => None,
    }
}

/// The declaration as the library exports it.
fn exported(text: &str, deprecated: bool) -> String {
    let (comment, code) = match text.rfind("*/\n") {
        Some(at) => text.split_at(at + 3),
        None => ("", text),
    };
    let mark = if deprecated { "TILEDB_DEPRECATED_EXPORT" } else { "TILEDB_EXPORT" };
    if code.starts_with("extern") {
        return format!("{comment}{mark} {code}");
    }
    let code = code.trim_end_matches(';');
    let line = format!("{mark} {code} TILEDB_NOEXCEPT;");
    if line.len() <= 100 {
        return format!("{comment}{line}");
    }
    let (head, rest) = code.split_once('(').expect("a function");
    let arguments = rest.strip_suffix(')').expect("a function ends");
    let mut depth = 0;
    let broken: String = arguments
        .chars()
        .map(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            if letter == ',' && depth == 0 { ",\n   ".to_owned() } else { letter.to_string() }
        })
        .collect();
    format!("{comment}{mark} {head}(\n    {broken}) TILEDB_NOEXCEPT;")
}

pub const NOTICE: &str = "Printed from src/capi by tests/headers/main.rs: change it there.";

impl Header {
    fn text(&self, name: &str) -> String {
        let include = |path: &String| match path.starts_with('<') {
            true => format!("#include {path}\n"),
            false => format!("#include \"{}\"\n", relative(name, path)),
        };
        let mut text = opening(name, &title(name));
        if name == COMMON {
            text.push_str(COMMON_TEXT);
        }
        if self.functions.iter().any(|function| function.contains("FILE *")) && !self.includes.contains("<stdio.h>") {
            text.push_str("#include <stdio.h>\n");
        }
        if name == "tiledb.h" {
            text.push_str(&include(&"tiledb_version.h".to_owned()));
        }
        text.extend(self.includes.iter().map(include));
        text.push_str("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
        if !self.macros.is_empty() {
            text.push_str(&self.macros.join("\n"));
            text.push_str("\n\n");
        }
        for item in self.types.iter().chain(&self.functions) {
            text.push_str(item);
            text.push_str("\n\n");
        }
        if name == COMMON {
            text.push_str(STATUS_TEXT);
        }
        if name.ends_with("/attribute_api_external.h") {
            text.push_str("#define TILEDB_ATTRIBUTE_HANDLE_T_DEFINED\n\n");
        }
        text.push_str("#ifdef __cplusplus\n}\n#endif\n");
        if !self.late_includes.is_empty() {
            text.push('\n');
            text.extend(self.late_includes.iter().map(include));
        }
        if name == "tiledb.h" {
            for (switch, header) in [(REMOVED_SWITCH, REMOVED), (NEXT_SWITCH, NEXT)] {
                text.push_str(&format!("\n#ifdef {switch}\n{}#endif\n", include(&header.to_owned())));
            }
        }
        text + &closing(name)
    }
}

/// The path of one header as another includes it, so that any include path serves.
fn relative(from: &str, to: &str) -> String {
    match (from.strip_prefix("api/c_api/"), to.strip_prefix("api/c_api/")) {
        (Some(from), Some(to)) => "../".repeat(from.matches('/').count()) + to,
        _ => "../".repeat(from.matches('/').count()) + to,
    }
}

/// What a header is about, from its name.
pub fn title(name: &str) -> String {
    let stem = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".h");
    let about = stem.split("_api").next().unwrap_or(stem);
    let experimental =
        if stem.ends_with("experimental") && stem != "tiledb_experimental" { ", experimental" } else { "" };
    match stem {
        "tiledb" => "The C interface of the TileDB storage engine".to_owned(),
        "tiledb_experimental" => "The C interface of TileDB: what may still change".to_owned(),
        "tiledb_deprecated" => "The C interface of TileDB: what is not to be used any more".to_owned(),
        "tiledb_serialization" => "The C interface of TileDB: objects as bytes on a wire".to_owned(),
        "tiledb_enum" => "The C interface of TileDB: the numbers of enumerations by themselves".to_owned(),
        _ if stem.ends_with("_enum") => format!(
            "The C interface of TileDB: numbers of {}",
            stem.trim_end_matches("_enum").trim_end_matches("_api").replace('_', " ")
        ),
        "tiledb_rs_removed" => "Functions that libtiledb exported in 2.18 to 2.29".to_owned(),
        "tiledb_rs_next" => "Functions of the development version of libtiledb 2.31, which may still change".to_owned(),
        "tiledb_rs" => "What libtiledb-rs offers beyond TileDB's C interface".to_owned(),
        "api_external_common" => "The C interface of TileDB: return codes and what all headers share".to_owned(),
        _ => format!(
            "The C interface of TileDB: {}{experimental}",
            about.trim_start_matches("tiledb_").replace('_', " ")
        ),
    }
}

fn guard(name: &str) -> String {
    let stem = name.rsplit('/').next().unwrap_or(name);
    let stem = stem.replace('.', "_").to_uppercase();
    if stem.starts_with("TILEDB") { stem } else { format!("TILEDB_CAPI_{stem}") }
}

pub fn opening(name: &str, title: &str) -> String {
    let guard = guard(name);
    format!("/*\n * {title}.\n *\n * {NOTICE}\n */\n#ifndef {guard}\n#define {guard}\n\n")
}

fn closing(name: &str) -> String {
    format!("\n#endif /* {} */\n", guard(name))
}

const COMMON_TEXT: &str = "\
#ifndef TILEDB_CAPI_WRAPPING
#include <stddef.h>
#include <stdint.h>
#endif

#include \"../../tiledb_export.h\"

#ifdef __cplusplus
#define TILEDB_NOEXCEPT noexcept
#else
#define TILEDB_NOEXCEPT
#endif
";

const STATUS_TEXT: &str = "\
#ifdef __cplusplus
/** The status that a returned code holds. */
inline capi_status_t tiledb_status(capi_return_t code) {
  return code;
}
#endif

";

fn version_header() -> String {
    let mut text = opening("tiledb_version.h", "The version of the interface");
    for (part, number) in ["MAJOR", "MINOR", "PATCH"].iter().zip(env!("CARGO_PKG_VERSION").split('.')) {
        text.push_str(&format!("#define TILEDB_VERSION_{part} {number}\n"));
    }
    text + &closing("tiledb_version.h")
}

fn export_header() -> String {
    let mut text = opening(EXPORT, "How functions are marked: exported, deprecated");
    text.push_str(
        "#if defined(_WIN32)
#define TILEDB_EXPORT __declspec(dllimport)
#define TILEDB_NO_EXPORT
#elif defined(__GNUC__) || defined(__clang__)
#define TILEDB_EXPORT __attribute__((visibility(\"default\")))
#define TILEDB_NO_EXPORT __attribute__((visibility(\"hidden\")))
#else
#define TILEDB_EXPORT
#define TILEDB_NO_EXPORT
#endif

/* Define TILEDB_NO_API_DEPRECATION_WARNINGS before the first include to use deprecated functions in silence. */
#ifndef TILEDB_DEPRECATED
#if !defined(TILEDB_NO_API_DEPRECATION_WARNINGS) && (defined(__GNUC__) || defined(__clang__))
#define TILEDB_DEPRECATED __attribute__((__deprecated__))
#else
#define TILEDB_DEPRECATED
#endif
#endif

#define TILEDB_DEPRECATED_EXPORT TILEDB_EXPORT TILEDB_DEPRECATED
#define TILEDB_DEPRECATED_NO_EXPORT TILEDB_NO_EXPORT TILEDB_DEPRECATED
",
    );
    text + &closing(EXPORT)
}
