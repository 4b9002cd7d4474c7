//! Compares repeated texts with the codes of an enumeration.

use std::collections::BTreeMap;

use super::candidates::{PartContent, with_checksums};
use super::cost::{Estimate, Objective};
use super::measure::cost_of;
use super::property::{AdvisedProperty, Property, PropertyReason, text_of};
use super::sample::{Piece, Sample};
use super::select::{Problem, WORTHWHILE};
use tiledb_array::schema::{ArraySchema, Attribute, Enumeration, Field};
use tiledb_core::error::Result;
use tiledb_core::types::{CellValNum, Datatype, FormatVersion};
use tiledb_filters::filter::{Pipeline, TileShape};

/// Maximum number of values.
const VALUES: usize = 65_535;
/// Cells for each value, at least: fewer values are repeated.
const REPEATED: usize = 8;
/// Values for which a code has one byte; as many may be added later.
const BYTE_VALUES: usize = 128;

/// An attribute whose texts would be codes of an enumeration.
pub(super) struct EnumerationAdvice {
    pub(super) property: AdvisedProperty,
    pub(super) attribute: Attribute,
    pub(super) enumeration: Enumeration,
}

/// Sampled values as codes.
struct Codes {
    enumeration: Enumeration,
    datatype: Datatype,
    pieces: Vec<Piece>,
}

/// The texts of a field and their costs.
pub(super) struct Texts<'a> {
    pub(super) field: &'a Field,
    pub(super) sample: &'a Sample,
    pub(super) version: FormatVersion,
    pub(super) objective: Objective,
    /// The recommended filters of the texts and of all offsets.
    pub(super) filters: &'a Pipeline,
    pub(super) offsets: &'a Pipeline,
}

impl Texts<'_> {
    /// Compares the texts with codes; `None` unless they are repeated texts of an attribute.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn advise(&self, schema: &ArraySchema) -> Result<Option<EnumerationAdvice>> {
        let Self { field, sample, version, .. } = *self;
        let name = field.name.as_str();
        let is_text = field.attribute_index.is_some() && field.is_var() && field.datatype.size() == 1;
        if !(is_text && field.datatype.is_string()) || schema.enumeration(name).is_some() {
            return Ok(None);
        }
        let Some(codes) = self.codes()? else { return Ok(None) };
        let size = codes.datatype.size();
        let shape = TileShape { datatype: codes.datatype, cell_size: size, is_var: false, version };
        let selection = Problem {
            content: PartContent::Integers,
            shape,
            // Checksums stay.
            current: &with_checksums(Pipeline::default(), self.filters),
            version,
            objective: self.objective,
            pieces: codes.pieces.iter().collect(),
            offsets: None,
        }
        .select()?;
        let cells = [sample.stored_cells, sample.cells];
        let mut coded = Estimate::default();
        let of_codes = cost_of(&selection.recommended, &shape, &codes.pieces.iter().collect::<Vec<_>>())?;
        coded.add(of_codes, &selection.recommended, sample, cells);
        // The values are stored once.
        coded.stored = coded.stored.saturating_add(codes.enumeration.write()?.len() as u64);
        let mut texts = Estimate::default();
        let pieces: Vec<&Piece> = sample.values.iter().collect();
        let bytes = pieces.iter().map(|piece| piece.data.len() as u64).sum();
        let weight = [sample.value_bytes, bytes];
        texts.add(cost_of(self.filters, &field.shape(version), &pieces)?, self.filters, sample, weight);
        if !self.filters.encodes_strings(field.datatype, CellValNum::VAR, version) {
            let pieces: Vec<&Piece> = sample.offsets.iter().collect();
            let of_offsets = cost_of(self.offsets, &TileShape::offsets(version), &pieces)?;
            texts.add(of_offsets, self.offsets, sample, cells);
        }
        let is_better = u128::from(coded.total(self.objective)) * 100
            < u128::from(texts.total(self.objective)) * u128::from(WORTHWHILE);
        let count = codes.enumeration.len();
        let code = codes.datatype.name();
        let current = text_of(self.filters);
        let recommended = match is_better {
            true if selection.recommended.is_empty() => format!("{count} values, {code}"),
            true => format!("{count} values, {code}: {}", text_of(&selection.recommended)),
            false => current.clone(),
        };
        let mut attribute = Attribute::new(name, codes.datatype);
        attribute.set_nullable(field.nullable);
        attribute.set_filters(selection.recommended)?;
        attribute.set_enumeration(name)?;
        Ok(Some(EnumerationAdvice {
            property: AdvisedProperty {
                property: Property::Enumeration(field.name.clone()),
                current,
                recommended,
                reason: if is_better { PropertyReason::Better } else { PropertyReason::Current },
                is_applied: false,
                sampled: bytes,
                current_cost: texts,
                recommended_cost: if is_better { coded } else { texts },
            },
            attribute,
            enumeration: codes.enumeration,
        }))
    }

    /// The sampled values as codes, in the order of their bytes; `None` if they are hardly repeated.
    fn codes(&self) -> Result<Option<Codes>> {
        let Self { field, sample, .. } = *self;
        let cells = usize::try_from(sample.cells).unwrap_or(usize::MAX);
        let most = VALUES.min(cells / REPEATED);
        let mut values: BTreeMap<&[u8], u16> = BTreeMap::new();
        let validity = |piece: usize| sample.validity.get(piece).map(|piece| piece.data.as_slice());
        for (number, piece) in sample.values.iter().enumerate() {
            for (cell, value) in texts(piece).enumerate() {
                // Null cells have no value.
                if validity(number).is_none_or(|validity| validity.get(cell) != Some(&0)) {
                    values.insert(value, 0);
                    if values.len() > most {
                        return Ok(None);
                    }
                }
            }
        }
        if values.is_empty() {
            return Ok(None);
        }
        values.values_mut().zip(0..).for_each(|(code, number)| *code = number);
        let is_wide = values.len() > BYTE_VALUES;
        let mut pieces = Vec::new();
        for piece in &sample.values {
            let mut data = Vec::new();
            for value in texts(piece) {
                let code = values.get(value).copied().unwrap_or(0).to_le_bytes();
                data.extend_from_slice(&code[..if is_wide { 2 } else { 1 }]);
            }
            pieces.push(Piece { data, starts: None });
        }
        let data: Vec<u8> = values.keys().copied().flatten().copied().collect();
        let next = |end: &mut u64, value: &&[u8]| Some(std::mem::replace(end, *end + value.len() as u64));
        let starts: Vec<u64> = values.keys().scan(0, next).collect();
        let name = field.name.as_str();
        let enumeration = Enumeration::new(name, field.datatype, u32::MAX, false, &data, Some(&starts))?;
        let datatype = if is_wide { Datatype::Uint16 } else { Datatype::Uint8 };
        Ok(Some(Codes { enumeration, datatype, pieces }))
    }
}

/// The values of a piece.
fn texts(piece: &Piece) -> impl Iterator<Item = &[u8]> {
    let starts = piece.starts.as_deref().unwrap_or_default();
    let ends = starts.iter().skip(1).copied().chain([piece.data.len() as u64]);
    starts.iter().zip(ends).map(|(&start, end)| piece.data.get(start as usize..end as usize).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use tiledb_core::types::{ArrayType, CURRENT_VERSION};

    /// A schema with a text attribute, and perhaps with attributes of other types.
    fn schema(nullable: bool) -> ArraySchema {
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        let types =
            [("t", Datatype::StringAscii, u32::MAX), ("f", Datatype::StringAscii, 3), ("b", Datatype::Blob, u32::MAX)];
        for (name, datatype, values) in types {
            let mut attribute = Attribute::new(name, datatype);
            attribute.set_cell_val_num(values).unwrap();
            attribute.set_nullable(nullable);
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        schema
    }

    /// Cells in pieces, where none is null.
    fn sample(pieces: &[&[Option<String>]]) -> Sample {
        let mut sample = Sample::default();
        for cells in pieces {
            let mut values = Piece::default();
            let mut starts = Vec::new();
            for cell in *cells {
                starts.push(values.data.len() as u64);
                values.data.extend_from_slice(cell.as_deref().unwrap_or("null").as_bytes());
            }
            sample.offsets.push(Piece { data: bytemuck::cast_slice(&starts).to_vec(), starts: None });
            sample.values.push(Piece { starts: Some(starts), ..values });
            sample
                .validity
                .push(Piece { data: cells.iter().map(|cell| u8::from(cell.is_some())).collect(), starts: None });
            sample.cells += cells.len() as u64;
        }
        sample.stored_cells = sample.cells;
        sample.value_bytes = sample.values.iter().map(|piece| piece.data.len() as u64).sum();
        sample
    }

    fn with_texts<R>(field: &str, sample: &Sample, run: impl FnOnce(&Texts<'_>, &ArraySchema) -> R) -> R {
        let schema = schema(true);
        let none = Pipeline::default();
        let texts = Texts {
            field: schema.field(field).unwrap(),
            sample,
            version: CURRENT_VERSION,
            objective: Objective::Balanced,
            filters: &none,
            offsets: &none,
        };
        run(&texts, &schema)
    }

    fn codes(sample: &Sample) -> Option<Codes> {
        with_texts("t", sample, |texts, _| texts.codes().unwrap())
    }

    /// So many cells that have this number of values.
    fn repeated(cells: usize, values: usize) -> Vec<Option<String>> {
        (0..cells).map(|cell| Some(format!("value {:04}", cell * 7 % values))).collect()
    }

    #[test]
    fn values_are_codes_if_each_has_eight_cells() {
        assert!(codes(&sample(&[&repeated(800, 100)])).is_some());
        assert!(codes(&sample(&[&repeated(800, 101)])).is_none());
        assert!(codes(&sample(&[&repeated(400, 100), &repeated(400, 100)])).is_some(), "of all pieces");
        assert!(codes(&sample(&[])).is_none());
        assert!(codes(&sample(&[&vec![None; 100]])).is_none(), "null cells have no value");
    }

    #[test]
    fn codes_have_a_byte_up_to_half_of_its_values() {
        for (values, expected) in [(1, Datatype::Uint8), (128, Datatype::Uint8), (129, Datatype::Uint16)] {
            let cells = repeated(2000, values);
            let codes = codes(&sample(&[&cells[..500], &cells[500..]])).unwrap();
            assert_eq!((codes.datatype, codes.enumeration.len()), (expected, values), "{values}");
            // Each code is the position of its value.
            let mut names: Vec<&String> = cells.iter().flatten().collect();
            names.sort();
            names.dedup();
            let bytes: Vec<u8> = codes.pieces.iter().flat_map(|piece| piece.data.clone()).collect();
            assert!(codes.pieces.iter().all(|piece| piece.starts.is_none()) && codes.pieces.len() == 2);
            let size = codes.datatype.size();
            assert_eq!(bytes.len(), 2000 * size);
            for (code, cell) in bytes.chunks(size).zip(&cells) {
                let code = code.iter().rev().fold(0, |code, &byte| 256 * code + usize::from(byte));
                assert_eq!(Some(names[code]), cell.as_ref());
            }
        }
    }

    #[test]
    fn null_cells_are_no_values_and_have_any_code() {
        let cells: Vec<Option<String>> = (0..80).map(|cell| (cell % 4 > 0).then(|| format!("{}", cell % 4))).collect();
        let codes = codes(&sample(&[&cells])).unwrap();
        assert_eq!((codes.enumeration.len(), codes.pieces[0].data.len()), (3, 80));
        assert!(codes.pieces[0].data.iter().all(|&code| code < 3));
    }

    #[test]
    fn long_repeated_texts_of_attributes_are_advised_as_codes() {
        let advise =
            |field: &str, sample: &Sample| with_texts(field, sample, |texts, schema| texts.advise(schema).unwrap());
        let cells = sample(&[&repeated(4000, 40)]);
        let advice = advise("t", &cells).unwrap();
        let AdvisedProperty { reason, current_cost, recommended_cost, sampled, .. } = &advice.property;
        assert_eq!((*reason, *sampled), (PropertyReason::Better, 4000 * 10));
        assert!(advice.property.recommended.starts_with("40 values, UINT8"), "{}", advice.property.recommended);
        // Texts without filters, with their offsets; codes, with all values once.
        assert!((4000 * 18..4000 * 19).contains(&current_cost.stored), "{current_cost:?}");
        assert!((40 * 10..4000 * 2).contains(&recommended_cost.stored), "{recommended_cost:?}");
        assert!(advice.attribute.nullable());
        // Fixed texts and blobs have no codes.
        assert!(advise("f", &cells).is_none() && advise("b", &cells).is_none());
    }
}
