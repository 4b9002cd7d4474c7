//! Common code of all serialization functions.

use super::boundary::CEnum;
use super::context_object::Context;
use super::enums::tiledb_serialization_type_t;
use tiledb_core::error::{Result, bail};
use tiledb_rest::serialization::{Deserializer, SerializationType};

/// The form of a message; `doing` says what it is for.
///
/// # Errors
/// For a number that names none.
pub(super) fn form_of(form: CEnum<tiledb_serialization_type_t>, doing: &str) -> Result<SerializationType> {
    match SerializationType::from_number(form.number()) {
        Some(form) => Ok(form),
        None => bail!("[TileDB::Serialization] Error: Error {doing}; Unknown serialization type passed"),
    }
}

/// How a message is read in this context.
///
/// # Errors
/// As [`form_of`].
pub(super) fn reading_of(
    context: &Context,
    form: CEnum<tiledb_serialization_type_t>,
    doing: &str,
) -> Result<Deserializer> {
    Deserializer::new(form_of(form, doing)?, context.resources().config())
}
