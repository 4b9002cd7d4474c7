//! Maps the values of a dimension to positions on an axis: numbers unchanged, dates in milliseconds, strings by their rank.

use serde_json::{Value as Json, json};
use tiledb::Datatype;

use crate::model::{DatatypeExt, Dimension, Unit, Value};

/// Maximum number of labelled strings; of more, every n-th is labelled.
const NAMED: usize = 2000;
/// Letters of a name.
const LETTERS: usize = 40;

/// An axis of the picture, for one dimension.
pub(super) struct Axis {
    datatype: Datatype,
    /// All texts that bound something, in order.
    texts: Option<Vec<String>>,
}

impl Axis {
    /// The axis of a dimension with these values.
    pub(super) fn new<'a>(dimension: &Dimension, values: impl Iterator<Item = &'a Value>) -> Self {
        let texts = dimension.is_var().then(|| {
            let mut texts: Vec<String> = values.map(Value::to_string).collect();
            texts.sort_unstable();
            texts.dedup();
            texts
        });
        Self { datatype: dimension.datatype, texts }
    }

    /// The position of a value.
    pub(super) fn place(&self, value: &Value) -> f64 {
        match &self.texts {
            Some(texts) => texts.partition_point(|text| *text < value.to_string()) as f64,
            None => in_milliseconds(self.datatype, value.number().unwrap_or(0.0)),
        }
    }

    /// The axis as JSON.
    pub(super) fn json(&self, dimension: &Dimension) -> Json {
        let kind = match (&self.texts, self.datatype.unit()) {
            (Some(_), _) => "text",
            (None, Some(_)) => "date",
            (None, None) => "number",
        };
        let number = |value: &Value| value.number().map(|units| in_milliseconds(self.datatype, units));
        let domain = dimension.domain.as_ref().map(|(low, high)| [self.place(low), self.place(high)]);
        let extent = dimension.extent.as_ref().and_then(number);
        let labels = self.texts.as_ref().map(|texts| {
            let step = texts.len().div_ceil(NAMED).max(1);
            let short = |text: &String| text.chars().take(LETTERS).collect::<String>();
            texts.iter().enumerate().step_by(step).map(|(at, text)| json!([at, short(text)])).collect::<Json>()
        });
        let whole = !matches!(dimension.domain, Some((Value::Real(_) | Value::Short(_), _)));
        json!({
            "name": dimension.name, "type": dimension.datatype.to_string(), "kind": kind, "domain": domain,
            "extent": extent, "labels": labels, "whole": whole && kind == "number",
        })
    }
}

/// Units of a date as milliseconds; other numbers as they are.
fn in_milliseconds(datatype: Datatype, units: f64) -> f64 {
    const DAY: f64 = 86_400_000.0;
    match datatype.unit() {
        Some(Unit::Years) => units * 365.2425 * DAY,
        Some(Unit::Months) => units * 30.436_875 * DAY,
        Some(Unit::Seconds(seconds)) => units * seconds as f64 * 1000.0,
        Some(Unit::Digits(digits)) => units / 10_f64.powi(digits as i32 - 3),
        None => units,
    }
}
