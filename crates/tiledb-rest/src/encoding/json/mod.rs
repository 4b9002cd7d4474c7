//! Messages as JSON, by the same schema definitions: 64-bit integers as strings, bytes as lists of numbers, null
//! pointers omitted.

mod number;
mod parse;
mod render;
mod scan;

use tiledb_core::error::{Error, Result};

use super::build::MessageBuilder;
use super::field::Struct;
use super::segments::{Limits, Message};

impl Message<'_> {
    /// Parses a message with the root struct `T`.
    ///
    /// # Errors
    /// The text is no JSON, or a field is not what it should be; or it has none of the fields of a `T`, but others.
    pub(crate) fn parse<T: Struct>(text: &[u8], limits: Limits) -> Result<Message<'static>> {
        // Input from C may end with a NUL.
        let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let text = std::str::from_utf8(text.get(..end).unwrap_or_default());
        let text = text.map_err(|_| Error::corrupt(format!("{}: the JSON is no UTF-8", T::SPEC.name)))?;
        Message::read(parse::parse(text, T::SPEC, limits)?, limits)
    }

    /// The message, whose root is a `T`, as JSON.
    ///
    /// # Errors
    /// If the message is invalid, or memory does not suffice.
    pub(crate) fn json<T: Struct>(&self) -> Result<String> {
        render::render(self.raw_root(T::SPEC)?)
    }
}

impl MessageBuilder {
    /// The message, whose root is a `T`, as JSON.
    ///
    /// # Errors
    /// It is nested deeper than messages may be, or there is not enough memory.
    pub(crate) fn json<T: Struct>(self) -> Result<String> {
        Message::read(self.capnp(), Limits { bytes: u64::MAX, ..Limits::default() })?.json::<T>()
    }
}

#[cfg(test)]
mod tests;
