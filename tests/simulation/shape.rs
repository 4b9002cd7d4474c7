//! Random schemas.

use std::sync::Arc;

use super::journal::Journal;
use super::labels;
use super::model::order::{GlobalOrder, Order};
use super::model::schema::Schema;
use super::model::value::Value;
use super::model::{ArrayKind, Model};
use super::random::Random;
use tiledb_array::schema::{
    ArraySchema, Attribute, CurrentDomain, Dimension, Domain, Enumeration, NdRectangle, SchemaName,
};
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, DataOrder, Datatype, Layout};
use tiledb_filters::filter::{Filter, FilterType, Pipeline};

/// The time of the schema that arrays are created with. Names of schemas are ordered as texts: all times have four digits.
pub const CREATION_TIME: u64 = 1000;

/// Datatype of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateKind {
    Int,
    Day,
    Real,
    Text,
}

/// A dimension, whose coordinates have the numbers from 0 to `side` - 1.
#[derive(Clone, Debug)]
pub struct TestDimension {
    pub kind: CoordinateKind,
    pub side: u8,
    pub extent: u8,
    /// The lowest coordinate, unless it is a text.
    pub low: i32,
}

impl TestDimension {
    /// The bytes of a coordinate.
    pub fn encode(&self, at: u8) -> Vec<u8> {
        let number = self.low + i32::from(at);
        match self.kind {
            CoordinateKind::Int => number.to_le_bytes().to_vec(),
            CoordinateKind::Day => i64::from(number).to_le_bytes().to_vec(),
            CoordinateKind::Real => (f64::from(number) * 0.5).to_le_bytes().to_vec(),
            // Of different lengths, in the order of the numbers.
            CoordinateKind::Text => [&[b'A' + at][..], &vec![b'x'; usize::from(at) % 3]].concat(),
        }
    }

    /// The number of a coordinate, `None` for bytes that are none.
    pub fn decode(&self, bytes: &[u8]) -> Option<u8> {
        (0..self.side).find(|at| self.encode(*at) == bytes)
    }

    pub fn is_text(&self) -> bool {
        self.kind == CoordinateKind::Text
    }

    fn datatype(&self) -> Datatype {
        match self.kind {
            CoordinateKind::Int => Datatype::Int32,
            CoordinateKind::Day => Datatype::DatetimeDay,
            CoordinateKind::Real => Datatype::Float64,
            CoordinateKind::Text => Datatype::StringAscii,
        }
    }

    fn dimension(&self, name: &str, has_extent: bool) -> Result<Dimension> {
        if self.is_text() {
            return Dimension::new(name, Datatype::StringAscii, None, None);
        }
        let domain = [self.encode(0), self.encode(self.side - 1)].concat();
        let extent = TestDimension { low: 0, ..self.clone() }.encode(self.extent);
        Dimension::new(name, self.datatype(), Some(&domain), Some(&extent[..]).filter(|_| has_extent))
    }
}

/// Datatype of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Int,
    Byte,
    Real,
    Text,
    /// Two numbers.
    Pair,
    /// Any number of numbers.
    List,
    /// The index of a color in an enumeration.
    Color,
}

/// The values that the enumeration has at some time, in their order.
pub const COLORS: [&str; 5] = ["red", "green", "blue", "cyan", "violet"];

impl Value {
    pub fn real(number: f64) -> Value {
        Value::Real(number.to_bits())
    }

    /// A value as a string of characters.
    pub fn text(text: &str) -> Value {
        Value::Text(text.as_bytes().to_vec())
    }
}

#[derive(Clone, Debug)]
pub struct TestAttribute {
    pub name: String,
    pub kind: ValueKind,
    pub nullable: bool,
    /// Otherwise the default.
    pub fill: Option<Value>,
    pub filters: Vec<FilterType>,
}

impl TestAttribute {
    pub fn new(name: &str, kind: ValueKind) -> TestAttribute {
        TestAttribute { name: name.to_owned(), kind, nullable: false, fill: None, filters: Vec::new() }
    }

    pub fn datatype(&self) -> Datatype {
        match self.kind {
            ValueKind::Int | ValueKind::List => Datatype::Int32,
            ValueKind::Byte => Datatype::Uint8,
            ValueKind::Real => Datatype::Float64,
            ValueKind::Text => Datatype::StringAscii,
            ValueKind::Pair => Datatype::Int16,
            ValueKind::Color => Datatype::Int8,
        }
    }

    pub fn is_var(&self) -> bool {
        matches!(self.kind, ValueKind::Text | ValueKind::List)
    }

    /// The bytes of a cell of fixed size, or the most that a cell of variable size has.
    pub fn cell_bytes(&self) -> usize {
        match self.kind {
            ValueKind::Byte | ValueKind::Color => 1,
            ValueKind::Int | ValueKind::Pair => 4,
            ValueKind::Real => 8,
            ValueKind::Text | ValueKind::List => 12,
        }
    }

    pub fn encode(&self, value: &Value) -> Vec<u8> {
        match value {
            Value::Null if self.is_var() => Vec::new(),
            Value::Null => vec![0; self.cell_bytes()],
            Value::Int(value) => value.to_le_bytes()[..self.cell_bytes()].to_vec(),
            Value::Real(bits) => bits.to_le_bytes().to_vec(),
            Value::Text(text) => text.clone(),
            Value::List(values) => {
                values.iter().flat_map(|value| value.to_le_bytes()[..self.datatype().size()].to_vec()).collect()
            }
        }
    }

    pub fn decode(&self, bytes: &[u8]) -> Value {
        let number = |bytes: &[u8]| {
            let sign = if bytes.last().is_some_and(|byte| *byte > 127) { 255 } else { 0 };
            let mut word = [sign; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            i64::from_le_bytes(word)
        };
        match self.kind {
            ValueKind::Byte => Value::Int(i64::from(bytes[0])),
            ValueKind::Int | ValueKind::Color => Value::Int(number(bytes)),
            ValueKind::Real => Value::Real(u64::from_le_bytes(bytes.try_into().unwrap())),
            ValueKind::Text => Value::Text(bytes.to_vec()),
            ValueKind::Pair | ValueKind::List => {
                Value::List(bytes.chunks(self.datatype().size()).map(number).collect())
            }
        }
    }

    /// The fill value. Defaults: guide.
    pub fn fill_value(&self) -> Value {
        let default = match self.kind {
            _ if self.nullable => Value::Null,
            ValueKind::Int => Value::Int(i64::from(i32::MIN)),
            ValueKind::Byte => Value::Int(255),
            ValueKind::Real => Value::real(f64::NAN),
            ValueKind::Text => Value::Text(vec![0]),
            ValueKind::Pair => Value::List(vec![i64::from(i16::MIN); 2]),
            ValueKind::List => Value::List(vec![i64::from(i32::MIN)]),
            ValueKind::Color => Value::Int(-128),
        };
        self.fill.clone().unwrap_or(default)
    }

    pub fn attribute(&self) -> Result<Attribute> {
        let mut attribute = Attribute::new(&self.name, self.datatype());
        match self.kind {
            ValueKind::Pair => attribute.set_cell_val_num(2)?,
            ValueKind::Text | ValueKind::List => attribute.set_cell_val_num(u32::MAX)?,
            ValueKind::Color => attribute.set_enumeration("colors")?,
            _ => {}
        }
        attribute.set_nullable(self.nullable);
        attribute.set_filters(Pipeline::new(self.filters.iter().map(|kind| Filter::new(*kind)).collect()))?;
        match &self.fill {
            Some(fill) if self.nullable => {
                attribute.set_fill_nullable(Some(&self.encode(fill)), *fill != Value::Null)?
            }
            Some(fill) => attribute.set_fill(Some(&self.encode(fill)))?,
            None => {}
        }
        Ok(attribute)
    }
}

/// The schema of an array, and of the attributes that it can get later.
#[derive(Clone, Debug)]
pub struct ArrayShape {
    pub kind: ArrayKind,
    pub dimensions: Vec<TestDimension>,
    pub attributes: Vec<TestAttribute>,
    /// Number of attributes that the array is created with.
    pub created: usize,
    /// The current domain that the array is created with.
    pub current_domain: Option<Vec<(u8, u8)>>,
    /// Number of values that the enumeration is created with, and whether they have an order.
    pub colors: usize,
    pub orders_colors: bool,
    pub cell_order: Layout,
    pub tile_order: Layout,
    pub capacity: u64,
    /// The time of its first schema.
    pub created_at: u64,
    /// Coordinates, offsets and validity have the default filters, or none.
    pub compresses: bool,
    pub encrypts: bool,
    /// Whether the first dimension has labels.
    pub has_label: bool,
}

impl ArrayShape {
    /// Arrays without anything unusual are half of all.
    pub fn draw(random: &mut Random) -> ArrayShape {
        let is_dense = random.one_in(3);
        let kind = if is_dense { ArrayKind::Dense } else { ArrayKind::Sparse { dups: random.one_in(2) } };
        let count = random.pick(&[1, 1, 1, 2, 2, 2, 3]);
        let is_plain = random.one_in(2);
        let dimensions: Vec<TestDimension> =
            (0..count).map(|_| draw_dimension(random, count, is_dense, is_plain)).collect();
        // Of dense arrays all dimensions have one datatype.
        let dimensions = dimensions
            .iter()
            .map(|dimension| match is_dense {
                true => TestDimension { kind: dimensions[0].kind, ..dimension.clone() },
                false => dimension.clone(),
            })
            .collect();
        let orders = [Layout::RowMajor, Layout::ColMajor, Layout::Hilbert];
        let (attributes, created) = draw_attributes(random, is_plain);
        ArrayShape {
            kind,
            dimensions,
            attributes,
            created,
            current_domain: None,
            colors: 3,
            orders_colors: false,
            cell_order: random.pick(if is_dense { &orders[..2] } else { &orders }),
            tile_order: random.pick(&orders[..2]),
            capacity: 1 + random.below(8),
            created_at: CREATION_TIME,
            compresses: random.one_in(4),
            encrypts: !is_plain && random.one_in(8),
            has_label: false,
        }
    }

    /// A sparse array of 20 places along one dimension, with the attributes that all arrays have.
    pub fn plain(dups: bool) -> ArrayShape {
        ArrayShape {
            kind: ArrayKind::Sparse { dups },
            dimensions: vec![TestDimension { kind: CoordinateKind::Int, side: 20, extent: 20, low: 0 }],
            attributes: common_attributes(),
            created: 4,
            current_domain: None,
            colors: 3,
            orders_colors: false,
            cell_order: Layout::RowMajor,
            tile_order: Layout::RowMajor,
            capacity: 10,
            created_at: CREATION_TIME,
            compresses: false,
            encrypts: false,
            has_label: false,
        }
    }

    pub fn is_dense(&self) -> bool {
        self.kind == ArrayKind::Dense
    }

    /// Some arrays have a current domain, and an enumeration that is short or has an order.
    pub fn draw_evolving(mut self, random: &mut Random) -> ArrayShape {
        if random.one_in(3) {
            self = self.with_current_domain(random);
        }
        self.colors = 1 + random.below(3) as usize;
        self.orders_colors = random.one_in(2);
        if self.has_colors() && random.one_in(2) {
            let nullable = random.one_in(2);
            self.attributes.push(TestAttribute { nullable, ..TestAttribute::new("later_color", ValueKind::Color) });
        }
        self
    }

    /// Some arrays without a current domain have labels along the first dimension.
    pub fn draw_label(mut self, random: &mut Random) -> ArrayShape {
        let can_have = matches!(self.dimensions[0].kind, CoordinateKind::Int | CoordinateKind::Day);
        self.has_label = can_have && self.current_domain.is_none() && random.one_in(3);
        self
    }

    pub fn with_current_domain(mut self, random: &mut Random) -> ArrayShape {
        let range = |side: u8, random: &mut Random| {
            let low = random.below(u64::from(side)) as u8;
            (low, low + random.below(u64::from(side - low)) as u8)
        };
        self.current_domain = Some(self.dimensions.iter().map(|dimension| range(dimension.side, random)).collect());
        self
    }

    pub fn domain(&self) -> Vec<(u8, u8)> {
        self.dimensions.iter().map(|dimension| (0, dimension.side - 1)).collect()
    }

    pub fn has_colors(&self) -> bool {
        self.attributes[..self.created].iter().any(|attribute| attribute.kind == ValueKind::Color)
    }

    /// What the array is created with.
    pub fn created_schema(&self) -> Schema {
        let labels = if self.has_colors() { &COLORS[..self.colors] } else { &[] };
        Schema {
            attributes: (0..self.created).collect(),
            domain: self.current_domain.clone().unwrap_or_else(|| self.domain()),
            labels: labels.to_vec(),
        }
    }

    /// An array without any event.
    pub fn model(&self) -> Journal {
        let fills = self.attributes.iter().map(TestAttribute::fill_value).collect();
        Journal::new(Model { kind: self.kind, schema: self.created_schema(), fills, ..Model::default() })
    }

    pub fn order(&self) -> GlobalOrder {
        let extent = |dimension: &TestDimension| (!dimension.is_text()).then_some(dimension.extent);
        let order = |layout: Layout| if layout == Layout::ColMajor { Order::Column } else { Order::Row };
        GlobalOrder {
            extents: self.dimensions.iter().map(extent).collect(),
            tile_order: order(self.tile_order),
            cell_order: order(self.cell_order),
        }
    }

    /// The first values of the enumeration.
    ///
    /// # Errors
    /// If the engine refuses it.
    pub fn enumeration(&self, count: usize) -> Result<Arc<Enumeration>> {
        let starts =
            COLORS[..count].iter().scan(0, |end, label| Some(std::mem::replace(end, *end + label.len() as u64)));
        let starts: Vec<u64> = starts.collect();
        let labels = COLORS[..count].concat();
        Enumeration::new(
            "colors",
            Datatype::StringAscii,
            u32::MAX,
            self.orders_colors,
            labels.as_bytes(),
            Some(&starts),
        )
        .map(Arc::new)
    }

    /// A current domain.
    ///
    /// # Errors
    /// If the engine refuses it.
    pub fn rectangle(&self, domain: &Arc<Domain>, ranges: &[(u8, u8)]) -> Result<CurrentDomain> {
        let mut rectangle = NdRectangle::new(Arc::clone(domain));
        for (number, (low, high)) in ranges.iter().enumerate() {
            let dimension = &self.dimensions[number];
            rectangle.set_range(number, &dimension.encode(*low), &dimension.encode(*high))?;
        }
        Ok(CurrentDomain::of(Arc::new(rectangle)))
    }

    /// # Errors
    /// If the engine refuses it.
    pub fn schema(&self) -> Result<ArraySchema> {
        let mut schema = ArraySchema::new(if self.is_dense() { ArrayType::Dense } else { ArrayType::Sparse });
        let has_extent = self.cell_order != Layout::Hilbert;
        let dimension = |(number, dimension): (usize, &TestDimension)| {
            dimension.dimension(&format!("d{number}"), has_extent).map(Arc::new)
        };
        let dimensions = self.dimensions.iter().enumerate().map(dimension).collect::<Result<Vec<_>>>()?;
        schema.set_domain(Arc::new(Domain::of(dimensions)))?;
        schema.set_cell_order(self.cell_order)?;
        schema.set_tile_order(self.tile_order)?;
        schema.set_capacity(self.capacity)?;
        if let ArrayKind::Sparse { dups } = self.kind {
            schema.set_allows_dups(dups)?;
        }
        if !self.compresses {
            schema.set_coords_filters(Pipeline::new(Vec::new()))?;
            schema.set_offsets_filters(Pipeline::new(Vec::new()));
            schema.set_validity_filters(Pipeline::new(Vec::new()));
        }
        if self.has_colors() {
            schema.add_enumeration(self.enumeration(self.colors)?)?;
        }
        if let Some(ranges) = &self.current_domain {
            schema.set_current_domain(self.rectangle(schema.domain(), ranges)?);
        }
        self.attributes[..self.created]
            .iter()
            .try_for_each(|attribute| schema.add_attribute(Arc::new(attribute.attribute()?)))?;
        if self.has_label {
            schema.add_label(0, labels::NAME, DataOrder::Increasing, Datatype::Int64, false)?;
        }
        schema.set_name(SchemaName::new(self.created_at));
        Ok(schema)
    }
}

fn draw_dimension(random: &mut Random, count: usize, is_dense: bool, is_plain: bool) -> TestDimension {
    let side = 1 + random.below(if is_dense { [30, 8, 5] } else { [20, 20, 6] }[count - 1]) as u8;
    let kinds = [CoordinateKind::Int, CoordinateKind::Day, CoordinateKind::Text, CoordinateKind::Real];
    let kind = match is_plain {
        true if random.one_in(4) && !is_dense => CoordinateKind::Text,
        true => CoordinateKind::Int,
        false => random.pick(if is_dense { &kinds[..2] } else { &kinds }),
    };
    let extent = 1 + random.below(u64::from(side)) as u8;
    TestDimension { kind, side, extent, low: random.pick(&[0, 0, -7]) }
}

/// The attributes of all arrays: the first one is different in each cell.
fn common_attributes() -> Vec<TestAttribute> {
    let mut attributes = vec![
        TestAttribute::new("number", ValueKind::Int),
        TestAttribute::new("small", ValueKind::Byte),
        TestAttribute::new("text", ValueKind::Text),
        TestAttribute::new("nullable", ValueKind::Int),
    ];
    attributes[3].nullable = true;
    attributes
}

/// The attributes of an array, and how many of them it is created with.
fn draw_attributes(random: &mut Random, is_plain: bool) -> (Vec<TestAttribute>, usize) {
    let mut attributes = common_attributes();
    let filter = random.pick(&[None, None, Some(FilterType::Rle), Some(FilterType::Dictionary)]);
    attributes[2].filters.extend(filter);
    attributes[1].filters.extend(filter.filter(|filter| *filter == FilterType::Rle));
    if is_plain {
        return (attributes, 4);
    }
    attributes[0].filters = random.pick(&[
        vec![],
        vec![FilterType::Zstd],
        vec![FilterType::DoubleDelta],
        vec![FilterType::BitWidthReduction, FilterType::Lz4],
        vec![FilterType::ByteShuffle, FilterType::ChecksumSha256],
        vec![FilterType::Delta, FilterType::Gzip],
    ]);
    let others = [ValueKind::Real, ValueKind::Pair, ValueKind::List, ValueKind::Color, ValueKind::Text];
    let draw = |name: String, kind: ValueKind, random: &mut Random| {
        let mut attribute = TestAttribute::new(&name, kind);
        attribute.nullable = random.one_in(3);
        let fill = match kind {
            ValueKind::Int | ValueKind::Color => Value::Int(1),
            ValueKind::Real => Value::real(0.5),
            ValueKind::Text => Value::text("fill"),
            _ => return attribute,
        };
        attribute.fill = random.one_in(2).then_some(fill);
        attribute
    };
    for kind in others {
        if random.one_in(2) {
            let attribute = draw(format!("{kind:?}").to_lowercase(), kind, random);
            if attribute.name != "text" {
                attributes.push(attribute);
            }
        }
    }
    let created = attributes.len();
    for number in 0..random.below(4) {
        let kind = random.pick(&[ValueKind::Int, ValueKind::Real, ValueKind::Text, ValueKind::List]);
        attributes.push(draw(format!("later{number}"), kind, random));
    }
    (attributes, created)
}
