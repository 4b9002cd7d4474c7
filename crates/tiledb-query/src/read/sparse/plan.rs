//! The plan of a sparse read: the fragments and tiles that may contain selected cells.

use std::sync::Arc;

use super::delete_conditions::ConditionIndex;
use super::field_source::{FieldSource, source};
use super::filter::SparseFilters;
use super::fragment_cursor::{FragmentCursor, TileList};
use crate::read::position::FirstCell;
use crate::read::spec::{CellVersions, ReadSpec};
use tiledb_array::fragment::{DELETE_CONDITIONS, DELETE_TIMESTAMPS, Fragment, TIMESTAMPS};
use tiledb_array::schema::Field;
use tiledb_cells::space::selector::RangeSelector;
use tiledb_core::error::{Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::{Layout, Name, NdRange};

/// Estimated cost of reading the tables of a fragment, in bytes of tiles.
const TABLES_WORK: usize = 8 << 10;

/// A requested field, as the user's buffers are to be filled.
pub struct RequestedField {
    pub is_var: bool,
    /// Bytes of a fixed cell.
    pub cell_size: usize,
    pub nullable: bool,
}

/// The plan of a read.
pub struct SparsePlan {
    pub fields: Vec<RequestedField>,
    pub selector: RangeSelector,
    /// The fragments.
    pub cursors: Vec<FragmentCursor>,
    /// Every coordinate is in the domain.
    pub inside: bool,
    pub places: SpecialFields,
}

/// The requested fields that only some fragments have.
#[derive(Clone, Copy, Default)]
pub struct SpecialFields {
    /// Position of the times of cells among the requested fields.
    pub times: Option<usize>,
    /// Whether time or condition of deletions are requested, and have to be computed.
    pub deletions: bool,
}

impl SpecialFields {
    fn new(spec: &ReadSpec) -> SpecialFields {
        let place = |name: &str| spec.fields.position(name);
        let is_requested = |name: &str| place(name).is_some();
        let deletions =
            spec.versions == CellVersions::All && (is_requested(DELETE_TIMESTAMPS) || is_requested(DELETE_CONDITIONS));
        SpecialFields { times: place(TIMESTAMPS), deletions }
    }
}

impl SparsePlan {
    /// Finds fragments and tiles.
    pub fn new(spec: &ReadSpec) -> Result<SparsePlan> {
        let schema = spec.array.schema();
        let selector = RangeSelector::new(&spec.subarray);
        if spec.layout == Layout::GlobalOrder && selector.has_several() {
            bail!(
                "ReaderBase: Cannot initialize reader; Multi-range reads are not supported on a global order query. Use another layout"
            );
        }
        let fields = spec.fields.iter().map(|name| requested(spec, name)).collect::<Result<Vec<_>>>()?;
        let places = SpecialFields::new(spec);
        // If all versions are requested, conditions only serve to determine what deleted them.
        let filters = match spec.versions == CellVersions::All && !places.deletions {
            true => SparseFilters::none(),
            false => SparseFilters::new(spec)?,
        };
        let _timer = spec.stats.timer(Timer::ReadChoose);
        let conditions = places.deletions.then(|| ConditionIndex::new(&spec.array)).transpose()?;
        let fragments: Vec<_> = spec.array.fragments()?.iter().filter(|fragment| !fragment.is_dense()).collect();
        let unread = fragments.iter().filter(|fragment| !fragment.has_tables()).count();
        let pools = spec.array.resources().pools();
        let cancel = spec.array.resources().cancel();
        let cursors = pools.map(fragments.len(), unread * TABLES_WORK, cancel, |number| {
            let fragment = fragments[number];
            let Some(mut cursor) = cursor(spec, fragment, &selector)? else { return Ok(None) };
            cursor.filters = filters.of_fragment(spec, fragment)?;
            if let Some(places) = conditions.as_ref().filter(|_| fragment.has_delete_metadata()) {
                cursor.conditions = places.of(fragment)?;
            }
            Ok(Some(cursor))
        })?;
        let cursors: Vec<FragmentCursor> = cursors.into_iter().flatten().collect();
        let domain = schema.domain().dimensions();
        let within = |region: &NdRange| {
            let sides = domain.iter().zip(region);
            sides.fold(true, |all, (dimension, side)| {
                all && dimension.domain().is_none_or(|domain| domain.contains(dimension.datatype(), side))
            })
        };
        let inside = cursors.iter().all(|cursor| within(cursor.fragment.non_empty_domain()));
        Ok(SparsePlan { fields, selector, cursors, inside, places })
    }
}

fn requested(spec: &ReadSpec, name: &Name) -> Result<RequestedField> {
    if let Some(field) = spec.array.schema().field(name) {
        let is_var = field.is_var();
        let cell_size = field.cell_size();
        let nullable = field.nullable;
        return Ok(RequestedField { is_var, cell_size, nullable });
    }
    if matches!(&**name, TIMESTAMPS | DELETE_TIMESTAMPS | DELETE_CONDITIONS) {
        return Ok(RequestedField { is_var: false, cell_size: 8, nullable: false });
    }
    bail!("Reader: Cannot read '{name}': the array has no such field");
}

fn cursor(spec: &ReadSpec, fragment: &Arc<Fragment>, selector: &RangeSelector) -> Result<Option<FragmentCursor>> {
    let Some(full) = selector.meet(fragment.non_empty_domain()) else { return Ok(None) };
    let sources: Vec<FieldSource> = spec.fields.iter().map(|name| source(spec, fragment, name)).collect();
    let stored = fragment.schema().fields();
    let dimensions: Vec<Field> = stored.iter().filter(|field| field.is_dimension).cloned().collect();
    let tiles = if full {
        let read = sources.iter().find_map(FieldSource::field).or(dimensions.first());
        read.map_or(Ok(()), |field| fragment.check_tile_count(field))?;
        TileList::All(usize::try_from(fragment.tile_count()).unwrap_or(usize::MAX))
    } else {
        TileList::Some(fragment.rtree()?.overlapping(&selector.lists()))
    };
    let fragment = fragment.clone();
    let filters = Vec::new();
    let conditions = Vec::new();
    let tile_bytes = 0;
    let coordinate_bytes = 0;
    let mut cursor = FragmentCursor {
        fragment,
        tiles,
        next: 0,
        end: 0,
        first: FirstCell::default(),
        superseded: Vec::new(),
        sources,
        dimensions,
        filters,
        conditions,
        tile_bytes,
        coordinate_bytes,
    };
    let requested = cursor.sources.iter().filter_map(|source| match source {
        FieldSource::Stored(field) => Some(field),
        _ => None,
    });
    let coordinates = cursor.middle_size(cursor.dimensions.iter())?;
    let requested = cursor.middle_size(requested)?;
    (cursor.coordinate_bytes, cursor.tile_bytes) = (coordinates, coordinates.saturating_add(requested));
    Ok((cursor.tiles.count() > 0).then_some(cursor))
}
