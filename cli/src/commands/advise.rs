//! `advise`: recommended filters of an array, and what they gain.

use serde_json::{Value as Json, json};

use crate::args::{Advise, CommonOptions};
use crate::output;
use crate::progress::Progress;
use crate::tiledb::{Advice, Error, ObjectType, Result, advise, object_type};

/// Prints recommended filters.
pub fn run(common: &CommonOptions, arguments: &Advise) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.uri);
    if object_type(&ctx, uri)? != ObjectType::Array {
        return Err(Error::failed(format!("{uri} is no array")));
    }
    let progress = Progress::of_look(&ctx, "encoding samples")?;
    let (all, _) = progress.end(advise(&ctx, uri, arguments.profile.objective()))?;
    if common.json {
        return output::json(&all.iter().map(to_json).collect());
    }
    let headings = ["FIELD", "FILTERS", "RECOMMENDED", ">SIZE", ">THEN", ">DECODE", ">THEN", "REASON"];
    output::table(&headings, &all.iter().map(row).collect::<Vec<_>>())?;
    let [now, then] = [0, 1].map(|index| {
        let bytes: u64 = all.iter().map(|one| one.bytes[index]).sum();
        let nanoseconds: u64 = all.iter().map(|one| one.nanoseconds[index]).sum();
        format!("{}, {} to decode", output::bytes(bytes), milliseconds(nanoseconds))
    });
    output::line("")?;
    output::line(&format!("estimated for all cells: {now}; with the recommended filters {then}"))
}

/// What the filters are for.
fn name(advice: &Advice) -> &str {
    match (&advice.field, advice.part) {
        (Some(field), _) => field,
        (None, 1) => "(offsets)",
        (None, _) => "(validity)",
    }
}

fn reason(advice: &Advice) -> &'static str {
    ["better", "no other is better", "chosen by the user", "no cells"]
        .get(advice.reason as usize)
        .copied()
        .unwrap_or("other")
}

fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.1} ms", nanoseconds as f64 / 1e6)
}

fn row(advice: &Advice) -> Vec<String> {
    let filters = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
    let recommended = if advice.reason == 0 { filters(&advice.recommended) } else { "=".to_owned() };
    let [now, then] = advice.bytes.map(output::bytes);
    let [decode, decode_then] = advice.nanoseconds.map(milliseconds);
    let name = name(advice).to_owned();
    vec![name, filters(&advice.current), recommended, now, then, decode, decode_then, reason(advice).to_owned()]
}

fn to_json(advice: &Advice) -> Json {
    let part = ["values", "offsets", "validity"].get(advice.part as usize).copied().unwrap_or("other");
    let reason = ["better", "current", "chosen", "no_cells"].get(advice.reason as usize).copied().unwrap_or("other");
    json!({
        "part": part,
        "field": advice.field,
        "filters": advice.current,
        "recommended": advice.recommended,
        "reason": reason,
        "bytes": advice.bytes[0],
        "recommended_bytes": advice.bytes[1],
        "decode_nanoseconds": advice.nanoseconds[0],
        "recommended_decode_nanoseconds": advice.nanoseconds[1],
    })
}
