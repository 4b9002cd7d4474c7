//! An array that is written, read and maintained through the engine. All operations take the resources of their actor, and
//! return the engine's error.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::columns::{ColumnBuffer, TestField};
use super::model::cells::{Selection, is_in_box};
use super::model::condition::{Condition as ModelCondition, Operand, Operator};
use super::model::schema::Schema;
use super::model::value::Value;
use super::model::{Cell, Window};
use super::read::{OpenRead, ReadOptions};
use super::shape::{ArrayShape, COLORS};
use tiledb_array::array::{Array, FragmentInfo, OpenArray, create, evolve};
use tiledb_array::condition::{Combination, Comparison, ComparisonOperator, Condition};
use tiledb_array::schema::SchemaEvolution;
use tiledb_cells::Subarray;
use tiledb_core::config::Config;
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::limits::fragment::LOCAL_REMOVALS_PER_CHECK;
use tiledb_core::limits::simulation::SimulatedLimits;
use tiledb_core::types::{Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_maintain::maintain::{
    RewriteOptions, consolidate, consolidate_fragments, orphans, rewrite, sweep, vacuum, vacuum_with_progress,
};
use tiledb_maintain::policy::{maintain, maintain_after_write};
use tiledb_maintain::verify::{Severity, verify};
use tiledb_query::Query;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Parameters of the configuration.
pub type Parameters = Vec<(&'static str, String)>;

/// The key of encrypted arrays.
pub const KEY: &str = "0123456789abcdef0123456789abcdef";

#[derive(Clone, Debug)]
pub struct TestArray {
    pub shape: Arc<ArrayShape>,
    pub uri: Uri,
}

/// What is written.
#[derive(Clone, Debug)]
pub struct TestWrite {
    pub layout: Layout,
    /// The box of a dense write.
    pub ranges: Vec<(u8, u8)>,
    /// The cells of each submit, in the order of the layout.
    pub parts: Vec<Vec<Cell>>,
}

impl TestWrite {
    pub fn unordered(cells: &[Cell]) -> TestWrite {
        TestWrite { layout: Layout::Unordered, ranges: Vec::new(), parts: vec![cells.to_vec()] }
    }

    pub fn cells(&self) -> Vec<Cell> {
        self.parts.concat()
    }

    /// Leaves out what is outside of a domain. Cells of the global order come in whole tiles: all or none of them.
    pub fn clip(&mut self, domain: &[(u8, u8)]) {
        let is_inside = self.parts.iter().flatten().all(|cell| is_in_box(domain, &cell.at));
        if !self.ranges.is_empty() && self.layout == Layout::GlobalOrder && !is_inside {
            self.parts.clear();
        }
        self.parts.iter_mut().for_each(|part| part.retain(|cell| is_in_box(domain, &cell.at)));
        self.parts.retain(|part| !part.is_empty());
        for (range, domain) in self.ranges.iter_mut().zip(domain) {
            *range = (range.0.max(domain.0), range.1.min(domain.1));
        }
    }

    /// Gives all cells values of exactly these attributes.
    pub fn restrict(&mut self, attributes: &[usize], shape: &ArrayShape) {
        for cell in self.parts.iter_mut().flatten() {
            cell.values.retain(|attribute, _| attributes.contains(attribute));
            for attribute in attributes {
                cell.values.entry(*attribute).or_insert_with(|| shape.attributes[*attribute].fill_value());
            }
        }
    }
}

/// A change of the schema.
#[derive(Clone, Debug)]
pub enum TestEvolution {
    Add(usize),
    Drop(usize),
    /// The current domain.
    Expand(Vec<(u8, u8)>),
    /// The enumeration, to so many values.
    Extend(usize),
}

impl TestEvolution {
    /// The schema after the change.
    pub fn apply(&self, schema: &Schema) -> Schema {
        let mut schema = schema.clone();
        match self {
            TestEvolution::Add(number) if schema.attributes.contains(number) => {}
            TestEvolution::Add(number) => schema.attributes.push(*number),
            TestEvolution::Drop(number) => schema.attributes.retain(|other| other != number),
            TestEvolution::Expand(ranges) => schema.domain.clone_from(ranges),
            TestEvolution::Extend(count) => schema.labels = COLORS[..*count].to_vec(),
        }
        schema
    }
}

/// A consolidation.
#[derive(Clone, Debug)]
pub struct TestConsolidation {
    pub parameters: Parameters,
    /// The positions of the fragments, if not all.
    pub picks: Option<Vec<usize>>,
}

impl TestArray {
    /// # Errors
    /// If there is an array at `uri`, or storage fails.
    pub fn create(shape: &ArrayShape, resources: &Resources, uri: &Uri) -> Result<TestArray> {
        let array = TestArray { shape: Arc::new(shape.clone()), uri: uri.clone() };
        create(&array.with_key(resources, &[])?, uri, &shape.schema()?, &array.key()?)?;
        Ok(array)
    }

    /// The same array at another place.
    pub fn at(&self, uri: &Uri) -> TestArray {
        TestArray { shape: Arc::clone(&self.shape), uri: uri.clone() }
    }

    fn key(&self) -> Result<EncryptionKey> {
        EncryptionKey::for_opening(&self.config_of(&Config::new(), &[])?)
    }

    fn config_of(&self, config: &Config, parameters: &[(&'static str, String)]) -> Result<Config> {
        let mut config = config.clone();
        if self.shape.encrypts {
            config.set("sm.encryption_type", "AES_256_GCM")?;
            config.set("sm.encryption_key", KEY)?;
        }
        parameters.iter().try_for_each(|(name, value)| config.set(name, value))?;
        Ok(config)
    }

    /// The resources of an actor with the key of the array and other parameters.
    ///
    /// # Errors
    /// If a parameter is invalid.
    pub fn with_key(&self, resources: &Resources, parameters: &[(&'static str, String)]) -> Result<Resources> {
        match self.shape.encrypts || !parameters.is_empty() {
            true => resources.with_config(self.config_of(resources.config(), parameters)?),
            false => Ok(resources.clone()),
        }
    }

    /// Opens the array in a window.
    ///
    /// # Errors
    /// As the engine.
    pub fn open(&self, resources: &Resources, kind: QueryType, window: Window) -> Result<Arc<OpenArray>> {
        let resources = self.with_key(resources, &[])?;
        OpenArray::open(&resources, &self.uri, kind, window, &self.key()?).map(Arc::new)
    }

    /// The fields of an open array: its coordinates, and the attributes of its schema.
    pub fn fields(&self, array: &OpenArray) -> Vec<TestField> {
        let number = |name: &str| self.shape.attributes.iter().position(|attribute| attribute.name == name);
        let attributes = array.schema().attributes().iter().filter_map(|attribute| number(attribute.name().as_str()));
        let dimensions = (0..self.shape.dimensions.len()).map(TestField::Dimension);
        dimensions.chain(attributes.map(TestField::Attribute)).collect()
    }

    /// What of the schema of an open array can evolve.
    ///
    /// # Errors
    /// As the engine.
    pub fn schema(&self, array: &OpenArray) -> Result<Schema> {
        let attributes = self.fields(array).into_iter().filter_map(TestField::attribute).collect();
        let mut domain = self.shape.domain();
        if let Some(rectangle) = array.schema().current_domain().rectangle() {
            for (number, (dimension, range)) in self.shape.dimensions.iter().zip(&mut domain).enumerate() {
                let Some(ends) = rectangle.range(number)? else { continue };
                let end = |bytes: &[u8]| dimension.decode(bytes).unwrap();
                *range = (end(ends.low()), end(ends.high()));
            }
        }
        let mut labels = Vec::new();
        if array.schema().enumeration("colors").is_some() {
            let colors = array.enumeration("colors")?;
            let label = |at| COLORS.into_iter().find(|label| colors.value(at) == Some(label.as_bytes())).unwrap();
            labels = (0..colors.len()).map(label).collect();
        }
        Ok(Schema { attributes, domain, labels })
    }

    /// Begins a write to an array that is open for writing.
    ///
    /// # Errors
    /// As the engine.
    pub fn begin_write(&self, array: &Arc<OpenArray>, write: &TestWrite) -> Result<OpenWrite> {
        let mut query = Query::new(array, QueryType::Write)?;
        query.set_layout(write.layout)?;
        if self.shape.is_dense() {
            let ranges: Vec<Vec<(u8, u8)>> = write.ranges.iter().map(|range| vec![*range]).collect();
            query.set_subarray(&self.subarray(array, &ranges)?)?;
        }
        let is_written = |field: &TestField| !self.shape.is_dense() || matches!(field, TestField::Attribute(_));
        let fields = self.fields(array).into_iter().filter(is_written).collect();
        Ok(OpenWrite { shape: Arc::clone(&self.shape), query, fields, parts: write.parts.clone(), written: 0 })
    }

    /// Writes a fragment as of a time, of the attributes of the schema at that time. Returns its name.
    ///
    /// # Errors
    /// As the engine.
    pub fn write(&self, resources: &Resources, time: u64, write: &TestWrite) -> Result<String> {
        let array = self.open(resources, QueryType::Write, (0, time))?;
        let mut open = self.begin_write(&array, write)?;
        while open.submit()? {}
        let uri = open.query.fragment_uri(0)?.as_str();
        Ok(uri.rsplit('/').next().unwrap_or_default().to_owned())
    }

    /// # Errors
    /// As the engine.
    pub fn delete(&self, resources: &Resources, time: u64, condition: &ModelCondition) -> Result<()> {
        let mut query = Query::new(&self.open(resources, QueryType::Delete, (0, time))?, QueryType::Delete)?;
        query.set_condition(Some(self.condition(condition)?))?;
        query.submit()
    }

    /// # Errors
    /// As the engine.
    pub fn evolve(&self, resources: &Resources, time: u64, changes: &[TestEvolution]) -> Result<()> {
        let mut evolution = SchemaEvolution::default();
        for change in changes {
            match change {
                TestEvolution::Add(number) => {
                    evolution.add_attribute(Arc::new(self.shape.attributes[*number].attribute()?))?;
                }
                TestEvolution::Drop(number) => evolution.drop_attribute(&self.shape.attributes[*number].name),
                TestEvolution::Expand(ranges) => {
                    evolution.expand_current_domain(self.shape.rectangle(self.shape.schema()?.domain(), ranges)?)?;
                }
                TestEvolution::Extend(count) => evolution.extend_enumeration(self.shape.enumeration(*count)?)?,
            }
        }
        if time > 0 {
            evolution.set_timestamps(time, time)?;
        }
        evolve(&self.with_key(resources, &[])?, &self.uri, &evolution, &self.key()?)
    }

    /// Puts metadata, or deletes those without a value.
    ///
    /// # Errors
    /// As the engine.
    pub fn put_metadata(&self, resources: &Resources, time: u64, entries: &[(String, Option<Vec<u8>>)]) -> Result<()> {
        let array = Array::new(&self.with_key(resources, &[])?, self.uri.as_str())?;
        array.set_open_end(time);
        array.open(QueryType::Write as u32)?;
        for (key, value) in entries {
            match value {
                Some(value) => array.put_metadata(Some(key), Datatype::Uint8 as u32, Some(value))?,
                None => array.delete_metadata(Some(key))?,
            }
        }
        array.close()
    }

    /// The metadata that a window shows.
    ///
    /// # Errors
    /// As the engine.
    pub fn metadata(&self, resources: &Resources, window: Window) -> Result<BTreeMap<String, Vec<u8>>> {
        metadata_of(&*self.open(resources, QueryType::Read, window)?)
    }

    /// Begins a read, which sees the array as it is now, whenever it is continued.
    ///
    /// # Errors
    /// As the engine.
    pub fn begin_read(&self, resources: &Resources, selection: &Selection, options: &ReadOptions) -> Result<OpenRead> {
        OpenRead::new(self, &self.open(resources, QueryType::Read, selection.window)?, selection, options)
    }

    /// The rows that a read returns, in its order.
    ///
    /// # Errors
    /// As the engine.
    pub fn read(&self, resources: &Resources, selection: &Selection, options: &ReadOptions) -> Result<Vec<Cell>> {
        let mut read = self.begin_read(resources, selection, options)?;
        let mut rows = Vec::new();
        while let Some(more) = read.submit()? {
            rows.extend(more);
        }
        Ok(rows)
    }

    /// # Errors
    /// As the engine.
    pub fn consolidate(&self, resources: &Resources, consolidation: &TestConsolidation) -> Result<()> {
        let resources = self.with_key(resources, &consolidation.parameters)?;
        let Some(picks) = &consolidation.picks else { return consolidate(&resources, &self.uri, &mut |_| Ok(())) };
        let fragments = FragmentInfo::new(&resources, self.uri.as_str())?;
        fragments.load()?;
        let fragments = fragments.loaded()?;
        let names = fragments.iter().map(|fragment| fragment.fragment().name().as_str().to_owned());
        let picked = names.enumerate().filter(|(position, _)| picks.contains(position)).map(|(_, name)| name);
        consolidate_fragments(&resources, &self.uri, &picked.collect::<Vec<_>>(), &mut |_| Ok(()))
    }

    /// The cells that are stored, whether readers see them or not.
    ///
    /// # Errors
    /// As the engine.
    pub fn cell_count(&self, resources: &Resources) -> Result<u64> {
        let fragments = FragmentInfo::new(&self.with_key(resources, &[])?, self.uri.as_str())?;
        fragments.load()?;
        let fragments = fragments.loaded()?;
        Ok(fragments.iter().map(|fragment| fragment.fragment().cell_count()).sum())
    }

    /// # Errors
    /// As the engine.
    pub fn vacuum(&self, resources: &Resources, mode: &str) -> Result<()> {
        vacuum(&self.with_key(resources, &[("sm.vacuum.mode", mode.to_owned())])?, &self.uri)
    }

    /// Removes files that were replaced, and stops after so many of them.
    ///
    /// # Errors
    /// As the engine.
    pub fn vacuum_partly(&self, resources: &Resources, mode: &str, count: u64) -> Result<()> {
        let resources = self.with_key(resources, &[("sm.vacuum.mode", mode.to_owned())])?;
        let mut is_stopped = false;
        let mut on_removed = |removed, _| {
            is_stopped = removed >= count;
            if is_stopped { Err(Error::new(ErrorKind::Cancelled, "The vacuum was stopped")) } else { Ok(()) }
        };
        let each = SimulatedLimits::new(&[(&LOCAL_REMOVALS_PER_CHECK, 1)]);
        let vacuumed = each.run(|| vacuum_with_progress(&resources, &self.uri, &mut on_removed));
        if is_stopped { Ok(()) } else { vacuumed }
    }

    /// Runs the maintenance by policy.
    ///
    /// # Errors
    /// As the engine.
    pub fn maintain(&self, resources: &Resources, parameters: &[(&'static str, String)]) -> Result<()> {
        maintain(&self.with_key(resources, parameters)?, &self.uri, &mut |_| Ok(()))
    }

    /// Runs the maintenance that follows a write.
    ///
    /// # Errors
    /// As the engine.
    pub fn maintain_after_write(&self, resources: &Resources, parameters: &[(&'static str, String)]) -> Result<()> {
        let resources = self.with_key(resources, parameters)?;
        maintain_after_write(&resources, resources.config().clone(), &self.uri)
    }

    /// Copies the array, with its fragments or merged.
    ///
    /// # Errors
    /// As the engine.
    pub fn copy(&self, resources: &Resources, to: &Uri, is_merged: bool) -> Result<TestArray> {
        let options = RewriteOptions { schema: None, merge: is_merged, resume: false };
        rewrite(&self.with_key(resources, &[])?, &self.uri, to, options, &mut |_| Ok(()))?;
        Ok(self.at(to))
    }

    /// Removes fragments that were never committed, and what was uploaded in part. Returns the fragments that are left.
    ///
    /// # Errors
    /// As the engine.
    pub fn sweep(&self, resources: &Resources) -> Result<Vec<Uri>> {
        let resources = self.with_key(resources, &[])?;
        sweep(&resources, &self.uri)?;
        // Histories that run at the same time have one URI, and the engine's list of fragments that are being written is that of the test.
        resources.vfs().sweep_uploads(&self.uri)?;
        orphans(&resources, &self.uri)
    }

    /// What a verification finds, but for what only wastes space.
    ///
    /// # Errors
    /// As the engine.
    pub fn verify(&self, resources: &Resources) -> Result<Vec<String>> {
        let mut findings = Vec::new();
        let mut add = |finding: &tiledb_maintain::verify::Finding| {
            if finding.severity != Severity::Note {
                findings.push(format!("{finding:?}"));
            }
            Ok(())
        };
        verify(&self.with_key(resources, &[])?, &self.uri, &mut add, &mut |_, _| Ok(()))?;
        Ok(findings)
    }

    /// The part of the array with coordinates in ranges, all of a dimension without any.
    ///
    /// # Errors
    /// As the engine.
    pub fn subarray(&self, array: &OpenArray, ranges: &[Vec<(u8, u8)>]) -> Result<Subarray> {
        let mut subarray = Subarray::new(array.schema());
        let domain = self.schema(array)?.domain;
        for (number, ranges) in ranges.iter().enumerate() {
            let dimension = &self.shape.dimensions[number];
            // Dense reads without a range are refused.
            let all = [domain[number]];
            let ranges = if ranges.is_empty() && self.shape.is_dense() { &all[..] } else { &ranges[..] };
            for &(low, high) in ranges {
                let ends = [dimension.encode(low), dimension.encode(high)];
                match dimension.is_text() {
                    true => subarray.add_range_var(number as u32, &ends[0], &ends[1])?,
                    false => subarray.add_range(number as u32, &ends[0], &ends[1])?,
                }
            }
        }
        Ok(subarray)
    }

    /// The condition as the engine has it.
    ///
    /// # Errors
    /// If it is refused.
    pub fn condition(&self, condition: &ModelCondition) -> Result<Condition> {
        let set = |operand: &Operand, values: &[Value], operator: ComparisonOperator| {
            let values: Vec<Vec<u8>> = values.iter().map(|value| self.constant(operand, value)).collect();
            let starts = values.iter().scan(0, |end, value| Some(std::mem::replace(end, *end + value.len() as u64)));
            let starts: Vec<u64> = starts.collect();
            Ok(Condition::new(Comparison::set(&self.operand(operand), &values.concat(), &starts, operator)?))
        };
        let combined = |parts: &[ModelCondition], combination: Combination| {
            let mut conditions = parts.iter().map(|part| self.condition(part));
            let first = conditions.next().unwrap()?;
            conditions.try_fold(first, |all, part| Ok(all.combine(&part?, combination)))
        };
        match condition {
            ModelCondition::Compare(operand, operator, values) if values.len() > 1 => {
                let is_in = *operator == Operator::Equal;
                set(operand, values, if is_in { ComparisonOperator::In } else { ComparisonOperator::NotIn })
            }
            ModelCondition::Compare(operand, operator, values) => {
                let operator = match operator {
                    Operator::Less => ComparisonOperator::Less,
                    Operator::LessOrEqual => ComparisonOperator::LessOrEqual,
                    Operator::Greater => ComparisonOperator::Greater,
                    Operator::GreaterOrEqual => ComparisonOperator::GreaterOrEqual,
                    Operator::Equal => ComparisonOperator::Equal,
                    Operator::NotEqual => ComparisonOperator::NotEqual,
                };
                let constant = (values[0] != Value::Null).then(|| self.constant(operand, &values[0]));
                Ok(Condition::new(Comparison::new(&self.operand(operand), constant.as_deref(), operator)?))
            }
            ModelCondition::And(parts) => combined(parts, Combination::And),
            ModelCondition::Or(parts) => combined(parts, Combination::Or),
            ModelCondition::Not(inner) => self.condition(inner)?.negate(),
        }
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Attribute(number) => TestField::Attribute(*number).name(&self.shape),
            Operand::Dimension(number) => TestField::Dimension(*number).name(&self.shape),
        }
    }

    /// The bytes of a value in a condition.
    fn constant(&self, operand: &Operand, value: &Value) -> Vec<u8> {
        match (operand, value) {
            (Operand::Dimension(number), Value::Int(at)) => self.shape.dimensions[*number].encode(*at as u8),
            (Operand::Attribute(number), value) => self.shape.attributes[*number].encode(value),
            (Operand::Dimension(_), _) => Vec::new(),
        }
    }
}

/// The metadata of an open array.
///
/// # Errors
/// As the engine.
pub fn metadata_of(array: &OpenArray) -> Result<BTreeMap<String, Vec<u8>>> {
    let metadata = array.metadata()?;
    let mut entries = BTreeMap::new();
    for index in 0..metadata.len() as u64 {
        let (key, value) = metadata.at(index)?;
        entries.insert(String::from_utf8_lossy(key).into_owned(), value.bytes().to_vec());
    }
    Ok(entries)
}

/// A write that goes on.
pub struct OpenWrite {
    shape: Arc<ArrayShape>,
    query: Query,
    fields: Vec<TestField>,
    parts: Vec<Vec<Cell>>,
    /// Number of parts that were submitted.
    written: usize,
}

impl OpenWrite {
    /// Submits the next part, after the last one finalizes. False when the write is complete.
    ///
    /// # Errors
    /// As the engine.
    pub fn submit(&mut self) -> Result<bool> {
        let Some(cells) = self.parts.get(self.written) else {
            self.query.finalize()?;
            return Ok(false);
        };
        let shape = &*self.shape;
        let mut columns: Vec<ColumnBuffer> =
            self.fields.iter().map(|field| ColumnBuffer::of_cells(shape, *field, cells)).collect();
        columns.iter_mut().try_for_each(|column| column.attach(&mut self.query))?;
        self.query.submit()?;
        self.written += 1;
        Ok(true)
    }
}
