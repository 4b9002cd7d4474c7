//! Random arrays with deletions against a model: a deletion keeps the cells that match the negation of its condition, by two-valued
//! logic: null cells match no comparison, nor do cells of fragments that lack the compared attribute, as in libtiledb.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tiledb_core::limits::simulation::SimulatedLimits;

use proptest::prelude::*;

use super::{consolidate, vacuum};
use tiledb_array::array::{OpenArray, create, evolve};
use tiledb_array::condition::{Combination, Comparison, ComparisonOperator, Condition};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain, Enumeration, SchemaEvolution};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_query::{Query, Status};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A value, or null.
type Value = Option<Vec<u8>>;

/// An attribute, the values of its cells, and what older cells have; `None` for those that the array is created with.
struct Column {
    name: &'static str,
    datatype: Datatype,
    nullable: bool,
    pool: Vec<Vec<u8>>,
    added_with: Option<Value>,
}

impl Column {
    fn is_var(&self) -> bool {
        self.datatype == Datatype::StringAscii
    }

    fn is_enumerated(&self) -> bool {
        self.name == "e"
    }

    fn attribute(&self) -> Attribute {
        let mut attribute = Attribute::new(self.name, self.datatype);
        attribute.set_nullable(self.nullable);
        if self.is_var() {
            attribute.set_cell_val_num(u32::MAX).unwrap();
        }
        if self.is_enumerated() {
            attribute.set_enumeration("colours").unwrap();
        }
        match &self.added_with {
            Some(Some(fill)) if self.nullable => attribute.set_fill_nullable(Some(fill), true).unwrap(),
            Some(Some(fill)) => attribute.set_fill(Some(fill)).unwrap(),
            _ => {}
        }
        attribute
    }
}

const COLOURS: [&[u8]; 3] = [b"red", b"green", b"blue"];

fn columns() -> Vec<Column> {
    let int = |values: &[i32]| values.iter().map(|value| value.to_le_bytes().to_vec()).collect::<Vec<_>>();
    let texts: Vec<Vec<u8>> = ["", "a", "ab", "b"].map(|text| text.as_bytes().to_vec()).into();
    let floats = [f32::NAN, -1.5, 0.0, 2.0].map(|value| value.to_le_bytes().to_vec()).into();
    let column = |name, datatype, nullable, pool, added_with| Column { name, datatype, nullable, pool, added_with };
    vec![
        column("n", Datatype::Int32, true, int(&[3, 9, 15]), None),
        column("s", Datatype::StringAscii, true, texts.clone(), None),
        column("t", Datatype::StringAscii, false, texts.clone(), None),
        column("f", Datatype::Float32, false, floats, None),
        column("e", Datatype::Uint8, true, vec![vec![0], vec![1], vec![2]], None),
        column("x", Datatype::Int32, false, int(&[7, 8]), Some(Some(int(&[7])[0].clone()))),
        column("y", Datatype::Int32, true, int(&[1, 2]), Some(None)),
        column("z", Datatype::StringAscii, true, texts, Some(Some(b"ab".to_vec()))),
    ]
}

#[derive(Clone, Debug)]
enum Tree {
    /// A column, an operator, and places in the pool of the column: one for a comparison with a value, none for one with null.
    Leaf(usize, ComparisonOperator, Vec<usize>),
    Both(Box<Tree>, Box<Tree>, bool),
    Not(Box<Tree>),
}

#[derive(Clone, Debug)]
enum Op {
    /// Coordinates, and an index into the values of each column; past the end for null.
    Write(Vec<(i32, Vec<usize>)>),
    Add(usize),
    Delete(Tree),
    Consolidate(bool),
    Vacuum,
}

fn tree(columns: usize) -> impl Strategy<Value = Tree> {
    let leaf = (0..columns, any::<prop::sample::Index>(), prop::collection::vec(0..4usize, 0..4)).prop_map(
        |(column, operator, places)| {
            let count = [ComparisonOperator::Equal, ComparisonOperator::NotEqual].len();
            let operator = match places.len() {
                0 => ComparisonOperator::from_number(4 + operator.index(count) as u32),
                1 => ComparisonOperator::from_number(operator.index(6) as u32),
                _ => ComparisonOperator::from_number(6 + operator.index(2) as u32),
            };
            Tree::Leaf(column, operator, places)
        },
    );
    leaf.prop_recursive(3, 8, 2, |inner| {
        let both = (inner.clone(), inner.clone(), any::<bool>());
        prop_oneof![
            both.prop_map(|(left, right, all)| Tree::Both(Box::new(left), Box::new(right), all)),
            inner.prop_map(|inner| Tree::Not(Box::new(inner)))
        ]
    })
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let columns = columns().len();
    let cell = (0..30i32, prop::collection::vec(0..5usize, columns));
    let write = prop::collection::vec(cell, 1..12).prop_map(Op::Write);
    let op = prop_oneof![
        4 => write,
        1 => (5..columns).prop_map(Op::Add),
        4 => tree(columns).prop_map(Op::Delete),
        2 => any::<bool>().prop_map(Op::Consolidate),
        1 => Just(Op::Vacuum),
    ];
    prop::collection::vec(op, 2..12)
}

struct Cell {
    at: i32,
    values: Vec<Value>,
    /// The columns that its fragment lacks.
    lacks: Vec<bool>,
    is_deleted: bool,
}

/// A tree as delete commits store it: negated, and without groups directly in groups of the same kind.
enum Stored<'a> {
    Leaf(usize, ComparisonOperator, &'a [usize]),
    Group(bool, Vec<Stored<'a>>),
}

impl<'a> Stored<'a> {
    fn negation_of(tree: &'a Tree) -> Stored<'a> {
        Stored::of(tree, true)
    }

    fn of(tree: &'a Tree, negated: bool) -> Stored<'a> {
        match tree {
            Tree::Not(inner) => Stored::of(inner, !negated),
            Tree::Leaf(column, operator, places) => {
                let operator = if negated { operator.negated().unwrap() } else { *operator };
                Stored::Leaf(*column, operator, places)
            }
            Tree::Both(left, right, all) => {
                let all = *all != negated;
                let mut parts = Vec::new();
                for part in [left, right].map(|part| Stored::of(part, negated)) {
                    match part {
                        Stored::Group(kind, inner) if kind == all => parts.extend(inner),
                        part => parts.push(part),
                    }
                }
                Stored::Group(all, parts)
            }
        }
    }
}

struct TestArray {
    columns: Vec<Column>,
    present: Vec<bool>,
    dups: bool,
    cells: Vec<Cell>,
    resources: Resources,
    uri: Uri,
}

impl TestArray {
    fn new(dups: bool) -> TestArray {
        static ARRAYS: AtomicUsize = AtomicUsize::new(0);
        let uri = Uri::parse(&format!("mem://deletes/{}", ARRAYS.fetch_add(1, Ordering::Relaxed))).unwrap();
        let resources = Resources::new(Config::new()).unwrap();
        let columns = columns();
        let ends = [0i32, 99].map(i32::to_le_bytes).concat();
        let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&10i32.to_le_bytes())).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.set_capacity(4).unwrap();
        schema.set_allows_dups(dups).unwrap();
        let starts = [0, 3, 8];
        let colours =
            Enumeration::new("colours", Datatype::StringAscii, u32::MAX, false, &COLOURS.concat(), Some(&starts))
                .unwrap();
        schema.add_enumeration(Arc::new(colours)).unwrap();
        let first = columns.iter().filter(|column| column.added_with.is_none());
        first.for_each(|column| schema.add_attribute(Arc::new(column.attribute())).unwrap());
        create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
        let present = columns.iter().map(|column| column.added_with.is_none()).collect();
        TestArray { columns, present, dups, cells: Vec::new(), resources, uri }
    }

    fn open(&self, kind: QueryType) -> Arc<OpenArray> {
        let end = if kind == QueryType::Read { u64::MAX - 1 } else { 0 };
        Arc::new(OpenArray::open(&self.resources, &self.uri, kind, (0, end), &EncryptionKey::None).unwrap())
    }

    fn write(&mut self, cells: &[(i32, Vec<usize>)]) {
        let mut cells: Vec<_> = cells.to_vec();
        cells.sort_by_key(|cell| cell.0);
        cells.dedup_by_key(|cell| cell.0);
        let value = |(column, place): (&Column, &usize)| match place {
            place if column.nullable && *place >= column.pool.len() => None,
            place => Some(column.pool[place % column.pool.len()].clone()),
        };
        let values: Vec<Vec<Value>> =
            cells.iter().map(|(_, places)| self.columns.iter().zip(places).map(value).collect()).collect();
        let mut buffers = Buffers::default();
        let mut query = Query::new(&self.open(QueryType::Write), QueryType::Write).unwrap();
        query.set_layout(Layout::Unordered).unwrap();
        buffers.fixed(&mut query, "d", cells.iter().flat_map(|cell| cell.0.to_le_bytes()).collect());
        for (number, column) in self.columns.iter().enumerate().filter(|(number, _)| self.present[*number]) {
            let own: Vec<&Value> = values.iter().map(|values| &values[number]).collect();
            buffers.attach(&mut query, column, &own);
        }
        query.submit().unwrap();
        for ((at, _), mut values) in cells.into_iter().zip(values) {
            for (number, column) in self.columns.iter().enumerate().filter(|(number, _)| !self.present[*number]) {
                values[number] = column.added_with.clone().flatten();
            }
            let lacks = self.present.iter().map(|present| !present).collect();
            self.cells.push(Cell { at, values, lacks, is_deleted: false });
        }
    }

    fn add(&mut self, number: usize) {
        if std::mem::replace(&mut self.present[number], true) {
            return;
        }
        let mut evolution = SchemaEvolution::default();
        evolution.add_attribute(Arc::new(self.columns[number].attribute())).unwrap();
        evolve(&self.resources, &self.uri, &evolution, &EncryptionKey::None).unwrap();
    }

    /// The condition of a tree; `None` if the array has no such field, or the operator does not apply.
    fn condition(&self, tree: &Tree) -> Option<Condition> {
        match tree {
            Tree::Not(inner) => Some(self.condition(inner)?.negate().unwrap()),
            Tree::Both(left, right, all) => {
                let combination = if *all { Combination::And } else { Combination::Or };
                Some(self.condition(left)?.combine(&self.condition(right)?, combination))
            }
            Tree::Leaf(number, operator, places) => {
                let column = &self.columns[*number];
                let value = |place: &usize| match column.is_enumerated() {
                    true => COLOURS[place % COLOURS.len()],
                    false => &column.pool[place % column.pool.len()][..],
                };
                if !self.present[*number]
                    || places.is_empty() && !column.nullable
                    || column.is_enumerated() && operator.is_inequality()
                {
                    return None;
                }
                let members: Vec<&[u8]> = places.iter().map(value).collect();
                let comparison = match members.as_slice() {
                    [] => Comparison::new(column.name, None, *operator),
                    [value] => Comparison::new(column.name, Some(value), *operator),
                    members => {
                        let starts = tiledb_cells::write::testing::starts(members);
                        Comparison::set(column.name, &members.concat(), &starts, *operator)
                    }
                };
                Some(Condition::new(comparison.unwrap()))
            }
        }
    }

    /// True, false, or unknown.
    fn holds(&self, tree: &Tree, values: &[Value]) -> Option<bool> {
        match tree {
            Tree::Not(inner) => self.holds(inner, values).map(|holds| !holds),
            Tree::Both(left, right, all) => match (self.holds(left, values), self.holds(right, values)) {
                (Some(a), Some(b)) => Some(if *all { a && b } else { a || b }),
                (Some(known), None) | (None, Some(known)) if known != *all => Some(known),
                _ => None,
            },
            Tree::Leaf(number, operator, places) => {
                let (column, value) = (&self.columns[*number], &values[*number]);
                if places.is_empty() {
                    return Some(value.is_none() == (*operator == ComparisonOperator::Equal));
                }
                let value = value.as_ref()?;
                let wanted = |place: &usize| &column.pool[place % column.pool.len()];
                match operator {
                    ComparisonOperator::In => Some(places.iter().any(|place| wanted(place) == value)),
                    ComparisonOperator::NotIn => Some(!places.iter().any(|place| wanted(place) == value)),
                    _ => compare(column.datatype, *operator, value, wanted(&places[0])),
                }
            }
        }
    }

    /// True if a cell matches a stored condition. A comparison with a column that the fragment lacks discards what precedes it in a
    /// disjunction.
    fn keeps(&self, stored: &Stored<'_>, cell: &Cell) -> bool {
        let lacks = |part: &Stored<'_>| matches!(part, Stored::Leaf(column, ..) if cell.lacks[*column]);
        match stored {
            leaf if lacks(leaf) => false,
            // What is left of "is null": cells that are not.
            Stored::Leaf(column, _, []) => cell.values[*column].is_some(),
            Stored::Leaf(column, operator, places) => {
                let leaf = Tree::Leaf(*column, *operator, places.to_vec());
                self.holds(&leaf, &cell.values) == Some(true)
            }
            Stored::Group(true, parts) => parts.iter().all(|part| self.keeps(part, cell)),
            Stored::Group(false, parts) => {
                let after_absent = parts.iter().rposition(lacks).map_or(0, |last| last + 1);
                parts[after_absent..].iter().any(|part| self.keeps(part, cell))
            }
        }
    }

    /// True for "is not null": no stored condition keeps null cells.
    fn is_refused(&self, stored: &Stored<'_>) -> bool {
        match stored {
            Stored::Leaf(_, operator, places) => places.is_empty() && *operator == ComparisonOperator::Equal,
            Stored::Group(_, parts) => parts.iter().any(|part| self.is_refused(part)),
        }
    }

    fn delete(&mut self, tree: &Tree) {
        let Some(condition) = self.condition(tree) else { return };
        let is_met = |cell: &Cell| self.holds(tree, &cell.values) == Some(true);
        let wanted = self.shown(|cell| is_met(cell));
        assert_eq!(self.read(Some(condition.clone())), wanted, "selected by {tree:?}");
        let mut query = Query::new(&self.open(QueryType::Delete), QueryType::Delete).unwrap();
        query.set_condition(Some(condition)).unwrap();
        let deleted: Result<()> = query.submit();
        let stored = Stored::negation_of(tree);
        assert_eq!(deleted.is_err(), self.is_refused(&stored), "{tree:?}: {deleted:?}");
        if deleted.is_ok() {
            let deleted: Vec<bool> = self.cells.iter().map(|cell| !self.keeps(&stored, cell)).collect();
            self.cells.iter_mut().zip(deleted).for_each(|(cell, deleted)| cell.is_deleted |= deleted);
        }
    }

    /// Coordinates of cells that are read, with how many there are of each.
    fn shown(&self, meets: impl Fn(&Cell) -> bool) -> BTreeMap<i32, usize> {
        let is_newest =
            |place: usize| self.dups || self.cells[place + 1..].iter().all(|later| later.at != self.cells[place].at);
        let mut shown = BTreeMap::new();
        for (place, cell) in self.cells.iter().enumerate() {
            if is_newest(place) && !cell.is_deleted && meets(cell) {
                *shown.entry(cell.at).or_default() += 1;
            }
        }
        shown
    }

    fn read(&self, condition: Option<Condition>) -> BTreeMap<i32, usize> {
        let mut query = Query::new(&self.open(QueryType::Read), QueryType::Read).unwrap();
        query.set_layout(Layout::Unordered).unwrap();
        if condition.is_some() {
            query.set_condition(condition).unwrap();
        }
        let (mut coordinates, mut size) = (vec![0i32; 1000], 4000);
        let start = UserPtr::in_test(coordinates.as_mut_ptr().cast());
        query.set_data_buffer("d", start, UserPtr::in_test(&mut size)).unwrap();
        query.submit().unwrap();
        assert_eq!(query.status(), Status::Completed);
        let mut found = BTreeMap::new();
        coordinates[..size as usize / 4].iter().for_each(|at| *found.entry(*at).or_default() += 1);
        found
    }

    fn consolidate(&mut self, purges: bool) {
        let fragments = self.open(QueryType::Read).fragments().unwrap().len();
        let mut config = Config::new();
        config.set("sm.consolidation.purge_deleted_cells", if purges { "true" } else { "false" }).unwrap();
        let consolidated = consolidate(&self.resources.with_config(config).unwrap(), &self.uri, &mut |_| Ok(()));
        // A consolidation that leaves no cell is rejected, as in libtiledb.
        assert!(consolidated.is_ok() || purges && self.shown(|_| true).is_empty(), "{consolidated:?}");
        if fragments > 1 && consolidated.is_ok() {
            // The consolidated fragment has all attributes of the schema.
            for cell in &mut self.cells {
                cell.lacks = self.present.iter().map(|present| !present).collect();
            }
        }
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Write(cells) => self.write(cells),
            Op::Add(number) => self.add(*number),
            Op::Delete(tree) => self.delete(tree),
            Op::Consolidate(purges) => self.consolidate(*purges),
            Op::Vacuum => vacuum(&self.resources, &self.uri).unwrap(),
        }
    }
}

/// Compares two values; NaN differs from all and is neither less nor greater.
fn compare(datatype: Datatype, operator: ComparisonOperator, value: &[u8], wanted: &[u8]) -> Option<bool> {
    let order = match datatype {
        Datatype::Int32 => {
            Some(i32::from_le_bytes(value.try_into().unwrap()).cmp(&i32::from_le_bytes(wanted.try_into().unwrap())))
        }
        Datatype::Float32 => {
            f32::from_le_bytes(value.try_into().unwrap()).partial_cmp(&f32::from_le_bytes(wanted.try_into().unwrap()))
        }
        _ => Some(value.cmp(wanted)),
    };
    match (operator, order) {
        (ComparisonOperator::Equal, order) => Some(order.is_some_and(|order| order.is_eq())),
        (ComparisonOperator::NotEqual, order) => Some(order.is_none_or(|order| order.is_ne())),
        // As where a value is null: not true, nor is the opposite.
        (_, None) => None,
        (ComparisonOperator::Less, Some(order)) => Some(order.is_lt()),
        (ComparisonOperator::LessOrEqual, Some(order)) => Some(order.is_le()),
        (ComparisonOperator::Greater, Some(order)) => Some(order.is_gt()),
        (_, Some(order)) => Some(order.is_ge()),
    }
}

/// Buffers of a write, alive until it is done.
#[derive(Default)]
struct Buffers {
    bytes: Vec<Vec<u8>>,
    sizes: Vec<Vec<u64>>,
}

impl Buffers {
    fn hold(&mut self, mut bytes: Vec<u8>) -> (UserPtr<u8>, UserPtr<u64>) {
        self.sizes.push(vec![bytes.len() as u64]);
        // The address of an empty vector is no memory.
        bytes.reserve(1);
        self.bytes.push(bytes);
        let (bytes, size) = (self.bytes.last_mut().unwrap(), self.sizes.last_mut().unwrap());
        (UserPtr::in_test(bytes.as_mut_ptr()), UserPtr::in_test(size.as_mut_ptr()))
    }

    fn fixed(&mut self, query: &mut Query, name: &str, bytes: Vec<u8>) {
        let (start, size) = self.hold(bytes);
        query.set_data_buffer(name, start, size).unwrap();
    }

    fn attach(&mut self, query: &mut Query, column: &Column, values: &[&Value]) {
        let size = if column.is_var() { 0 } else { column.datatype.size() };
        let cells: Vec<Vec<u8>> = values.iter().map(|value| (*value).clone().unwrap_or(vec![0; size])).collect();
        self.fixed(query, column.name, cells.concat());
        if column.is_var() {
            let starts = tiledb_cells::write::testing::starts(&cells);
            let (start, size) = self.hold(starts.iter().flat_map(|start| start.to_le_bytes()).collect());
            query.set_offsets_buffer(column.name, start, size).unwrap();
        }
        if column.nullable {
            let (start, size) = self.hold(values.iter().map(|value| u8::from(value.is_some())).collect());
            query.set_validity_buffer(column.name, start, size).unwrap();
        }
    }
}

fn run(dups: bool, ops: &[Op]) {
    let mut array = TestArray::new(dups);
    for op in ops {
        array.apply(op);
        assert_eq!(array.read(None), array.shown(|_| true), "after {op:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_deletion_keeps_the_cells_that_match_its_negation(dups: bool, ops in ops(), limits in prop::option::of(any::<u64>())) {
        SimulatedLimits::of_option(limits).run(|| run(dups, &ops));
    }
}

/// Cells 0 to 3 have 3, 9, null and null; cells 4 and 5 are older than `x`, `y` and `z`, with the fill values 7, null and "ab".
#[test]
fn null_cells_and_cells_older_than_the_attribute_are_deleted_by_every_comparison() {
    let leaf = |column: usize, operator, places: &[usize]| Tree::Leaf(column, operator, places.to_vec());
    let both = |left: &Tree, right: &Tree, all| Tree::Both(Box::new(left.clone()), Box::new(right.clone()), all);
    let old = Op::Write(vec![(4, vec![0; 8]), (5, vec![0; 8])]);
    let new =
        Op::Write((0..4).map(|at| (at, vec![at as usize + if at > 1 { 3 } else { 0 }, 5, 0, 0, 5, 1, 5, 5])).collect());
    let (is_three, is_eight) = (leaf(0, ComparisonOperator::Equal, &[0]), leaf(5, ComparisonOperator::Equal, &[1]));
    // The deleted cells, and those that are only deleted before a consolidation has stored the fill values.
    for (tree, deleted, deleted_before) in [
        (leaf(0, ComparisonOperator::Equal, &[2]), &[2, 3][..], &[][..]),
        (leaf(0, ComparisonOperator::NotEqual, &[0]), &[1, 2, 3], &[]),
        (Tree::Not(Box::new(leaf(0, ComparisonOperator::NotEqual, &[0]))), &[0, 2, 3, 4, 5], &[]),
        (leaf(0, ComparisonOperator::Less, &[1]), &[0, 2, 3, 4, 5], &[]),
        (leaf(0, ComparisonOperator::NotIn, &[0, 2]), &[1, 2, 3], &[]),
        (leaf(0, ComparisonOperator::Equal, &[]), &[2, 3], &[]),
        // Refused.
        (leaf(0, ComparisonOperator::NotEqual, &[]), &[], &[]),
        (leaf(1, ComparisonOperator::Equal, &[]), &[0, 1, 2, 3], &[]),
        (leaf(1, ComparisonOperator::NotEqual, &[]), &[], &[]),
        (leaf(1, ComparisonOperator::Equal, &[0]), &[0, 1, 2, 3, 4, 5], &[]),
        (leaf(3, ComparisonOperator::Greater, &[2]), &[0, 1, 2, 3, 4, 5], &[]),
        (leaf(5, ComparisonOperator::Equal, &[0]), &[4, 5], &[]),
        (is_eight.clone(), &[0, 1, 2, 3], &[4, 5]),
        (leaf(6, ComparisonOperator::Equal, &[0]), &[0, 1, 2, 3, 4, 5], &[]),
        (leaf(6, ComparisonOperator::Equal, &[]), &[0, 1, 2, 3, 4, 5], &[]),
        (leaf(7, ComparisonOperator::Equal, &[1]), &[0, 1, 2, 3], &[4, 5]),
        // The order matters for cells that are older than `x`.
        (both(&is_eight, &leaf(0, ComparisonOperator::Equal, &[1]), true), &[1, 2, 3], &[]),
        (both(&leaf(0, ComparisonOperator::Equal, &[1]), &is_eight, true), &[1, 2, 3], &[4, 5]),
        (both(&is_three, &is_eight, false), &[0, 1, 2, 3, 4, 5], &[]),
    ] {
        let delete = Op::Delete(tree.clone());
        let [keep, purge] = [false, true].map(Op::Consolidate);
        for (is_consolidated, last) in [
            (false, vec![delete.clone()]),
            (true, vec![keep.clone(), delete.clone()]),
            (true, vec![keep.clone(), Op::Vacuum, delete.clone()]),
            (false, vec![delete.clone(), keep, Op::Vacuum]),
            (false, vec![delete, purge, Op::Vacuum]),
        ] {
            let mut array = TestArray::new(false);
            let first = [old.clone(), Op::Add(5), Op::Add(6), Op::Add(7), new.clone()];
            for op in first.iter().chain(&last) {
                array.apply(op);
            }
            let left: Vec<i32> = array.read(None).into_keys().collect();
            let is_deleted = |at: &i32| deleted.contains(at) || !is_consolidated && deleted_before.contains(at);
            let expected: Vec<i32> = (0..6).filter(|at| !is_deleted(at)).collect();
            assert_eq!(left, expected, "{tree:?}, {last:?}");
        }
    }
}
