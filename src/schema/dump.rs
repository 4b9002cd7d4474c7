//! The text of schemas and their parts, line by line as libtiledb prints it.

use super::{ArraySchema, Attribute, Dimension, DimensionLabel, Domain, Enumeration, EnumerationRef};
use crate::filter::{Filter, Pipeline};
use crate::types::{Cell, CellRange, DataOrder, Datatype, dispatch};
use std::fmt::{self, Display, Write};

impl ArraySchema {
    /// The schema as text, one property per line.
    pub fn dump(&self) -> String {
        Schema(self).to_string()
    }
}

impl Dimension {
    /// The dimension as text, one property per line.
    pub fn dump(&self) -> String {
        let mut text = String::new();
        let _ = write_dimension(&mut text, self);
        text
    }

    /// A range of the dimension as text, such as `[1, 4]`.
    pub fn range_text(&self, range: &CellRange) -> String {
        range_text(self, range)
    }
}

impl Domain {
    /// The dimensions as text.
    pub fn dump(&self) -> String {
        self.dimensions().iter().map(|dimension| format!("\n{}", dimension.dump())).collect()
    }
}

impl Attribute {
    /// The attribute as text, one property per line.
    pub fn dump(&self) -> String {
        let mut text = String::new();
        let _ = write_attribute(&mut text, self);
        text
    }
}

impl Enumeration {
    /// The enumeration as text, one property per line.
    pub fn dump(&self) -> String {
        let mut text = String::new();
        let _ = write_enumeration(&mut text, self);
        text
    }
}

struct Schema<'a>(&'a ArraySchema);

impl Display for Schema<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.0;
        writeln!(f, "- Array type: {}", schema.array_type().name())?;
        writeln!(f, "- Cell order: {}", schema.cell_order().name())?;
        writeln!(f, "- Tile order: {}", schema.tile_order().name())?;
        writeln!(f, "- Capacity: {}", schema.capacity())?;
        writeln!(f, "- Allows duplicates: {}", schema.allows_dups())?;
        write_filters(f, "Coordinates filters", schema.coords_filters())?;
        write_filters(f, "Offsets filters", schema.offsets_filters())?;
        write_filters(f, "Validity filters", schema.validity_filters())?;
        if !schema.domain().is_empty() {
            writeln!(f, "{}", schema.domain().dump())?;
        }
        for attribute in schema.attributes() {
            write_attribute(f, attribute)?;
            f.write_char('\n')?;
        }
        for label in schema.labels() {
            write_label(f, label)?;
            f.write_char('\n')?;
        }
        for enumeration in schema.enumerations() {
            write_enumeration_ref(f, enumeration)?;
            f.write_char('\n')?;
        }
        f.write_str(&schema.current_domain().dump())
    }
}

fn write_dimension(f: &mut impl Write, dimension: &Dimension) -> fmt::Result {
    writeln!(f, "### Dimension ###\n- Name: {}", dimension.name())?;
    writeln!(f, "- Type: {}\n- Cell val num: {}", dimension.datatype().name(), dimension.cell_val_num())?;
    match dimension.domain() {
        Some(domain) => writeln!(f, "- Domain: {}", range_text(dimension, domain))?,
        None => writeln!(f, "- Domain: null")?,
    }
    match dimension.tile_extent() {
        Some(extent) => writeln!(f, "- Tile extent: {}", extent_text(dimension.datatype(), extent))?,
        None => writeln!(f, "- Tile extent: null")?,
    }
    write_filters(f, "Filters", dimension.filters())
}

fn write_attribute(f: &mut impl Write, attribute: &Attribute) -> fmt::Result {
    let (fill, fill_valid) = attribute.fill();
    writeln!(f, "### Attribute ###\n- Name: {}", attribute.name())?;
    writeln!(f, "- Type: {}\n- Nullable: {}", attribute.datatype().name(), attribute.nullable())?;
    writeln!(f, "- Cell val num: {}", attribute.cell_val_num())?;
    write_filters(f, "Filters", attribute.filters())?;
    let values: Vec<String> =
        fill.chunks_exact(attribute.datatype().size()).map(|value| value_text(attribute.datatype(), value)).collect();
    writeln!(f, "- Fill value: {}", values.join(", "))?;
    if attribute.nullable() {
        writeln!(f, "- Fill value validity: {}", u8::from(fill_valid))?;
    }
    if let Some(enumeration) = attribute.enumeration() {
        writeln!(f, "- Enumeration name: {enumeration}")?;
    }
    match attribute.order() {
        DataOrder::Unordered => Ok(()),
        DataOrder::Increasing => writeln!(f, "- Data ordering: increasing"),
        DataOrder::Decreasing => writeln!(f, "- Data ordering: decreasing"),
    }
}

fn write_label(f: &mut impl Write, label: &DimensionLabel) -> fmt::Result {
    writeln!(f, "### Dimension Label ###\n- Dimension Index: {}", label.dimension_index)?;
    writeln!(f, "- Dimension Label Name: {}\n- URI: {}", label.name, label.uri)?;
    // libtiledb prints the label's name here, not the attribute's.
    writeln!(f, "- Label Attribute Name: {}", label.name)?;
    writeln!(f, "- Label Type: {}\n- Label cell val num: {}", label.datatype.name(), label.cell_val_num)
}

fn write_enumeration_ref(f: &mut impl Write, enumeration: &EnumerationRef) -> fmt::Result {
    match enumeration.loaded() {
        Some(loaded) => write_enumeration(f, loaded),
        None => writeln!(f, "### Enumeration ###\n- Name: {}\n- Loaded: false", enumeration.name),
    }
}

fn write_enumeration(f: &mut impl Write, enumeration: &Enumeration) -> fmt::Result {
    writeln!(f, "### Enumeration ###\n- Name: {}", enumeration.name())?;
    writeln!(f, "- Type: {}", enumeration.datatype().name())?;
    writeln!(f, "- Cell Val Num: {}", enumeration.cell_val_num().number())?;
    writeln!(f, "- Ordered: {}\n- Element Count: {}", enumeration.ordered(), enumeration.len())
}

fn write_filters(f: &mut impl Write, title: &str, pipeline: &Pipeline) -> fmt::Result {
    writeln!(f, "- {title}: {}", pipeline.filters().len())?;
    pipeline.filters().iter().try_for_each(|filter| writeln!(f, "  > {}", filter_text(filter)))
}

fn filter_text(filter: &Filter) -> String {
    match *filter {
        Filter::Gzip { level }
        | Filter::Zstd { level }
        | Filter::Lz4 { level }
        | Filter::Rle { level }
        | Filter::Bzip2 { level }
        | Filter::Dictionary { level } => format!("{}: COMPRESSION_LEVEL={level}", filter.kind()),
        Filter::DoubleDelta { level, reinterpret } | Filter::Delta { level, reinterpret } => {
            format!("{}: COMPRESSION_LEVEL={level}, REINTERPRET_DATATYPE={}", filter.kind(), reinterpret.name())
        }
        Filter::BitWidthReduction { max_window } => format!("BitWidthReduction: BIT_WIDTH_MAX_WINDOW={max_window}"),
        Filter::PositiveDelta { max_window } => format!("PositiveDelta: POSITIVE_DELTA_MAX_WINDOW={max_window}"),
        Filter::ScaleFloat { factor, offset, byte_width } => format!(
            "FloatScalingFilter: BYTE_WIDTH={byte_width}, SCALE={}, OFFSET={}",
            float_text(factor),
            float_text(offset)
        ),
        Filter::None => "NoOp".into(),
        Filter::BitShuffle => "BitShuffle".into(),
        Filter::ByteShuffle => "ByteShuffle".into(),
        Filter::Aes256Gcm => "EncryptionAES256GCM".into(),
        Filter::ChecksumMd5 => "ChecksumMD5".into(),
        Filter::ChecksumSha256 => "ChecksumSHA256".into(),
        Filter::Xor => "XORFilter".into(),
        Filter::Webp { .. } => "WebpFilter".into(),
    }
}

/// A range of a dimension, such as `[1, 4]`.
pub(super) fn range_text(dimension: &Dimension, range: &CellRange) -> String {
    if range.is_var() {
        return range.display(dimension.datatype());
    }
    let end = |bytes| number_text(dimension.datatype(), bytes);
    format!("[{}, {}]", end(range.low()), end(range.high()))
}

/// A tile extent; of one byte, it is printed as the character it codes.
fn extent_text(datatype: Datatype, extent: &[u8]) -> String {
    match (datatype, extent) {
        (Datatype::Int8 | Datatype::Uint8, &[byte]) => char::from(byte).to_string(),
        _ => number_text(datatype, extent),
    }
}

fn number_text(datatype: Datatype, bytes: &[u8]) -> String {
    if datatype.is_float() {
        return dispatch!(datatype.physical(), T => float_text(<T as Cell>::from_le(bytes).to_f64()));
    }
    dispatch!(datatype.physical(), T => <T as Cell>::from_le(bytes).to_string())
}

/// One value of a fill value: characters where they can be printed, their code otherwise.
fn value_text(datatype: Datatype, bytes: &[u8]) -> String {
    if datatype == Datatype::Blob || matches!(datatype, Datatype::GeomWkb | Datatype::GeomWkt) {
        return bytes.iter().map(|&byte| char::from(byte)).collect();
    }
    if !datatype.is_string() && datatype != Datatype::Any {
        return number_text(datatype, bytes);
    }
    let code = bytes.iter().rev().fold(0u32, |code, &byte| code << 8 | u32::from(byte));
    match char::from_u32(code) {
        Some(printable @ ' '..='~') => printable.to_string(),
        _ => format!("\\x{code:0width$x}", width = 2 * bytes.len()),
    }
}

/// A float with six significant digits, in the shorter of the two notations: what `%g` prints in C.
pub fn float_text(value: f64) -> String {
    float_digits(value, 6)
}

/// As [`float_text`] with more or fewer digits, at least one.
pub fn float_digits(value: f64, digits: u8) -> String {
    let after_first = usize::from(digits.saturating_sub(1));
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan" } else { "nan" }.into();
    }
    if value.is_infinite() || value == 0.0 {
        return value.to_string();
    }
    let scientific = format!("{value:.after_first$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..i32::from(digits)).contains(&exponent) {
        let decimals = after_first.saturating_add_signed(-exponent as isize);
        return without_trailing_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_trailing_zeros(mantissa), exponent.unsigned_abs())
}

fn without_trailing_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_c_prints_them() {
        let texts = [
            (0.1, "0.1"),
            (1e-7, "1e-07"),
            (123_456_789.0, "1.23457e+08"),
            (-0.0, "-0"),
            (1e5, "100000"),
            (1e6, "1e+06"),
            (999_999.5, "1e+06"),
            (100_000.5, "100000"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (5e-324, "4.94066e-324"),
            (f64::INFINITY, "inf"),
            (-f64::NAN, "-nan"),
        ];
        for (value, text) in texts {
            assert_eq!(float_text(value), text);
        }
    }

    #[test]
    fn values_as_characters_or_codes() {
        assert_eq!(value_text(Datatype::StringAscii, b"a"), "a");
        assert_eq!(value_text(Datatype::Char, &[0x80]), "\\x80");
        assert_eq!(value_text(Datatype::StringUtf16, &[0x62, 1]), "\\x0162");
        assert_eq!(value_text(Datatype::StringUcs4, &[0; 4]), "\\x00000000");
        assert_eq!(value_text(Datatype::Bool, &[1]), "1");
        assert_eq!(value_text(Datatype::DatetimeDay, &i64::MIN.to_le_bytes()), i64::MIN.to_string());
    }
}
