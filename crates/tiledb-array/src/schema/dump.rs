//! Text dump of schemas and their parts, in the format of libtiledb.

use super::value_text::{extent_text, float_text, range_text, value_text};
use super::{ArraySchema, Attribute, Dimension, DimensionLabel, Domain, Enumeration, EnumerationRef};
use std::fmt::{self, Display, Write};
use tiledb_core::types::{CellRange, DataOrder};
use tiledb_filters::filter::{Filter, Pipeline};

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
