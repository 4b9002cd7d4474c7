//! Numbers in JSON.

use super::super::field::FieldKind;

/// A float as libtiledb writes it: fifteen digits, seventeen where these are not enough.
pub(super) fn float(value: f64) -> String {
    let short = digits(value, 15);
    if short.parse() == Ok(value) { short } else { digits(value, 17) }
}

/// A float with at most this many digits; very small and large ones with an exponent.
fn digits(value: f64, count: usize) -> String {
    let scientific = format!("{value:.*e}", count - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let power: i32 = exponent.parse().unwrap_or_default();
    if (-4..count as i32).contains(&power) {
        return trimmed(&format!("{value:.*}", (count as i32 - 1 - power) as usize)).to_owned();
    }
    let sign = if power < 0 { "-" } else { "" };
    format!("{}e{sign}{:02}", trimmed(mantissa), power.unsigned_abs())
}

/// Without trailing zeroes in the fraction.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// The bits of an integer, if it is of this kind.
pub(super) fn integer(kind: FieldKind, value: i128) -> Option<u64> {
    let bits = kind.bits()?;
    let signed = matches!(kind, FieldKind::Int8 | FieldKind::Int16 | FieldKind::Int32 | FieldKind::Int64);
    let (low, high) = if signed { (-(1 << (bits - 1)), 1 << (bits - 1)) } else { (0, 1 << bits) };
    (low..high).contains(&value).then_some(value as u64 & (u64::MAX >> (64 - bits)))
}

/// The bits of a number, if it is of this kind.
pub(super) fn number(kind: FieldKind, value: f64) -> Option<u64> {
    match kind {
        FieldKind::Float32 => Some(u64::from((value as f32).to_bits())),
        FieldKind::Float64 => Some(value.to_bits()),
        FieldKind::Void | FieldKind::Bool => None,
        _ if value.fract() == 0.0 && value.abs() <= 2f64.powi(64) => integer(kind, value as i128),
        _ => None,
    }
}

/// The bits of a number as JSON writes it, if it is of this kind.
pub(super) fn parsed(kind: FieldKind, text: &str) -> Option<u64> {
    if !text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        return None;
    }
    match text.parse::<i128>() {
        Ok(value) if !matches!(kind, FieldKind::Float32 | FieldKind::Float64) => integer(kind, value),
        _ => number(kind, text.parse().ok()?),
    }
}

/// The bits of a number in a string, if it is of this kind.
pub(super) fn text(kind: FieldKind, text: &str) -> Option<u64> {
    match kind {
        FieldKind::Float32 | FieldKind::Float64 => number(kind, text.parse().ok()?),
        FieldKind::Enum(names) => names.iter().position(|name| *name == text).map(|index| index as u64),
        FieldKind::Void | FieldKind::Bool => None,
        _ => integer(kind, text.parse().ok()?),
    }
}
