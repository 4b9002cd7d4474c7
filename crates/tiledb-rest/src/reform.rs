//! Messages from one form to the other, by the name of their struct: for programs that stand in for a server, which read what no
//! C function does.

use super::describe;
use super::message::{Limits, Message, Struct};
use tiledb_core::error::{Result, bail};

/// A message as JSON.
///
/// # Errors
/// If it is none of that struct, or the name is unknown.
pub fn to_json(root: &str, message: &[u8]) -> Result<Vec<u8>> {
    struct ToJson<'a>(&'a [u8]);
    impl Reform for ToJson<'_> {
        fn run<T: Struct>(&self) -> Result<Vec<u8>> {
            Ok(Message::read(self.0, Limits::default())?.json::<T>()?.into_bytes())
        }
    }
    of_name(root, &ToJson(message))
}

/// A message out of JSON.
///
/// # Errors
/// As [`to_json`].
pub fn of_json(root: &str, text: &str) -> Result<Vec<u8>> {
    struct OfJson<'a>(&'a str);
    impl Reform for OfJson<'_> {
        fn run<T: Struct>(&self) -> Result<Vec<u8>> {
            Ok(Message::parse::<T>(self.0.as_bytes(), Limits::default())?.bytes().to_vec())
        }
    }
    of_name(root, &OfJson(text))
}

trait Reform {
    fn run<T: Struct>(&self) -> Result<Vec<u8>>;
}

fn of_name(name: &str, reform: &impl Reform) -> Result<Vec<u8>> {
    match name {
        "ArrayOpen" => reform.run::<describe::ArrayOpen>(),
        "ArrayConsolidationRequest" => reform.run::<describe::ArrayConsolidationRequest>(),
        "ArrayVacuumRequest" => reform.run::<describe::ArrayVacuumRequest>(),
        "GroupUpdate" => reform.run::<describe::GroupUpdate>(),
        "GroupMetadata" => reform.run::<describe::GroupMetadata>(),
        "GroupDetails" => reform.run::<describe::GroupDetails>(),
        "RestCapabilities" => reform.run::<describe::RestCapabilities>(),
        _ => bail!("No message is called '{name}' here"),
    }
}
