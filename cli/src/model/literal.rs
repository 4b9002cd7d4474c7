//! Values as JSON from which exactly the same bytes are made again.

use serde_json::{Value as Json, json};
use tiledb::Datatype;

use super::datatype::{DatatypeExt, DatatypeKind};
use super::error::{Error, Result};
use super::value::{Value, hexadecimal};

/// The key of bytes that no other literal spells.
const HEX: &str = "hex";

/// A value, or all values of a cell, as JSON: numbers, texts, dates as texts, lists of several values; other bytes as
/// `{"hex": "0x..."}`.
pub fn literal(datatype: Datatype, bytes: &[u8]) -> Json {
    let size = datatype.size();
    let plain = match datatype.kind() {
        DatatypeKind::Text(_) => text_literal(datatype, bytes),
        DatatypeKind::Bytes => None,
        _ if bytes.len() == size => Some(number_literal(datatype, bytes)),
        _ => Some(bytes.chunks_exact(size).map(|value| number_literal(datatype, value)).collect()),
    };
    plain.filter(|json| parse_literal(datatype, json).is_ok_and(|parsed| parsed == bytes)).unwrap_or_else(|| hex(bytes))
}

fn hex(bytes: &[u8]) -> Json {
    json!({ HEX: Value::Bytes(bytes.to_vec()).to_string() })
}

fn text_literal(datatype: Datatype, bytes: &[u8]) -> Option<Json> {
    match Value::of_bytes(datatype, bytes) {
        Value::Text(text) => Some(text.into()),
        _ => None,
    }
}

fn number_literal(datatype: Datatype, bytes: &[u8]) -> Json {
    match Value::of_bytes(datatype, bytes) {
        // JSON numbers are read with a small error by some programs, and there are none for infinity.
        value @ (Value::Real(_) | Value::Short(_)) => {
            let json = value.json();
            let is_exact = parse_literal(datatype, &json).is_ok_and(|parsed| parsed == bytes);
            if is_exact { json } else { value.to_string().into() }
        }
        value => value.json(),
    }
}

/// The bytes of a literal.
///
/// # Errors
/// For a literal that is no value of the datatype.
pub fn parse_literal(datatype: Datatype, json: &Json) -> Result<Vec<u8>> {
    let wrong = || Error::usage(format!("{json} is no value of datatype {datatype}"));
    match json {
        Json::String(text) => Value::parse(datatype, text),
        Json::Number(number) => Value::parse(datatype, &number.to_string()),
        Json::Bool(value) => Value::parse(datatype, &value.to_string()),
        Json::Array(values) if !datatype.is_text() => {
            let values = values.iter().map(|value| match value {
                Json::Array(_) => Err(wrong()),
                value => parse_literal(datatype, value),
            });
            Ok(values.collect::<Result<Vec<_>>>()?.concat())
        }
        Json::Object(object) if object.len() == 1 => {
            let bytes = object.get(HEX).and_then(Json::as_str).and_then(hexadecimal).ok_or_else(wrong)?;
            if bytes.len().is_multiple_of(datatype.size()) { Ok(bytes) } else { Err(wrong()) }
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at once")]
    use super::*;

    #[test]
    fn every_value_comes_back() {
        let patterns =
            [0_u64, 1, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, u64::MAX, 0x3ff1_9999_9999_999a, 0x4141_4141];
        for &datatype in Datatype::ALL {
            for pattern in patterns {
                for count in [1, 3] {
                    let bytes = pattern.to_le_bytes()[..datatype.size()].repeat(count);
                    let json = literal(datatype, &bytes);
                    let text = serde_json::from_str(&json.to_string()).unwrap();
                    assert_eq!(parse_literal(datatype, &text).unwrap(), bytes, "{datatype:?} {json}");
                }
            }
        }
        for text in ["", "0x41", "ä\u{202e}\0"] {
            assert_eq!(literal(Datatype::StringUtf8, text.as_bytes()), text);
        }
        assert_eq!(literal(Datatype::StringUtf8, &[0xff])["hex"], "0xff");
    }

    #[test]
    fn literals_of_another_datatype_are_errors() {
        for (datatype, text) in [
            (Datatype::Int8, "128"),
            (Datatype::Int32, "1.5"),
            (Datatype::Int32, "null"),
            (Datatype::Int32, "[[1]]"),
            (Datatype::Uint64, "-1"),
            (Datatype::Int32, r#"{"hex": "0x4142"}"#),
            (Datatype::Int32, r#"{"hex": "0x4"}"#),
            (Datatype::Int32, r#"{"HEX": "0x41424344"}"#),
            (Datatype::StringUtf8, "[1]"),
            (Datatype::Bool, "2"),
        ] {
            assert!(parse_literal(datatype, &serde_json::from_str(text).unwrap()).is_err(), "{text}");
        }
    }
}
