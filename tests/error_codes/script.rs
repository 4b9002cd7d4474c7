//! Parser and interpreter of `capi-tests/abi/errors.txt`, whose format is described in the README next to it.

use std::collections::HashMap;
use std::path::Path;

use support::library::root;
use support::misuse::caller::{Library, read, slot, slot_of, text, text_at};
use support::tables::table;

/// One mistake: the calls up to it and what the last of them must answer.
pub struct Situation {
    pub name: String,
    pub lines: Vec<String>,
}

/// All situations, with what is given written out.
pub fn script() -> Vec<Situation> {
    let path = root().join("capi-tests/abi/errors.txt");
    let script = std::fs::read_to_string(path).expect("the script");
    let mut preludes: HashMap<String, Vec<String>> = HashMap::new();
    let mut situations: Vec<Situation> = Vec::new();
    let mut prelude = None;
    for line in script.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix("prelude ") {
            prelude = Some(name.to_owned());
        } else if let Some(name) = line.strip_prefix("situation ") {
            prelude = None;
            situations.push(Situation { name: name.to_owned(), lines: Vec::new() });
        } else if let Some(name) = &prelude {
            preludes.entry(name.clone()).or_default().push(line.trim().to_owned());
        } else {
            let lines = &mut situations.last_mut().expect("a situation").lines;
            match line.trim().strip_prefix("given ") {
                Some(name) => lines.extend(preludes[name].iter().cloned()),
                None => lines.push(line.trim().to_owned()),
            }
        }
    }
    situations
}

/// Plays one situation in a context and a directory of its own.
pub struct Player<'a> {
    library: &'a Library,
    directory: &'a Path,
    constants: HashMap<String, u64>,
    context: u64,
    /// Where each handle is kept.
    handles: HashMap<String, u64>,
    code: i32,
}

impl Player<'_> {
    pub fn new<'a>(library: &'a Library, directory: &'a Path) -> Player<'a> {
        let constant = |row: HashMap<String, String>| {
            let value: i64 = row["value"].parse().expect("a number");
            (row["constant"].clone(), value as u64)
        };
        let context = slot();
        assert_eq!(library.call("tiledb_ctx_alloc", &[0, context]) as i32, 0);
        let constants = table("enums.tsv").into_iter().map(constant).collect();
        Player { library, directory, constants, context, handles: HashMap::new(), code: 0 }
    }

    /// Plays a line; the difference, if it is an answer and another one came.
    pub fn play(&mut self, line: &str) -> Result<(), String> {
        let words = words(line);
        let path = |word: &str| self.named(word.trim_matches('"'));
        match words[0].as_str() {
            "=>" => return self.judge(line),
            "file" => std::fs::write(path(&words[1]), words[2].trim_matches('"').replace('|', "\n")).expect("a file"),
            "directory" => std::fs::create_dir(path(&words[1])).expect("a directory"),
            function => {
                let arguments: Vec<u64> = words[1..].iter().map(|word| self.argument(word)).collect();
                self.code = self.library.call(&format!("tiledb_{function}"), &arguments) as i32;
            }
        }
        Ok(())
    }

    fn named(&self, text: &str) -> String {
        text.replace("<DIR>", self.directory.to_str().expect("UTF-8"))
    }

    fn argument(&mut self, word: &str) -> u64 {
        if let Some(quoted) = word.strip_prefix('"') {
            return text(self.named(quoted.trim_end_matches('"')).as_bytes());
        }
        if let Some(place) = word.strip_prefix('&') {
            let (name, value) = place.split_once('=').unwrap_or((place, "0"));
            let value = value.parse::<i64>().map_or_else(|_| value.parse().expect("a number"), |value| value as u64);
            return match name {
                "u8" | "u32" | "i32" | "u64" => slot_of(value),
                "ctx" => self.context,
                name => *self.handles.entry(name.to_owned()).or_insert_with(|| slot_of(value)),
            };
        }
        if let Some((kind, values)) = word.strip_suffix(']').and_then(|word| word.split_once('[')) {
            return values_of(kind, values);
        }
        match word {
            "null" => 0,
            "ctx" => read(self.context),
            handle if self.handles.contains_key(handle) => read(self.handles[handle]),
            constant if self.constants.contains_key(constant) => self.constants[constant],
            number => number.parse::<i64>().map_or_else(|_| number.parse().expect("a number"), |value| value as u64),
        }
    }

    /// Compares what the last call answered with `=> CODE [HANDLE] ["TEXT" [+ "MORE"]]`: the text of the original, and what
    /// ours adds.
    fn judge(&self, line: &str) -> Result<(), String> {
        let (answer, text) = match line.split_once('"') {
            Some((answer, text)) => (answer, text.strip_suffix('"').map(|text| text.replacen("\" + \"", "", 1))),
            None => (line, None),
        };
        let answer: Vec<&str> = answer.split_whitespace().skip(1).collect();
        if answer[0] != "void" && answer[0] != self.code.to_string() {
            return Err(format!("code {} instead of {}: {}", self.code, answer[0], self.error_text(None)));
        }
        let error_text = self.error_text(answer.get(1).copied());
        match text {
            Some(text) if text != error_text => Err(format!("\n   {error_text}\n   instead of\n   {text}")),
            _ => Ok(()),
        }
    }

    /// The text of an error handle, or the context's last error.
    fn error_text(&self, handle: Option<&str>) -> String {
        let error = match handle {
            Some(handle) => read(self.handles[handle]),
            None => {
                let place = slot();
                self.library.call("tiledb_ctx_get_last_error", &[read(self.context), place]);
                read(place)
            }
        };
        let message = slot();
        if error == 0 || self.library.call("tiledb_error_message", &[error, message]) as i32 != 0 {
            return String::new();
        }
        let directory = self.directory.to_str().expect("UTF-8");
        text_at(read(message)).replace(directory, "<DIR>").replace('\n', "\\n").replace('\t', " ")
    }
}

impl Drop for Player<'_> {
    fn drop(&mut self) {
        self.library.call("tiledb_ctx_free", &[self.context]);
    }
}

/// The words of a line; a quoted text is one.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        quoted ^= letter == '"';
        match letter {
            ' ' if !quoted => words.push(String::new()),
            letter => words.last_mut().expect("never empty").push(letter),
        }
    }
    words
}

/// The address of an array: `i32[1,4]`, or `i32[0*16]` for sixteen zeros.
fn values_of(kind: &str, values: &str) -> u64 {
    let values: Vec<&str> = match values.split_once('*') {
        Some((value, count)) => vec![value; count.parse().expect("a count")],
        None => values.split(',').filter(|value| !value.is_empty()).collect(),
    };
    let bytes = |value: &&str| -> Vec<u8> {
        let number = || value.parse::<i128>().expect("a number");
        match kind {
            "f64" => value.parse::<f64>().expect("a number").to_ne_bytes().to_vec(),
            "f32" => value.parse::<f32>().expect("a number").to_ne_bytes().to_vec(),
            "u8" | "i8" => (number() as u8).to_ne_bytes().to_vec(),
            "u16" | "i16" => (number() as u16).to_ne_bytes().to_vec(),
            "u32" | "i32" => (number() as u32).to_ne_bytes().to_vec(),
            "u64" | "i64" => (number() as u64).to_ne_bytes().to_vec(),
            kind => panic!("no such type: {kind}"),
        }
    };
    let mut all: Vec<u8> = values.iter().flat_map(bytes).collect();
    all.resize(all.len().max(8), 0);
    all.leak().as_ptr() as u64
}
