//! Enumerations of some attributes of a scenario, whose cells become indexes into them.

use support::random::Random;
use support::round_trip::data::Shape;
use support::round_trip::execute::Cell;
use support::round_trip::scenario::Scenario;
use support::round_trip::types::{ASCII, Kind, Type, UTF8};
use support::{Ctx, Failure, bytes, pointer, text};

const FLOAT64: u64 = 3;
/// The datatypes of values.
const TYPES: [u64; 6] = [UTF8, ASCII, 0, 6, 10, FLOAT64];

/// An enumeration.
pub struct Names {
    ty: Type,
    count: i64,
    ordered: bool,
}

/// The enumerations of the attributes, for those that have one. Their cells are changed in the scenario: those of attributes that are
/// never null have a value, of the others one in some has none.
pub fn random(random: &mut Random, scenario: &mut Scenario) -> Vec<Option<Names>> {
    let shapes: Vec<Shape> = scenario.attributes.iter().map(|attribute| attribute.shape).collect();
    let mut all = Vec::new();
    for (number, shape) in shapes.into_iter().enumerate() {
        // Only whole numbers are indexes, one in a cell.
        let can = shape.ty.is_integer() && shape.ty.number <= 10 && shape.values == Some(1);
        let names = (can && !random.one_in(3)).then(|| Names {
            ty: Type::of(*random.pick(&TYPES)),
            count: random.between(1, 20),
            ordered: random.one_in(2),
        });
        if let Some(Names { count, .. }) = names {
            let used = count + i64::from(shape.nullable);
            for write in &mut scenario.writes {
                for cell in write.columns[number].values.chunks_exact_mut(shape.ty.size) {
                    let index = i64::from(cell[0]) % used;
                    cell.copy_from_slice(&shape.ty.bytes(index));
                }
            }
        }
        all.push(names);
    }
    all
}

impl Names {
    /// Gives an attribute this enumeration.
    pub fn add(&self, ctx: &Ctx<'_>, schema: u64, attribute: u64, number: usize) -> Result<(), Failure> {
        let name = text(&format!("names{number}"));
        let values: Vec<Vec<u8>> = (0..self.count).map(|index| self.value(index)).collect();
        let data = values.concat();
        let mut end = 0;
        let mut offsets = Vec::new();
        for value in &values {
            offsets.extend_from_slice(&u64::to_le_bytes(end));
            end += value.len() as u64;
        }
        let (length, starts) = match self.ty.is_string() {
            true => (u64::from(u32::MAX), [bytes(&offsets), offsets.len() as u64]),
            false => (1, [0, 0]),
        };
        let head = [pointer(&name), self.ty.number, length, u64::from(self.ordered), bytes(&data), data.len() as u64];
        let handle = ctx.get("enumeration_alloc", &[&head[..], &starts[..]].concat())?;
        ctx.call("array_schema_add_enumeration", &[schema, handle])?;
        ctx.call("attribute_set_enumeration_name", &[attribute, pointer(&name)])?;
        ctx.free("enumeration", handle);
        Ok(())
    }

    fn value(&self, index: i64) -> Vec<u8> {
        match self.ty.number {
            UTF8 if index == 1 => "é€".into(),
            // The first one is empty.
            UTF8 | ASCII => "name ".repeat(index as usize).into_bytes(),
            _ => self.ty.bytes(7 * index),
        }
    }

    /// True if an index has a value.
    fn has(&self, shape: Shape, index: &[u8]) -> bool {
        let number = index.iter().rev().fold(0u64, |all, &byte| (all << 8) | u64::from(byte));
        let is_negative = shape.ty.kind == Kind::Signed && index.last().is_some_and(|&byte| byte >= 128);
        !is_negative && number < self.count as u64
    }
}

/// Makes indexes without a value null, where cells may be: so they come out of Arrow.
pub fn absent_are_null(scenario: &Scenario, names: &[Option<Names>], columns: &mut [Vec<Cell>]) {
    let attributes = columns.iter_mut().skip(scenario.dimensions.len());
    for ((attribute, names), column) in scenario.attributes.iter().zip(names).zip(attributes) {
        let Some(names) = names else { continue };
        for (index, validity) in column {
            if *validity == Some(1) && !names.has(attribute.shape, index) {
                *validity = Some(0);
            }
        }
    }
}
