//! Messages to JSON and back.

use super::*;
use crate::encoding::tests::{random, samples};
use crate::encoding::{FieldKind, Spec};
use crate::messages::*;

/// What the manifest names as a sample's content in JSON.
fn twin(name: &str) -> Option<String> {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/serialized");
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.tsv")).unwrap();
    let twin = manifest.lines().find(|row| row.starts_with(name)).and_then(|row| row.split('\t').nth(2)).unwrap();
    (!twin.is_empty()).then(|| std::fs::read_to_string(folder.join(twin)).unwrap())
}

fn render(spec: &'static Spec, message: &[u8]) -> Result<String> {
    render::render(Message::read(message, Limits::default())?.raw_root(spec)?)
}

#[test]
fn samples_are_printed_as_the_recorded_json() {
    let mut compared = 0;
    for (name, spec, bytes) in samples() {
        let Some(twin) = twin(&name) else { continue };
        assert_eq!(render(spec, &bytes).unwrap(), twin.trim_end(), "{name}");
        compared += 1;
    }
    assert!(compared >= 27, "{compared}");
}

#[test]
fn all_samples_come_back_from_json() {
    for (name, spec, bytes) in samples() {
        let json = render(spec, &bytes).unwrap();
        let message = parse::parse(&json, spec, Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(render(spec, &message).unwrap(), json, "{name}");
    }
}

#[test]
fn floats_are_written_as_libtiledb_does() {
    let cases = [
        (0.1, "0.1"),
        (1e15, "1e15"),
        (1e14, "100000000000000"),
        (123456789012345678.0, "1.2345678901234568e17"),
        (1e-5, "1e-05"),
        (0.0001, "0.0001"),
        (1e300, "1e300"),
        (-1e-300, "-1e-300"),
        (-0.0, "-0"),
        (100000.0, "100000"),
        (0.30000000000000004, "0.30000000000000004"),
        (4.9e-324, "4.94065645841247e-324"),
        (-1234567.125, "-1234567.125"),
        (-2.5e-07, "-2.5e-07"),
        (f64::from(0.7f32), "0.699999988079071"),
        (f64::from(0.1f32), "0.10000000149011612"),
    ];
    for (value, text) in cases {
        assert_eq!(number::float(value), text);
        assert_eq!(number::parsed(FieldKind::Float64, text), Some(value.to_bits()));
    }
}

fn error<T: Struct>(json: &str) -> String {
    let message = Message::parse::<T>(json.as_bytes(), Limits { bytes: 1 << 20, depth: 64 });
    message.err().unwrap_or_else(|| panic!("{json} is read")).text().to_owned()
}

#[test]
fn invalid_json_fails_with_its_cause() {
    let cases = [
        ("", "Config: `{` is expected at byte 0 of the JSON"),
        ("[]", "Config: `{` is expected at byte 0 of the JSON"),
        ("{\"entries\":5}", "Config: entries: `[` is expected at byte 11 of the JSON"),
        ("{\"entries\":[{\"key\":5}]}", "Config: entries: key: `\"` is expected at byte 19 of the JSON"),
        ("{\"entries\":[],}", "Config: nothing follows the comma at byte 14 of the JSON"),
        ("{\"entries\":[]} x", "Config: something follows the message at byte 15 of the JSON"),
        ("{\"arrayType\":[{}]}", "Config: the JSON is of something else; it holds `arrayType` and none of the fields"),
        ("{\"entries\":[{\"key\":\"a", "Config: entries: key: the string is not ended at byte 21 of the JSON"),
    ];
    for (json, text) in cases {
        assert_eq!(error::<Config>(json), text, "{json}");
    }
    let number = "a number of the field's type is expected";
    for json in ["{\"cellValNum\":-1}", "{\"cellValNum\":4294967296}", "{\"cellValNum\":1.5}", "{\"cellValNum\":true}"]
    {
        assert!(error::<Attribute>(json).starts_with(&format!("Attribute: cellValNum: {number}")), "{json}");
    }
    assert!(error::<Attribute>("{\"nullable\":1}").contains("nullable: true or false is expected"));
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(200), close.repeat(200));
    assert!(error::<ASTNode>(&deep("{\"children\":[", "]}")).contains("more than 64 deep"));
    assert!(error::<ASTNode>(&format!("{{\"x\":{}}}", deep("[", "]"))).contains("too deep"));
    let many = format!("{{\"tileMinBuffer\":[{}[]]}}", "[],".repeat(200_000));
    assert!(error::<FragmentMetadata>(&many).contains("tileMinBuffer: the message is larger than 1048576 bytes"));
}

#[test]
fn json_of_other_writers_is_read() {
    let read = |json: &str| Message::parse::<Attribute>(json.as_bytes(), Limits::default()).unwrap();
    let json = " { \"cellValNum\" : \"7\" , \"later\":{\"a\":[1,\"\\u0000\",null,true,-1e5]}, \"nullable\":true,\"name\":\"\\u00e9\\ud83d\\ude00\\/\", \"order\":null, \"fillValue\":[255.0,\"1\"] }\0";
    let message = read(json);
    let root = message.root::<Attribute>().unwrap();
    assert_eq!((root.get(Attribute::CELL_VAL_NUM), root.get(Attribute::NULLABLE)), (7, true));
    assert_eq!(root.text(Attribute::NAME).unwrap(), Some("é😀/"));
    assert_eq!(root.text(Attribute::ORDER).unwrap(), None);
    assert_eq!(root.data(Attribute::FILL_VALUE).unwrap(), Some(&[255, 1][..]));
    assert!(read("{}").root::<Attribute>().is_ok());
}

#[test]
fn odd_values_are_shown_and_read() {
    for (value, text) in [(f32::INFINITY, "\"Infinity\""), (f32::NEG_INFINITY, "\"-Infinity\""), (f32::NAN, "\"NaN\"")]
    {
        let mut out = MessageBuilder::new();
        out.root::<WebpConfig>().unwrap().set(WebpConfig::QUALITY, value);
        let json = out.json::<WebpConfig>().unwrap();
        assert!(json.starts_with(&format!("{{\"quality\":{text},")), "{json}");
        let message = Message::parse::<WebpConfig>(json.as_bytes(), Limits::default()).unwrap();
        let back = message.root::<WebpConfig>().unwrap().get(WebpConfig::QUALITY);
        assert!(back == value || back.is_nan() && value.is_nan());
    }
    let mut out = MessageBuilder::new();
    out.root::<ObjectInfoResponse>().unwrap().set(ObjectInfoResponse::OBJECT_TYPE, 1);
    let json = out.json::<ObjectInfoResponse>().unwrap();
    assert_eq!(json, "{\"objectType\":\"group\"}");
    let message = Message::parse::<ObjectInfoResponse>(json.as_bytes(), Limits::default()).unwrap();
    assert_eq!(message.root::<ObjectInfoResponse>().unwrap().get(ObjectInfoResponse::OBJECT_TYPE), 1);
    let mut out = MessageBuilder::new();
    let text = "a\"\\/\x08\x0c\n\r\t\x01\x1f\x7fé<>&'";
    out.root::<KV>().unwrap().set_text(KV::KEY, text).unwrap();
    assert_eq!(out.json::<KV>().unwrap(), "{\"key\":\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7fé<>&'\"}");
}

#[test]
fn changed_json_ends_in_a_message_or_an_error() {
    let mut state = 3;
    for (_, spec, bytes) in samples() {
        let json = render(spec, &bytes).unwrap();
        for _ in 0..300 {
            let mut changed = json.clone().into_bytes();
            let at = random(&mut state) as usize % changed.len();
            match random(&mut state) % 3 {
                0 => changed.truncate(at),
                1 => changed[at] = b"{}[]\",:\\0n-e"[random(&mut state) as usize % 12],
                _ => drop(changed.drain(at..(at + 1 + random(&mut state) as usize % 40).min(json.len()))),
            }
            let text = String::from_utf8_lossy(&changed);
            if let Ok(message) = parse::parse(&text, spec, Limits::default()) {
                render(spec, &message).unwrap();
            }
        }
    }
}
