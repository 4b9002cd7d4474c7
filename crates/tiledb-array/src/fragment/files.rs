//! File names of a fragment.

use super::special;
use crate::schema::Field;
use tiledb_core::error::{Error, ErrorKind};
use tiledb_core::types::FormatVersion;
use tiledb_storage::vfs::{Uri, Vfs};

/// The part of a field that a file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldPart {
    /// The values of a fixed-size field, the offsets of a variable one.
    Data,
    /// The values of a variable field.
    Var,
    /// Which cells are valid.
    Validity,
}

impl FieldPart {
    /// The parts that a fragment stores of a field.
    pub fn of(field: &Field) -> impl Iterator<Item = FieldPart> + use<> {
        let parts = [(FieldPart::Data, true), (FieldPart::Var, field.is_var()), (FieldPart::Validity, field.nullable)];
        parts.into_iter().filter(|part| part.1).map(|part| part.0)
    }

    fn suffix(self) -> &'static str {
        match self {
            FieldPart::Data => ".tdb",
            FieldPart::Var => "_var.tdb",
            FieldPart::Validity => "_validity.tdb",
        }
    }
}

/// The file of the fragment's metadata.
pub const METADATA_FILE: &str = "__fragment_metadata.tdb";

/// The name of the file that holds a part of a field in a fragment of `version`.
pub fn file_name(version: FormatVersion, field: &Field, part: FieldPart) -> String {
    let mut name = if version.has_positional_file_names() {
        positional_name(field)
    } else if field.is_dimension && !version.has_dimension_files() {
        "__coords".to_owned()
    } else if version.has_escaped_file_names() {
        escaped(&field.name)
    } else {
        field.name.to_string()
    };
    name.push_str(part.suffix());
    name
}

fn positional_name(field: &Field) -> String {
    match (field.attribute_index, field.dimension_index, field.name.as_str()) {
        (Some(attribute), ..) => format!("a{attribute}"),
        (None, Some(dimension), _) => format!("d{dimension}"),
        (None, None, special::TIMESTAMPS) => "t".to_owned(),
        (None, None, special::DELETE_TIMESTAMPS) => "dt".to_owned(),
        (None, None, _) => "dci".to_owned(),
    }
}

/// Escapes of format version 8; the first four codes are wrong, but are those on disk.
fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '<' => escaped.push_str("%20"),
            '>' => escaped.push_str("%2D"),
            '\\' => escaped.push_str("%30"),
            '|' => escaped.push_str("%3C"),
            '!'..=',' | '/' | ':' | ';' | '=' | '?' | '@' | '[' | ']' => {
                escaped.push_str(&format!("%{:02X}", c as u32));
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Explains a missing metadata file, if the error is about one.
#[cold]
pub(super) fn removed(error: Error) -> Error {
    match error.kind() {
        ErrorKind::NotFound => error.context(
            "The fragment is gone: a vacuum or a deletion removed it since the array was opened; open the array again",
        ),
        _ => error,
    }
}

/// Explains a missing data file of a fragment, if the error is about one: the fragment was removed, or it is incomplete
/// if its metadata exist.
#[cold]
pub(super) fn explain_missing(error: Error, vfs: &Vfs, fragment: &Uri, file: &str) -> Error {
    if error.kind() != ErrorKind::NotFound || !vfs.is_file(&fragment.join(METADATA_FILE)).unwrap_or(false) {
        return removed(error);
    }
    error.context(format_args!(
        "Fragment '{fragment}' is incomplete: its file '{file}' is missing; restore it from a copy of the array"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_version_8() {
        assert_eq!(escaped("a b_c-1.x"), "a b_c-1.x");
        assert_eq!(escaped("x/y?z"), "x%2Fy%3Fz");
        assert_eq!(escaped("<>\\|"), "%20%2D%30%3C");
        assert_eq!(escaped("!\"#$%&'()*+,"), "%21%22%23%24%25%26%27%28%29%2A%2B%2C");
        assert_eq!(escaped(":;=@[]"), "%3A%3B%3D%40%5B%5D");
    }
}
