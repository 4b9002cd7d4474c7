//! Converts messages between Cap'n Proto and JSON by struct name, for test servers that read messages which no C
//! function parses.

use super::encoding::{Limits, Message, Struct};
use super::messages;
use tiledb_core::error::{Result, bail};

/// Converts a message to JSON.
///
/// # Errors
/// If it is none of that struct, or the name is unknown.
pub fn to_json(root: &str, message: &[u8]) -> Result<Vec<u8>> {
    struct ToJson<'a>(&'a [u8]);
    impl Transcoder for ToJson<'_> {
        fn run<T: Struct>(&self) -> Result<Vec<u8>> {
            Ok(Message::read(self.0, Limits::default())?.json::<T>()?.into_bytes())
        }
    }
    of_name(root, &ToJson(message))
}

/// Converts JSON to a message.
///
/// # Errors
/// As [`to_json`].
pub fn from_json(root: &str, text: &str) -> Result<Vec<u8>> {
    struct FromJson<'a>(&'a str);
    impl Transcoder for FromJson<'_> {
        fn run<T: Struct>(&self) -> Result<Vec<u8>> {
            Ok(Message::parse::<T>(self.0.as_bytes(), Limits::default())?.bytes().to_vec())
        }
    }
    of_name(root, &FromJson(text))
}

trait Transcoder {
    fn run<T: Struct>(&self) -> Result<Vec<u8>>;
}

fn of_name(name: &str, transcode: &impl Transcoder) -> Result<Vec<u8>> {
    match name {
        "ArrayOpen" => transcode.run::<messages::ArrayOpen>(),
        "ArrayConsolidationRequest" => transcode.run::<messages::ArrayConsolidationRequest>(),
        "ArrayVacuumRequest" => transcode.run::<messages::ArrayVacuumRequest>(),
        "GroupUpdate" => transcode.run::<messages::GroupUpdate>(),
        "GroupMetadata" => transcode.run::<messages::GroupMetadata>(),
        "GroupDetails" => transcode.run::<messages::GroupDetails>(),
        "RestCapabilities" => transcode.run::<messages::RestCapabilities>(),
        _ => bail!("No message is called '{name}' here"),
    }
}
