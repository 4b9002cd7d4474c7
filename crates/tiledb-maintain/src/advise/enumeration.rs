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
