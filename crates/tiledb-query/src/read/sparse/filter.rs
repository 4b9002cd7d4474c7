//! Filters of sparse fragments: the query condition, and delete conditions.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::field_source::{FieldSource, source, source_at};
use crate::read::spec::ReadSpec;
use tiledb_array::array::{ArrayDirectory, DeleteCondition, OpenArray};
use tiledb_array::condition::{ComparisonValue, Leaf, Predicate};
use tiledb_array::fragment::{Fragment, TIMESTAMPS};
use tiledb_array::schema::{ArraySchema, Field};
use tiledb_cells::input::decoded::DecodedTile;
use tiledb_cells::input::encoded::EncodedTile;
use tiledb_cells::predicate::column_test::{ColumnInput, ColumnTest};
use tiledb_cells::predicate::program::Program;
use tiledb_cells::predicate::verdict::{ColumnStats, Verdict};
use tiledb_core::error::Result;
use tiledb_core::pool::Scratch;

/// All conditions of a read.
pub struct SparseFilters {
    condition: Option<Arc<Program>>,
    /// In the order of the array's delete conditions; none where they do not matter, which may be of all fragments.
    deletes: Vec<Option<DeleteProgram>>,
}

/// A delete condition compiled for fragments that have all fields that it compares.
struct DeleteProgram {
    predicate: Predicate,
    program: Arc<Program>,
}

impl DeleteProgram {
    fn new<'s>(predicate: Predicate, field: impl Fn(&str) -> Option<&'s Field>) -> Result<DeleteProgram> {
        let program = Arc::new(Program::new(&predicate, field)?);
        Ok(DeleteProgram { predicate, program })
    }

    /// The program for a fragment, whose fields `is_absent` looks up. A comparison with null is evaluated for the fill value.
    fn of_fragment(&self, is_absent: impl Fn(&str) -> bool) -> Result<Arc<Program>> {
        let lacks = |leaf: &Leaf| *leaf.value() != ComparisonValue::Null && is_absent(leaf.field());
        if !self.predicate.leaves().any(lacks) {
            return Ok(self.program.clone());
        }
        let columns = self.program.columns();
        let field = |name: &str| self.program.column(name).and_then(|column| columns.get(column));
        Ok(Arc::new(Program::new(&self.predicate.without_absent(lacks), field)?))
    }
}

/// A deletion by one of the array's conditions.
#[derive(Clone, Copy)]
pub struct Deletion {
    /// When it was made.
    pub time: u64,
    /// The index of its condition.
    pub index: u64,
}

/// A column of a tile that a condition compares.
#[derive(Clone)]
pub enum ComparedColumn {
    Decoded(DecodedTile),
    Encoded(EncodedTile),
}

impl ComparedColumn {
    fn input(&self) -> ColumnInput<'_> {
        match self {
            ComparedColumn::Decoded(data) => data.input(),
            ComparedColumn::Encoded(encoded) => encoded.input(),
        }
    }
}

/// A condition compiled for one fragment.
pub struct CellFilter {
    /// The condition of cells that are selected, or not deleted.
    program: Arc<Program>,
    /// The sources of the columns in the fragment, and the index of those that were requested too.
    sources: Vec<(FieldSource, Option<usize>)>,
    /// Cells written later than this are not deleted.
    until: Option<u64>,
    /// Whether it is a deletion, and which.
    pub deletion: Option<Deletion>,
}

impl SparseFilters {
    /// The conditions of a read.
    ///
    /// # Errors
    /// If a delete commit cannot be read or does not fit the array.
    pub fn new(spec: &ReadSpec) -> Result<SparseFilters> {
        let array = &spec.array;
        let mut deletes = Vec::new();
        let conditions = array.delete_conditions()?;
        if !conditions.is_empty() {
            let schemas = schemas_of(array, conditions)?;
            let older = array.fragments()?.iter().map(|fragment| DeletionScope::new(fragment, conditions));
            let older = older.collect::<Result<Vec<_>>>()?;
            for condition in conditions {
                let of_then = array.schemas().at(condition.time)?;
                let field =
                    |name: &str| -> Option<&Field> { of_then.field(name).or_else(|| schemas.get(name)?.field(name)) };
                let is_relevant = older.iter().any(|older| older.than(condition));
                let program = is_relevant.then(|| DeleteProgram::new(condition.predicate.of_commit(field), field));
                deletes.push(program.transpose()?);
            }
        }
        Ok(SparseFilters { condition: spec.condition.clone(), deletes })
    }

    /// No conditions.
    pub fn none() -> SparseFilters {
        SparseFilters { condition: None, deletes: Vec::new() }
    }

    /// The filters of a fragment.
    ///
    /// # Errors
    /// If the fragment's list of conditions cannot be read.
    pub fn of_fragment(&self, spec: &ReadSpec, fragment: &Arc<Fragment>) -> Result<Vec<CellFilter>> {
        let filter = |program: Arc<Program>, until, deletion: Option<Deletion>| {
            let time = deletion.map_or(u64::MAX, |deletion| deletion.time);
            // A deletion may compare an attribute that was dropped later, and the requested one may be another of its
            // name.
            let is_requested = |field: &Field| matches!(source(spec, fragment, &field.name), FieldSource::Stored(_));
            let place = |field: &Field| spec.fields.position(&field.name).filter(|_| is_requested(field));
            let sources = program.columns().iter().map(|field| (source_of_column(fragment, field, time), place(field)));
            let sources = sources.collect();
            CellFilter { program, sources, until, deletion }
        };
        let condition = self.condition.iter().cloned();
        let mut filters: Vec<CellFilter> = condition.map(|program| filter(program, None, None)).collect();
        let (_, last) = fragment.timestamps();
        let conditions = if self.deletes.is_empty() { &[] } else { spec.array.delete_conditions()? };
        let older = DeletionScope::new(fragment, conditions)?;
        for (index, (condition, program)) in conditions.iter().zip(&self.deletes).enumerate() {
            let Some(program) = program else { continue };
            if !older.than(condition) {
                continue;
            }
            let until = (fragment.has_timestamps() && last > condition.time).then_some(condition.time);
            let columns = program.program.columns();
            let is_absent = |name: &str| {
                let field = program.program.column(name).and_then(|column| columns.get(column));
                let source = field.map(|field| source_of_column(fragment, field, condition.time));
                matches!(source, Some(FieldSource::Constant { .. }))
            };
            let deletion = Deletion { time: condition.time, index: index as u64 };
            filters.push(filter(program.of_fragment(is_absent)?, until, Some(deletion)));
        }
        Ok(filters)
    }
}

/// Which conditions may have deleted cells of a fragment.
struct DeletionScope<'a> {
    start: u64,
    processed: HashSet<&'a String>,
}

impl<'a> DeletionScope<'a> {
    /// The processed conditions of the fragment are read only if one of the conditions is as recent.
    fn new(fragment: &'a Fragment, conditions: &[DeleteCondition]) -> Result<DeletionScope<'a>> {
        let start = fragment.timestamps().0;
        let processed = match conditions.iter().any(|condition| start <= condition.time) {
            true => fragment.processed_conditions()?.iter().collect(),
            false => HashSet::new(),
        };
        Ok(DeletionScope { start, processed })
    }

    /// True if the fragment has cells that a condition may have deleted since.
    fn than(&self, condition: &DeleteCondition) -> bool {
        self.start <= condition.time && !self.processed.contains(&condition.marker)
    }
}

/// The schemas that know the fields of all conditions, by the names of these fields: attributes may have been dropped since, from
/// all fragments too.
fn schemas_of(array: &OpenArray, conditions: &[DeleteCondition]) -> Result<HashMap<String, Arc<ArraySchema>>> {
    let leaves = conditions.iter().flat_map(|condition| condition.predicate.leaves());
    let mut unknown: HashSet<&str> = leaves.map(Leaf::field).collect();
    let mut known = HashMap::new();
    let mut learn = |schema: &Arc<ArraySchema>| {
        unknown.retain(|name| {
            let has_field = schema.field(name).is_some();
            if has_field {
                known.insert((*name).to_owned(), schema.clone());
            }
            !has_field
        });
        unknown.is_empty()
    };
    let mut visited = HashSet::new();
    let mut of_fragments = array.fragments()?.iter().map(|fragment| fragment.schema());
    if learn(array.schema()) || of_fragments.any(|schema| visited.insert(Arc::as_ptr(schema)) && learn(schema)) {
        return Ok(known);
    }
    for name in array.schemas().names() {
        if learn(&array.schemas().get(name)?) {
            return Ok(known);
        }
    }
    // The schemas may have been listed before an evolution, and the commits after a deletion by a new attribute.
    if let Ok(listed) = ArrayDirectory::load_schemas(array.resources().vfs(), array.uri()) {
        for name in listed.schemas().iter().rev() {
            if learn(&array.schemas().get(name)?) {
                break;
            }
        }
    }
    Ok(known)
}

/// Where a fragment has a column of a condition that was made at a time.
fn source_of_column(fragment: &Fragment, field: &Field, time: u64) -> FieldSource {
    match source_at(fragment, field, time) {
        FieldSource::Constant { .. } if &*field.name == TIMESTAMPS => {
            FieldSource::Constant { value: fragment.timestamps().0.to_le_bytes().to_vec(), valid: true }
        }
        source => source,
    }
}

impl CellFilter {
    /// The filter of a query that only evaluates statistics.
    pub fn of_condition(program: &Arc<Program>, fragment: &Fragment) -> CellFilter {
        let sources =
            program.columns().iter().map(|field| (source_of_column(fragment, field, u64::MAX), None)).collect();
        CellFilter { program: program.clone(), sources, until: None, deletion: None }
    }

    /// The result of a test of a column that the fragment lacks: the column is compared as it is read, with the fill
    /// value. Programs of deletions compare no such column, unless with null.
    fn absent(&self, test: &ColumnTest) -> Result<Option<bool>> {
        match &self.sources[test.column].0 {
            FieldSource::Constant { .. } if &*self.program.columns()[test.column].name == TIMESTAMPS => Ok(None),
            FieldSource::Constant { value, valid } => test.of_constant(value, *valid).map(Some),
            FieldSource::Stored(_) | FieldSource::Coordinate(..) | FieldSource::Deletion(_) => Ok(None),
        }
    }

    /// The verdict of the statistics of a tile.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn verdict(&self, fragment: &Fragment, tile: u64) -> Result<Verdict> {
        if self.until.is_some() {
            return Ok(Verdict::Maybe);
        }
        let absent = |test: &ColumnTest| self.absent(test);
        self.program.verdict(absent, |column| match &self.sources[column].0 {
            FieldSource::Stored(field) => stats_of(fragment, field, &self.program.columns()[column], tile),
            FieldSource::Coordinate(dimension, field) => {
                ends_of_box(fragment, (*dimension, field), &self.program.columns()[column], tile)
            }
            FieldSource::Constant { .. } | FieldSource::Deletion(_) => Ok(None),
        })
    }

    /// The sources of its columns in the fragment.
    pub fn sources(&self) -> impl Iterator<Item = &FieldSource> {
        self.sources.iter().map(|(source, _)| source)
    }

    /// Clears the mask of cells that do not match it. `load` returns a column of the tile; `times`
    /// when cells were written.
    ///
    /// # Errors
    /// The error of `load`.
    pub fn mark<'s>(
        &'s self,
        marks: &mut [u8],
        times: Option<&[u8]>,
        mut load: impl FnMut(&'s FieldSource, Option<usize>) -> Result<ComparedColumn>,
    ) -> Result<()> {
        let columns: Vec<std::cell::OnceCell<ComparedColumn>> =
            self.sources.iter().map(|_| Default::default()).collect();
        let absent = |test: &ColumnTest| self.absent(test);
        let matches: Scratch = self.program.run(marks.len(), absent, |column| {
            let (source, requested) = &self.sources[column];
            if let FieldSource::Constant { value, valid } = source {
                return Ok(ColumnInput::Constant { value, valid: *valid });
            }
            if columns[column].get().is_none() {
                _ = columns[column].set(load(source, *requested)?);
            }
            match columns[column].get() {
                Some(data) => Ok(data.input()),
                None => Ok(ColumnInput::Constant { value: &[], valid: false }),
            }
        })?;
        match (self.until, times) {
            (Some(until), Some(times)) => {
                for ((mark, is_match), time) in marks.iter_mut().zip(&*matches).zip(times.as_chunks::<8>().0) {
                    *mark &= is_match | u8::from(u64::from_le_bytes(*time) > until);
                }
            }
            _ => marks.iter_mut().zip(&*matches).for_each(|(mark, is_match)| *mark &= is_match),
        }
        Ok(())
    }
}

/// The ends of a tile's box along a dimension: no statistics are stored of coordinates.
fn ends_of_box<'f>(
    fragment: &'f Fragment,
    (dimension, field): (usize, &Field),
    compared: &Field,
    tile: u64,
) -> Result<Option<ColumnStats<'f>>> {
    if field.datatype.is_float() || !field.is_like(compared) {
        return Ok(None);
    }
    let tile = usize::try_from(tile).unwrap_or(usize::MAX);
    let ends = fragment.rtree()?.leaf_ends(dimension, tile);
    Ok(ends.map(|min_max| ColumnStats { min_max, has_nulls: false }))
}

/// The statistics of a field of a tile, for types whose comparisons they can decide: integers and related types. Null
/// counts cannot be trusted: the reference writes 0 for some types. Nor can the minimum and maximum of floats, where a
/// NaN discards those before it, nor those of strings, which are ordered by the bytes before
/// the first NUL (`aggregate/text_stats`).
///
/// # Errors
/// If they cannot be read.
pub fn stats_of<'f>(
    fragment: &'f Fragment,
    field: &Field,
    compared: &Field,
    tile: u64,
) -> Result<Option<ColumnStats<'f>>> {
    let is_whole = !field.datatype.is_string() && !field.datatype.is_float();
    if field.cell_val_num.fixed() != Some(1) || !is_whole || !field.is_like(compared) {
        return Ok(None);
    }
    let min_max = fragment.tile_min_max(field, tile)?;
    Ok(min_max.map(|min_max| ColumnStats { min_max, has_nulls: field.nullable }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Query;
    use tiledb_array::array::{DirectoryParts, create, evolve};
    use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
    use tiledb_array::schema::{Attribute, Dimension, Domain, SchemaEvolution};
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, Datatype, QueryType};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_storage::resources::Resources;
    use tiledb_storage::vfs::Uri;

    #[test]
    fn deletion_by_an_attribute_that_was_added_after_the_schemas_were_listed_is_known() {
        let resources = Resources::new(Config::new()).unwrap();
        let uri = Uri::parse("mem://filter/added").unwrap();
        let key = EncryptionKey::None;
        let dimension = Dimension::new("d", Datatype::StringAscii, None, None).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
        create(&resources, &uri, &schema, &key).unwrap();
        let schemas = ArrayDirectory::load(resources.vfs(), &uri).unwrap().schemas().to_vec();
        let mut evolution = SchemaEvolution::default();
        evolution.add_attribute(Arc::new(Attribute::new("b", Datatype::Int32))).unwrap();
        evolve(&resources, &uri, &evolution, &key).unwrap();
        let array = OpenArray::open(&resources, &uri, QueryType::Delete, (0, 0), &key).unwrap();
        let mut query = Query::new(&Arc::new(array), QueryType::Delete).unwrap();
        let comparison = Comparison::new("b", Some(&7i32.to_le_bytes()), ComparisonOperator::Equal).unwrap();
        query.set_condition(Some(Condition::new(comparison))).unwrap();
        query.submit().unwrap();

        let deletes = ArrayDirectory::load(resources.vfs(), &uri).unwrap().deletes().to_vec();
        let listed = DirectoryParts { schemas, deletes, ..DirectoryParts::default() };
        let array =
            OpenArray::of_fragments(&resources, ArrayDirectory::from_parts(&uri, listed), &key, Vec::new()).unwrap();
        assert!(array.schema().attribute("b").is_none());
        let known = schemas_of(&array, array.delete_conditions().unwrap()).unwrap();
        assert!(known["b"].attribute("b").is_some());
    }
}
