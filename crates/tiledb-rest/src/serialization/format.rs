//! Serialization formats (JSON and Cap'n Proto), and helpers of all conversions.

use crate::encoding::{Builder, Limits, Message, MessageBuilder, Struct, View};
use tiledb_core::config::Config;
use tiledb_core::error::{Error, ErrorKind, Result, bail};

/// Serialization format, as `tiledb_serialization_type_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SerializationType {
    Json,
    /// As Cap'n Proto, unpacked.
    Capnp,
}

impl SerializationType {
    /// From the number of the C enumeration.
    pub fn from_number(number: u32) -> Option<SerializationType> {
        match number {
            0 => Some(SerializationType::Json),
            1 => Some(SerializationType::Capnp),
            _ => None,
        }
    }

    /// Serializes a message.
    ///
    /// # Errors
    /// If `fill` fails or memory does not suffice.
    pub fn write<T: Struct>(self, fill: impl FnOnce(&mut Builder<'_, T>) -> Result<()>) -> Result<Vec<u8>> {
        let mut out = MessageBuilder::new();
        fill(&mut out.root::<T>()?)?;
        match self {
            SerializationType::Capnp => Ok(out.capnp()),
            SerializationType::Json => Ok(out.json::<T>()?.into_bytes()),
        }
    }
}

/// Deserializes messages of a format within limits.
#[derive(Clone, Copy, Debug)]
pub struct Deserializer {
    form: SerializationType,
    limits: Limits,
}

impl Deserializer {
    /// With the limits of a configuration.
    ///
    /// # Errors
    /// If the limit is no number.
    pub fn new(form: SerializationType, config: &Config) -> Result<Deserializer> {
        let bytes = config.u64("rest.capnp_traversal_limit")?;
        Ok(Deserializer { form, limits: Limits { bytes, ..Limits::default() } })
    }

    pub fn form(&self) -> SerializationType {
        self.form
    }

    /// The Cap'n Proto message at the start of the bytes.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn message(self, bytes: &[u8]) -> Result<Message<'_>> {
        Message::read(bytes, self.limits)
    }

    /// Deserializes a message; `see` reads it.
    ///
    /// # Errors
    /// If the bytes are no such message, or as `see`.
    pub fn read<T: Struct, R>(self, bytes: &[u8], see: impl FnOnce(View<'_, T>) -> Result<R>) -> Result<R> {
        let message = match self.form {
            SerializationType::Capnp => Message::read(bytes, self.limits)?,
            SerializationType::Json => Message::parse::<T>(bytes, self.limits)?,
        };
        see(message.root::<T>()?)
    }
}

/// Adds the operation to an error: `deserializing array schema`.
pub fn while_doing(what: &'static str) -> impl Fn(Error) -> Error {
    move |error| match error.kind() {
        ErrorKind::OutOfMemory | ErrorKind::Cancelled => error,
        _ => error.prefixed(&format!("[TileDB::Serialization] Error: Error {what}; ")),
    }
}

/// A required field.
///
/// # Errors
/// If it is not; `name` says what.
pub fn required<T>(name: &str, value: Option<T>) -> Result<T> {
    match value {
        Some(value) => Ok(value),
        None => bail!(Corrupt, "{name}: nothing is there"),
    }
}

/// Adds the field to an error.
pub(super) fn in_field(name: &'static str) -> impl Fn(Error) -> Error {
    move |error| error.prefixed(": ").prefixed(name)
}
