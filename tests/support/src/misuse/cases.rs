//! The cases: every pointer argument of every function, invalid in every way.

use crate::library::root;
use crate::misuse::caller::{Library, buffer, read, slot, slot_of, stream, text, text_at};
use crate::misuse::world::World;
use crate::tables::{Parameter, parameters, table};

/// A function of the table.
#[derive(Clone)]
pub struct Function {
    pub name: String,
    pub returns_code: bool,
    pub parameters: Vec<Parameter>,
}

/// How an argument is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Nothing is wrong: every argument is as it should be.
    Nothing,
    Null,
    Freed,
    OtherType,
    Local,
    Interior,
    NotUtf8,
    BeyondEnum,
    BeyondIndex,
}

/// One call: the number of the wrong argument and how it is wrong.
#[derive(Clone, Copy)]
pub struct Case {
    pub argument: usize,
    pub wrong: Wrong,
}

/// The functions of libtiledb.
pub fn functions() -> Vec<Function> {
    let rows = table("functions.tsv").into_iter().filter(|row| row["kind"] == "function");
    rows.map(|row| function(&row["name"], &row["return_type"], &row["params"])).collect()
}

/// The functions that libtiledb had in older releases, and those of its next one.
#[allow(dead_code, reason = "not every test calls them")]
pub fn other_releases_functions() -> Vec<Function> {
    let rows = ["removed.tsv", "next.tsv"].into_iter().flat_map(table);
    rows.map(|row| function(&row["name"], &row["return_type"], &row["params"])).collect()
}

/// The functions of this library alone, from its header.
#[allow(dead_code, reason = "not every test calls them")]
pub fn own_functions() -> Vec<Function> {
    let text = std::fs::read_to_string(root().join("include/tiledb/tiledb_rs.h")).expect("the header");
    let declaration = |text: &str| {
        let (text, _) = text.split_once(" TILEDB_NOEXCEPT;").expect("the end of a declaration");
        let (head, params) = text.trim_end_matches(')').split_once('(').expect("parameters");
        let (result, name) = head.split_once(' ').expect("a type and a name");
        function(name, result, params)
    };
    text.split("TILEDB_EXPORT ").skip(1).map(declaration).collect()
}

fn function(name: &str, result: &str, params: &str) -> Function {
    Function {
        returns_code: ["capi_return_t", "int32_t", "capi_status_t"].contains(&result),
        parameters: parameters(params),
        name: name.to_owned(),
    }
}

/// What a parameter is.
pub enum Sort<'a> {
    Handle(&'a str),
    HandlePlace(&'a str),
    Text,
    Stream,
    Callback,
    PointerPlace,
    Memory,
    Enumeration,
    Number,
}

const STRUCTS: [&str; 3] = ["tiledb_range_t", "tiledb_query_status_details_t", "tiledb_rs_verified_t"];

/// What a parameter is, by its type.
pub fn sort(parameter: &Parameter) -> Sort<'_> {
    let kind = parameter.kind.trim_start_matches("const ");
    if kind.contains("(*)") || kind.starts_with("tiledb_ls_callback") || kind.ends_with("_callback_t") {
        return Sort::Callback;
    }
    let base = kind.split_whitespace().next().unwrap_or_default();
    let stars = kind.matches('*').count();
    let is_handle = base.starts_with("tiledb_") && !STRUCTS.contains(&base) && !is_enumeration(base);
    match (base, stars) {
        ("char", 1) if parameter.kind.starts_with("const") => Sort::Text,
        ("FILE", _) => Sort::Stream,
        (_, 2) if is_handle => Sort::HandlePlace(base),
        (_, 1) if is_handle => Sort::Handle(base),
        (_, 2) => Sort::PointerPlace,
        (_, 1) => Sort::Memory,
        _ if base.starts_with("tiledb_") => Sort::Enumeration,
        _ => Sort::Number,
    }
}

fn is_enumeration(base: &str) -> bool {
    static NAMES: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    NAMES
        .get_or_init(|| table("enums.tsv").into_iter().map(|row| row["enum"].clone()).collect())
        .iter()
        .any(|n| n == base)
}

/// All cases of a function.
pub fn cases(function: &Function) -> Vec<Case> {
    let mut cases = vec![Case { argument: 0, wrong: Wrong::Nothing }];
    for (argument, parameter) in function.parameters.iter().enumerate() {
        let frees = function.name.ends_with("_free");
        let index = ["idx", "index", "fid", "mid"].iter().any(|part| parameter.name.contains(part));
        let wrongs: &[Wrong] = match sort(parameter) {
            Sort::Handle(_) => &[Wrong::Null, Wrong::Freed, Wrong::OtherType, Wrong::Local, Wrong::Interior],
            Sort::HandlePlace(_) if frees => {
                &[Wrong::Null, Wrong::Freed, Wrong::OtherType, Wrong::Local, Wrong::Interior]
            }
            Sort::Text => &[Wrong::Null, Wrong::NotUtf8],
            Sort::Enumeration => &[Wrong::BeyondEnum],
            Sort::Number if index => &[Wrong::BeyondIndex],
            Sort::Number => &[],
            Sort::HandlePlace(_) | Sort::Stream | Sort::Callback | Sort::PointerPlace | Sort::Memory => &[Wrong::Null],
        };
        cases.extend(wrongs.iter().map(|wrong| Case { argument, wrong: *wrong }));
    }
    cases
}

/// What a call gave: its code, the text of its error, and the outputs that hold something after an error.
pub struct Outcome {
    pub code: i32,
    pub text: String,
    pub dirty: Vec<String>,
}

/// `TILEDB_INVALID_CONTEXT`.
const INVALID_CONTEXT: i32 = -3;

/// Makes one call.
pub fn run(library: &Library, function: &Function, case: Case, world: &World, freed: &World) -> Outcome {
    let mut arguments = Vec::new();
    for (number, parameter) in function.parameters.iter().enumerate() {
        let wrong = if number == case.argument { case.wrong } else { Wrong::Nothing };
        arguments.push(argument(function, parameter, wrong, world, freed));
    }
    let code = library.call(&function.name, &arguments) as i32;
    let mut dirty = Vec::new();
    let mut error = 0;
    for (parameter, value) in function.parameters.iter().zip(&arguments).filter(|(_, value)| **value != 0) {
        match sort(parameter) {
            Sort::HandlePlace("tiledb_error_t") if function.name != "tiledb_error_free" => error = read(*value),
            Sort::HandlePlace(_) | Sort::PointerPlace
                if function.returns_code
                    && code != 0
                    && read(*value) != 0
                    && !["free", "_to_str"].iter().any(|part| function.name.contains(part)) =>
            {
                dirty.push(parameter.name.clone());
            }
            _ => {}
        }
    }
    // Without a context there is no place for a text.
    let text =
        if [0, INVALID_CONTEXT].contains(&code) { String::new() } else { message(library, world, function, error) };
    Outcome { code, text, dirty }
}

/// The text of the last error.
pub fn message(library: &Library, world: &World, function: &Function, error: u64) -> String {
    let (place, text) = (slot_of(error), slot());
    let has_context = function.parameters.first().is_some_and(|p| p.kind == "tiledb_ctx_t *");
    if error == 0 && has_context {
        library.call("tiledb_ctx_get_last_error", &[world.get("tiledb_ctx_t"), place]);
    }
    if read(place) == 0 {
        return String::new();
    }
    library.call("tiledb_error_message", &[read(place), text]);
    text_at(read(text)).replace(['\n', '\t'], " ")
}

/// The argument for a parameter, right or wrong.
pub fn argument(function: &Function, parameter: &Parameter, wrong: Wrong, world: &World, freed: &World) -> u64 {
    if wrong == Wrong::Null {
        return 0;
    }
    match sort(parameter) {
        Sort::Handle(kind) => handle(kind, wrong, world, freed),
        Sort::HandlePlace(kind) if function.name.ends_with("_free") => slot_of(handle(kind, wrong, world, freed)),
        Sort::HandlePlace(_) | Sort::PointerPlace => slot(),
        Sort::Text if wrong == Wrong::NotUtf8 => text(b"\xff\xfe"),
        Sort::Text => text(word(&parameter.name)),
        Sort::Stream => stream(),
        Sort::Callback => visit as *const () as u64,
        Sort::Memory => buffer(),
        Sort::Enumeration if wrong == Wrong::BeyondEnum => 0xffff_ff4d,
        Sort::Enumeration => 0,
        Sort::Number if wrong == Wrong::BeyondIndex => u64::MAX,
        Sort::Number => {
            if parameter.name.contains("size") {
                8
            } else {
                1
            }
        }
    }
}

/// A callback of any of the types: it has no use for its arguments, and 0 ends the walk.
extern "C" fn visit() -> i32 {
    0
}

/// A handle of a type, right or wrong.
fn handle(kind: &str, wrong: Wrong, world: &World, freed: &World) -> u64 {
    let live = world.get(kind);
    match wrong {
        Wrong::Freed if freed.get(kind) != 0 && !is_constant(kind) => freed.get(kind),
        Wrong::OtherType => world.kinds().find(|(other, _)| *other != kind).map_or(0, |(_, handle)| handle),
        Wrong::Interior if live != 0 => live + 8,
        Wrong::Local | Wrong::Freed | Wrong::Interior => buffer(),
        _ if live != 0 => live,
        _ => buffer(),
    }
}

/// A text that fits a parameter's name.
fn word(parameter: &str) -> &'static [u8] {
    match parameter {
        name if name.contains("uri") || name.contains("path") => b"array",
        name if name.contains("dim") => b"d",
        name if name.contains("value") => b"1",
        _ => b"a",
    }
}

/// True for handles that the world holds as constants of the library: these are never freed.
fn is_constant(kind: &str) -> bool {
    matches!(kind, "tiledb_channel_operator_t" | "tiledb_channel_operation_t")
}
