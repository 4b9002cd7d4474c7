//! `advise`: the recommended schema of an array, and what it gains.

use serde_json::{Value as Json, json};
use tiledb::Context;
use tiledb::maintenance::AdviceReason;

use crate::args::{Advise, CommonOptions};
use crate::model::{Advice, Expected, ObjectType, Property, Result, absent, advise, object_type};
use crate::output;
use crate::progress::Progress;

/// Prints recommendations.
pub(super) fn run(common: &CommonOptions, arguments: &Advise) -> Result<()> {
    let mut parameters = common.parameters()?.to_builder();
    if let Some(cells) = arguments.query_cells {
        parameters = parameters.set("sm.advise.slice_cells", cells);
    }
    if !arguments.query_sides.is_empty() {
        parameters = parameters.set("sm.advise.slice_sides", arguments.query_sides.join(";"));
    }
    let (ctx, uri) = (Context::with_config(parameters.build()?)?, &arguments.uri);
    if object_type(&ctx, uri)? != ObjectType::Array {
        return Err(absent(&ctx, uri, Expected::Array));
    }
    let progress = Progress::of_look(&ctx, "encoding samples")?;
    let (all, _) = progress.end(advise(&ctx, uri, arguments.profile.objective()))?;
    if common.json {
        return output::json(&all.iter().map(to_json).collect());
    }
    let (filters, others): (Vec<&Advice>, Vec<&Advice>) = all.iter().partition(|advice| advice.is_of_filters());
    let headings = ["FIELD", "FILTERS", "RECOMMENDED", ">SIZE", ">NEW SIZE", ">DECODE", ">NEW DECODE", "REASON"];
    output::table(&headings, &filters.iter().map(|advice| row(advice)).collect::<Vec<_>>())?;
    let [now, then] = [0, 1].map(|index| {
        let bytes: u64 = filters.iter().map(|one| one.bytes[index]).sum();
        let nanoseconds: u64 = filters.iter().map(|one| one.nanoseconds[index]).sum();
        format!("{}, {} to decode", output::bytes(bytes), milliseconds(nanoseconds))
    });
    output::line("")?;
    output::line(&format!("estimated for all cells: {now}; with the recommended filters {then}"))?;
    if others.is_empty() {
        return Ok(());
    }
    output::line("")?;
    let headings = ["PROPERTY", "CURRENT", "RECOMMENDED", ">SIZE", ">NEW SIZE", ">TIME", ">NEW TIME", "REASON"];
    output::table(&headings, &others.iter().map(|advice| row(advice)).collect::<Vec<_>>())?;
    output::line("")?;
    output::line("with the recommended filters: sizes of the array or the attribute, times of a typical query")
}

/// What the recommendation is for.
fn name(advice: &Advice) -> String {
    match (&advice.field, advice.property) {
        (Some(field), Property::Enumeration) => format!("enumeration of {field}"),
        (Some(field), Property::Nullability) => format!("nulls of {field}"),
        (Some(field), _) => field.clone(),
        (None, Property::Filters | Property::OffsetsFilters | Property::ValidityFilters) => {
            format!("({})", property(advice))
        }
        (None, _) => property(advice).replace('_', " "),
    }
}

fn property(advice: &Advice) -> &'static str {
    match advice.property {
        Property::Filters => "values",
        Property::OffsetsFilters => "offsets",
        Property::ValidityFilters => "validity",
        Property::Capacity => "capacity",
        Property::CellOrder => "cell_order",
        Property::TileExtents => "tile_extents",
        Property::ArrayType => "array_type",
        Property::Enumeration => "enumeration",
        _ => "nullability",
    }
}

fn reason(advice: &Advice) -> &'static str {
    match advice.reason {
        AdviceReason::Better => "better",
        AdviceReason::Current => "no other is better",
        AdviceReason::Chosen => "chosen by the user",
        AdviceReason::NoCells => "no cells",
        AdviceReason::NoNulls => "no nulls found",
        _ => "other",
    }
}

fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.1} ms", nanoseconds as f64 / 1e6)
}

fn row(advice: &Advice) -> Vec<String> {
    let value = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
    let recommended = match advice.reason {
        AdviceReason::Better | AdviceReason::NoNulls => value(&advice.recommended),
        _ => "=".to_owned(),
    };
    let mut costs = [[String::new(), String::new()], [String::new(), String::new()]];
    if advice.property != Property::Nullability {
        costs = [advice.bytes.map(output::bytes), advice.nanoseconds.map(milliseconds)];
    }
    if advice.property == Property::ArrayType {
        // Not modeled.
        costs[1] = [String::new(), String::new()];
    }
    let [[now, then], [time, time_then]] = costs;
    vec![name(advice), value(&advice.current), recommended, now, then, time, time_then, reason(advice).to_owned()]
}

fn to_json(advice: &Advice) -> Json {
    let reason = match advice.reason {
        AdviceReason::Better => "better",
        AdviceReason::Current => "current",
        AdviceReason::Chosen => "chosen",
        AdviceReason::NoCells => "no_cells",
        AdviceReason::NoNulls => "no_nulls",
        _ => "other",
    };
    json!({
        "property": property(advice),
        "field": advice.field,
        "current": advice.current,
        "recommended": advice.recommended,
        "reason": reason,
        "bytes": advice.bytes[0],
        "recommended_bytes": advice.bytes[1],
        "nanoseconds": advice.nanoseconds[0],
        "recommended_nanoseconds": advice.nanoseconds[1],
    })
}
