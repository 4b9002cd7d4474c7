//! Validation of a field's filters, with the rules and messages of libtiledb.

use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellValNum, Datatype};
use tiledb_filters::filter::{Filter, FilterType, Pipeline};

/// Checks that every filter accepts what the one before it passes on.
pub(super) fn field(filters: &Pipeline, datatype: Datatype, cell_val_num: CellValNum) -> Result<()> {
    if let Some(name) = misplaced(filters).filter(|_| datatype.is_encoded_text() && cell_val_num.is_var()) {
        bail!(
            "FilterPipeline: {name} filter must be the first filter to apply when used on a variable length string attribute"
        );
    }
    let mut input = datatype;
    let mut before: Option<&Filter> = None;
    for filter in filters.filters() {
        let name = filter.kind().name();
        let input_name = input.name();
        match before {
            _ if accepts(filter, input) => {}
            None => bail!("Filter: Filter {name} does not accept input type {input_name}"),
            Some(before) => bail!(
                "FilterPipeline: Filter {} produces {input_name} but second filter {name} does not accept this type.",
                before.kind().name()
            ),
        }
        input = filter.output_datatype(input);
        before = Some(filter);
    }
    Ok(())
}

/// The string-encoding filter that follows another one, if there is any; RLE first.
pub(super) fn misplaced(filters: &Pipeline) -> Option<&'static str> {
    let later = |kind| filters.filters().iter().skip(1).any(|filter| filter.kind() == kind);
    let names = [(FilterType::Rle, "RLE"), (FilterType::Dictionary, "Dictionary")];
    names.into_iter().find_map(|(kind, name)| later(kind).then_some(name))
}

fn accepts(filter: &Filter, input: Datatype) -> bool {
    match *filter {
        Filter::Webp { .. } => input == Datatype::Uint8,
        Filter::DoubleDelta { reinterpret: Datatype::Any, .. } | Filter::Delta { reinterpret: Datatype::Any, .. } => {
            !input.is_float()
        }
        Filter::DoubleDelta { reinterpret, .. } | Filter::Delta { reinterpret, .. } => {
            !reinterpret.is_float() && input.size().is_multiple_of(reinterpret.size())
        }
        Filter::BitWidthReduction { .. } | Filter::PositiveDelta { .. } => {
            input.is_integer() || input.is_datetime() || input.is_time() || input.is_byte()
        }
        Filter::ScaleFloat { .. } => matches!(input.size(), 4 | 8),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kinds: &[FilterType]) -> Pipeline {
        Pipeline::new(kinds.iter().map(|&kind| Filter::new(kind)).collect())
    }

    #[test]
    fn a_filter_takes_what_the_one_before_gives() {
        let check = |kinds: &[FilterType], datatype| field(&of(kinds), datatype, CellValNum::ONE);
        let refused = check(&[FilterType::DoubleDelta], Datatype::Float32).unwrap_err();
        assert_eq!(refused.text(), "Filter: Filter DOUBLE_DELTA does not accept input type FLOAT32");
        // XOR turns floats into integers.
        assert!(check(&[FilterType::Xor, FilterType::BitWidthReduction], Datatype::Float64).is_ok());
        assert!(check(&[FilterType::BitWidthReduction], Datatype::Blob).is_ok());
        assert!(check(&[FilterType::BitWidthReduction], Datatype::Char).is_err());
        assert!(check(&[FilterType::ScaleFloat], Datatype::Int8).is_err());
        assert!(check(&[FilterType::Webp], Datatype::Uint8).is_ok());
        let refused = check(&[FilterType::Xor, FilterType::Webp], Datatype::Uint8).unwrap_err();
        assert_eq!(
            refused.text(),
            "FilterPipeline: Filter XOR produces INT8 but second filter WEBP does not accept this type."
        );
        let delta = |reinterpret| Pipeline::new(vec![Filter::Delta { level: -1, reinterpret }]);
        let check = |reinterpret, datatype| field(&delta(reinterpret), datatype, CellValNum::ONE);
        assert!(check(Datatype::Int16, Datatype::Int64).is_ok() && check(Datatype::Int64, Datatype::Int16).is_err());
    }

    #[test]
    fn string_encodings_come_first() {
        let kinds = [FilterType::Zstd, FilterType::Rle];
        let var = |datatype| field(&of(&kinds), datatype, CellValNum::VAR);
        assert!(var(Datatype::StringAscii).is_err() && var(Datatype::StringUtf8).is_err());
        assert!(var(Datatype::Int32).is_ok());
        assert!(field(&of(&kinds), Datatype::StringAscii, CellValNum::ONE).is_ok());
    }
}
