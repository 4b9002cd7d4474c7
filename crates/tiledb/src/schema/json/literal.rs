//! Values as JSON from which exactly the same bytes are made again.

use serde_json::{Value as Json, json};

use crate::datatype::Datatype;
use crate::datetime;
use crate::error::{Error, Result};
use crate::value::{Value, hexadecimal};

/// The key of bytes that no other literal spells.
const HEX: &str = "hex";

/// Whether the values are texts or bytes, of which a cell has any number.
pub(super) fn is_text_or_bytes(datatype: Datatype) -> bool {
    datatype.is_string() || datatype.engine().is_opaque()
}

/// The datatype of the extents of tiles: of dates a number of units.
pub(super) fn extent_datatype(datatype: Datatype) -> Datatype {
    if datatype.is_datetime() { Datatype::Int64 } else { datatype }
}

/// A value, or all values of a cell, as JSON: numbers, texts, dates as texts, lists of several values; other bytes as
/// `{"hex": "0x..."}`.
pub(super) fn literal(datatype: Datatype, bytes: &[u8]) -> Json {
    let size = datatype.size();
    let plain = if is_text_or_bytes(datatype) {
        match Value::from_bytes(datatype, bytes) {
            Value::Text(text) => Some(text.into()),
            _ => None,
        }
    } else if bytes.len() == size {
        Some(number_literal(datatype, bytes))
    } else {
        Some(bytes.chunks_exact(size).map(|value| number_literal(datatype, value)).collect())
    };
    let is_exact = |json: &Json| parse_literal(datatype, json).is_ok_and(|parsed| parsed == bytes);
    plain.filter(is_exact).unwrap_or_else(|| json!({ HEX: Value::Bytes(bytes.to_vec()).to_string() }))
}

fn number_literal(datatype: Datatype, bytes: &[u8]) -> Json {
    match Value::from_bytes(datatype, bytes) {
        Value::Int(units) if datatype.is_datetime() => datetime::format(datatype, units).into(),
        Value::Int(number) => number.into(),
        Value::Unsigned(number) => number.into(),
        Value::Bool(value) => value.into(),
        Value::Float(number) => {
            // The shortest text of a short number is not that of the long one.
            let text = if datatype.size() == 4 { (number as f32).to_string() } else { number.to_string() };
            // JSON numbers are read with a small error by some programs, and there are none for infinity.
            let json = text.parse::<f64>().map_or(Json::Null, Json::from);
            let is_exact = parse_literal(datatype, &json).is_ok_and(|parsed| parsed == bytes);
            if is_exact { json } else { text.into() }
        }
        _ => Json::Null,
    }
}

/// The bytes of a literal.
///
/// # Errors
/// For a literal that is no value of the datatype.
pub(super) fn parse_literal(datatype: Datatype, json: &Json) -> Result<Vec<u8>> {
    let wrong = || Error::schema(format!("{json} is no value of datatype {datatype}"));
    match json {
        Json::String(text) => parse_text(datatype, text),
        Json::Number(number) => parse_text(datatype, &number.to_string()),
        Json::Bool(value) => parse_text(datatype, &value.to_string()),
        Json::Array(values) if !is_text_or_bytes(datatype) => {
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

fn parse_text(datatype: Datatype, text: &str) -> Result<Vec<u8>> {
    let is_opaque = datatype.engine().is_opaque() && datatype != Datatype::GeomWkt;
    if let (true, Some(bytes)) = (is_opaque, hexadecimal(text)) {
        return Ok(bytes);
    }
    Value::from(text)
        .to_bytes(datatype)
        .map_err(|_| Error::schema(format!("{text:?} is no value of datatype {datatype}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_every_datatype_come_back() {
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
