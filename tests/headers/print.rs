//! Runs cbindgen on `src/capi` and replaces the Rust wrapper types by plain C types.

use std::collections::BTreeMap;

use support::library::root;

/// The printed declarations, each with its doc comment, by the name it declares.
pub fn declarations() -> BTreeMap<String, String> {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for directory in ["src/capi", "src/capi/boundary", "src/capi/removed", "src/capi/next"] {
        for entry in std::fs::read_dir(root().join(directory)).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("mod.rs") {
                builder = builder.with_src(path);
            }
        }
    }
    let mut printed = Vec::new();
    builder.generate().expect("src/capi parses").write(&mut printed);
    let printed = String::from_utf8(printed).expect("UTF-8");
    let blocks = printed.split("\n\n").map(str::trim).filter(|block| !block.is_empty());
    blocks.map(|block| (name_of(block).to_owned(), plain(block))).collect()
}

/// The comment and the code of a block.
fn parts(block: &str) -> (&str, &str) {
    if !block.starts_with("/**") {
        return ("", block);
    }
    let end = block.find("*/\n").expect("a comment ends") + 3;
    block.split_at(end)
}

/// The name a block declares.
fn name_of(block: &str) -> &str {
    let (_, code) = parts(block);
    let code = code.trim_end_matches(';');
    let word = |text: &str| text.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    if let Some((_, rest)) = code.split_once("(*").filter(|_| code.starts_with("typedef")) {
        return rest.split(')').next().expect("a name");
    }
    let head = if code.starts_with("typedef") { code } else { code.split('(').next().expect("a head") };
    &head[word(head)..]
}

/// What a wrapper type is in C; `T` stands for its argument.
const WRAPPERS: [(&str, &str); 21] = [
    ("In", "T *"),
    ("InConst", "const T *"),
    ("Out", "T *"),
    ("OutHandle", "T **"),
    ("OutConstHandle", "const T **"),
    ("ConstHandle", "T *"),
    // The original's one array of strings is not const inside.
    ("Slice<const char*>", "const char **"),
    ("Slice", "const T *"),
    ("CEnum", "T "),
    ("Str", "const char *"),
    ("Bytes", "const void *"),
    ("Buffer", "void *"),
    ("BufferArray", "void **"),
    ("TextBuffer", "char *"),
    ("OutStr", "const char **"),
    ("OutPtr", "const void **"),
    ("OutMutPtr", "void **"),
    ("OutText", "char **"),
    ("OutWords", "uint64_t **"),
    ("OutBytes", "uint8_t **"),
    ("ByteOrPointer", "uint8_t "),
];

/// The block with plain C types.
fn plain(block: &str) -> String {
    let (comment, code) = parts(block);
    let mut code = code.replace("CEnum_", "").replace("CFile ", "FILE *");
    for (wrapper, c) in WRAPPERS {
        code = replaced(&code, wrapper, c);
    }
    code = code.replace("char* ", "char *").replace("void* ", "void *");
    format!("{comment}{code}")
}

/// `code` with every use of the wrapper replaced.
fn replaced(code: &str, wrapper: &str, c: &str) -> String {
    let generic = c.contains('T') && !wrapper.contains('<');
    let needle = if generic { format!("{wrapper}<") } else { format!("{wrapper} ") };
    let mut done = String::new();
    let mut rest = code;
    while let Some(at) = rest.find(&needle) {
        let (before, matched) = rest.split_at(at);
        done.push_str(before);
        let inside_a_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let after = &matched[needle.len()..];
        if inside_a_word {
            done.push_str(&needle);
            rest = after;
        } else if generic {
            let (argument, after) = after.split_once('>').expect("a closed angle");
            done.push_str(&c.replace('T', argument));
            rest = after.strip_prefix(' ').unwrap_or(after);
        } else {
            done.push_str(c);
            rest = after;
        }
    }
    done + rest
}
