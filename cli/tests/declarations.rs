//! The declarations in `src/tiledb/sys.rs` and `src/tiledb/sys_objects.rs`, and those of the example in Rust, match the prototypes in the
//! headers: number and types of parameters.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

use std::collections::BTreeMap;
use std::path::Path;

/// All headers in a folder, without comments and lines of the preprocessor.
fn headers(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            text += &headers(&path);
        } else if path.to_str().unwrap().ends_with(".h") {
            let header = std::fs::read_to_string(path).unwrap();
            let code = header.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code));
            let code = code.collect::<String>();
            text.extend(code.lines().filter(|line| !line.starts_with('#')).flat_map(|line| [line, "\n"]));
        }
    }
    text
}

/// Names of functions with their return types and parameters as one spelling: pointers as stars, all enumerations `u32`.
fn of_c(text: &str) -> BTreeMap<String, Vec<String>> {
    let prototypes = text.split("EXPORT").skip(1).filter_map(|rest| rest.split_once(") TILEDB_NOEXCEPT"));
    prototypes
        .filter_map(|(prototype, _)| {
            let (head, parameters) = prototype.split_once('(')?;
            let name_at = head.rfind("tiledb_")?;
            let mut types = vec![c_type(&head[..name_at])];
            types.extend(pieces(parameters).iter().map(|parameter| {
                if parameter.contains("(*") || parameter.contains("callback") {
                    return "callback".to_owned();
                }
                let end = parameter.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
                c_type(if end.trim().is_empty() { parameter } else { end })
            }));
            Some((head[name_at..].trim().to_owned(), types))
        })
        .collect()
}

fn c_type(text: &str) -> String {
    let stars = text.matches('*').count();
    let word = text.replace('*', " ").replace("const", " ");
    let word = match word.trim() {
        "int32_t" | "capi_return_t" | "int" => "i32",
        "uint32_t" => "u32",
        "uint64_t" | "size_t" => "u64",
        "uint8_t" => "u8",
        other => other,
    };
    format!("{}{word}", "*".repeat(stars))
}

/// As [`of_c`]. Each function is declared once.
fn of_rust(text: &str) -> BTreeMap<String, Vec<String>> {
    let declarations = text.split("pub fn ").skip(1).map(|rest| rest.split_once(';').unwrap().0);
    let mut names = std::collections::HashSet::new();
    declarations
        .map(|declaration| {
            let (name, rest) = declaration.split_once('(').unwrap();
            assert!(names.insert(name), "{name} is declared twice");
            let (parameters, result) = rest.rsplit_once(')').unwrap();
            let mut types = vec![rust_type(result.trim().trim_start_matches("->"))];
            types.extend(pieces(parameters).iter().map(|parameter| {
                let (name, kind) = parameter.split_once(':').unwrap();
                if name.trim() == "callback" || kind.contains("extern \"C\"") {
                    "callback".to_owned()
                } else {
                    rust_type(kind)
                }
            }));
            (name.to_owned(), types)
        })
        .collect()
}

fn rust_type(text: &str) -> String {
    let stars = text.matches('*').count();
    let word = text.replace("*const", "").replace("*mut", "");
    let word = match word.trim() {
        "" | "c_void" => "void",
        "c_int" => "i32",
        "c_char" => "char",
        "usize" => "u64",
        other => other,
    };
    format!("{}{word}", "*".repeat(stars))
}

/// Parameters, parted at commas outside of parentheses.
fn pieces(text: &str) -> Vec<String> {
    let (mut depth, mut found) = (0, vec![String::new()]);
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(String::new());
                continue;
            }
            _ => {}
        }
        found.last_mut().unwrap().push(letter);
    }
    found.into_iter().map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect()
}

/// An enumeration is a number in the declarations.
fn agrees(c: &str, rust: &str) -> bool {
    let is_number = rust.trim_start_matches('*') == "u32";
    c == rust || (is_number && c.matches('*').count() == rust.matches('*').count() && c.contains("tiledb_"))
}

/// Compares declarations, of which there are at least so many, with the headers.
fn compare(declared: BTreeMap<String, Vec<String>>, least: usize) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let prototypes = of_c(&headers(&here.join("../include/tiledb")));
    assert!(declared.len() >= least && prototypes.len() > 500, "{} {}", declared.len(), prototypes.len());
    for (name, types) in declared {
        let prototype = prototypes.get(&name).unwrap_or_else(|| panic!("no header declares {name}"));
        let same = types.len() == prototype.len() && prototype.iter().zip(&types).all(|(c, rust)| agrees(c, rust));
        assert!(same, "{name}: {types:?} here, {prototype:?} in the headers");
    }
}

#[test]
fn declarations_are_the_headers() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["src/tiledb/sys.rs", "src/tiledb/sys_objects.rs"];
    let declared = of_rust(&files.map(|file| std::fs::read_to_string(here.join(file)).unwrap()).concat());
    compare(declared, 81);
}

#[test]
fn declarations_of_the_example_in_rust_are_the_headers() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples-c/languages/quickstart.rs");
    let text = std::fs::read_to_string(example).unwrap();
    let (_, rest) = text.split_once("unsafe extern \"C\" {\n").unwrap();
    compare(of_rust(rest.split_once("\n    }\n").unwrap().0), 30);
}
