//! A random scenario, generated from a seed: a schema, cells, deletions and queries.

use crate::random::Random;

/// A type of fields: number, bytes of an element, elements per cell (`None` for any number).
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub number: u64,
    pub size: usize,
    pub values: Option<usize>,
}

const fn kind(number: u64, size: usize, values: Option<usize>) -> Kind {
    Kind { number, size, values }
}

/// Numbers of types: CHAR, ASCII and UTF-8 text, fixed and variable; integers; floats; datetimes; others.
const ATTRIBUTES: [Kind; 29] = [
    kind(0, 4, Some(1)),
    kind(1, 8, Some(1)),
    kind(2, 4, Some(1)),
    kind(3, 8, Some(1)),
    kind(4, 1, Some(1)),
    kind(4, 1, Some(3)),
    kind(4, 1, None),
    kind(5, 1, Some(1)),
    kind(6, 1, Some(1)),
    kind(7, 2, Some(1)),
    kind(8, 2, Some(1)),
    kind(9, 4, Some(1)),
    kind(10, 8, Some(1)),
    kind(11, 1, Some(2)),
    kind(11, 1, None),
    kind(11, 1, None),
    kind(12, 1, None),
    kind(12, 1, Some(2)),
    kind(21, 8, Some(1)),
    kind(41, 1, Some(1)),
    kind(40, 1, Some(1)),
    kind(0, 4, Some(2)),
    kind(6, 1, None),
    kind(13, 2, Some(1)),
    kind(14, 4, None),
    kind(18, 8, Some(1)),
    kind(30, 8, Some(1)),
    kind(33, 8, Some(1)),
    kind(39, 8, Some(1)),
];

/// Types of dimensions: whole numbers, datetimes, times.
const DIMENSIONS: [Kind; 12] = [
    kind(0, 4, Some(1)),
    kind(1, 8, Some(1)),
    kind(5, 1, Some(1)),
    kind(6, 1, Some(1)),
    kind(7, 2, Some(1)),
    kind(8, 2, Some(1)),
    kind(9, 4, Some(1)),
    kind(10, 8, Some(1)),
    kind(18, 8, Some(1)),
    kind(27, 8, Some(1)),
    kind(31, 8, Some(1)),
    kind(35, 8, Some(1)),
];

/// Types of dimensions that only sparse arrays have.
const SPARSE_DIMENSIONS: [Kind; 4] = [kind(2, 4, Some(1)), kind(3, 8, Some(1)), kind(11, 1, None), kind(11, 1, None)];

#[derive(Clone, Debug)]
pub struct Attribute {
    pub kind: Kind,
    pub nullable: bool,
    /// Ordered, with these values.
    pub enumeration: Option<(bool, Vec<Vec<u8>>)>,
    /// The values its cells have.
    pub pool: Vec<Vec<u8>>,
}

impl Attribute {
    /// The only filter of its values, if there is one: some texts are encoded as words.
    pub fn filter(&self) -> Option<u64> {
        let is_text = matches!(self.kind, Kind { number: 11 | 12, values: None, .. });
        // Not random, so that other parts of the scenario stay what they are.
        match self.pool.iter().map(Vec::len).sum::<usize>() % 3 {
            0 if is_text => Some(DICTIONARY),
            1 if is_text => Some(RLE),
            _ => None,
        }
    }
}

const RLE: u64 = 4;
const DICTIONARY: u64 = 14;

#[derive(Clone, Debug)]
pub struct Fragment {
    pub time: u64,
    /// Whether our library writes it.
    pub by_us: bool,
    /// The attributes that the schema has by then.
    pub present: Vec<bool>,
    /// Dense: the first and the last coordinate of each dimension.
    pub region: Vec<(i64, i64)>,
    /// Sparse: coordinates by cell.
    pub cells: Vec<Vec<i64>>,
    /// Per attribute the cells, as places in the pool, and whether they are valid.
    pub values: Vec<Vec<(usize, bool)>>,
}

#[derive(Clone, Debug)]
pub enum Tree {
    Leaf { field: String, operator: u64, value: Option<Vec<u8>>, members: Vec<Vec<u8>>, by_index: bool },
    Both(Box<Tree>, Box<Tree>, u64),
    Not(Box<Tree>),
}

#[derive(Clone, Debug)]
pub struct Query {
    pub layout: u64,
    pub end: u64,
    pub fields: Vec<usize>,
    pub ranges: Vec<Vec<(i64, i64)>>,
    pub condition: Tree,
    pub room: usize,
}

#[derive(Clone, Debug)]
pub struct Scenario {
    pub dense: bool,
    pub dups: bool,
    pub tile_order: u64,
    pub cell_order: u64,
    pub capacity: u64,
    /// Highest coordinate, from 1, and tile extent.
    pub dimensions: Vec<(i64, i64)>,
    /// What is added to the coordinates of each dimension.
    pub shifts: Vec<i64>,
    /// By how much the domain reaches beyond the current domain, if there is one.
    pub beyond: Option<i64>,
    pub dimension_kinds: Vec<Kind>,
    pub attributes: Vec<Attribute>,
    /// Attributes that the schema gains or loses, each before the fragment of this number.
    pub steps: Vec<(usize, usize)>,
    pub fragments: Vec<Fragment>,
    /// Time, condition, and whether our library commits it.
    pub deletes: Vec<(u64, Tree, bool)>,
    pub consolidate: bool,
    /// The times of fragments that a consolidation made.
    pub merged: Vec<(u64, u64)>,
    pub queries: Vec<Query>,
}

impl Scenario {
    /// Dimensions of 32-bit numbers.
    #[allow(dead_code, reason = "the aggregates use it")]
    pub fn random(seed: u64) -> Scenario {
        Scenario::with_dimensions(seed, &[kind(0, 4, Some(1))], &[])
    }

    /// Dimensions of any type.
    #[allow(dead_code, reason = "the conditions use it")]
    pub fn of_all_types(seed: u64) -> Scenario {
        Scenario::with_dimensions(seed, &DIMENSIONS, &SPARSE_DIMENSIONS)
    }

    fn with_dimensions(seed: u64, kinds: &[Kind], of_sparse: &[Kind]) -> Scenario {
        let random = &mut Random::new(seed ^ 0xc0d1);
        let dense = random.one_in(2);
        let dimensions: Vec<(i64, i64)> =
            (0..random.between(1, 2)).map(|_| (random.between(4, 24), random.between(1, 9))).collect();
        let dimensions: Vec<(i64, i64)> =
            dimensions.into_iter().map(|(high, extent)| (high, extent.min(high))).collect();
        let mut kinds = kinds.to_vec();
        kinds.extend_from_slice(if dense { &[] } else { of_sparse });
        let dimension_kinds = match kinds.as_slice() {
            [only] => vec![*only; dimensions.len()],
            // The coordinates of a dense array have one type.
            _ if dense => vec![*random.pick(&kinds); dimensions.len()],
            _ => dimensions.iter().map(|_| *random.pick(&kinds)).collect(),
        };
        let attributes: Vec<Attribute> = (0..random.between(1, 4)).map(|_| attribute(random)).collect();
        let mut scenario = Scenario {
            dense,
            dups: !dense && random.one_in(2),
            tile_order: 0,
            cell_order: if dense || random.one_in(2) { 0 } else { *random.pick(&[1, 4]) },
            capacity: random.between(1, 12) as u64,
            shifts: vec![0; dimensions.len()],
            beyond: None,
            dimensions,
            dimension_kinds,
            attributes,
            steps: Vec::new(),
            fragments: Vec::new(),
            deletes: Vec::new(),
            consolidate: random.one_in(4),
            merged: Vec::new(),
            queries: Vec::new(),
        };
        for number in 0..random.between(1, 3) as u64 {
            let fragment = scenario.fragment(random, 10 + 10 * number);
            scenario.fragments.push(fragment);
        }
        for _ in 0..if dense || random.one_in(2) { 0 } else { random.between(1, 3) } {
            let delete = (random.between(5, 45) as u64, scenario.tree(random, 2), random.one_in(2));
            scenario.deletes.push(delete);
        }
        for _ in 0..8 {
            let query = scenario.query(random);
            scenario.queries.push(query);
        }
        scenario
    }

    /// What else the questions need: domains below zero, orders of tiles, current domains, schemas that evolve,
    /// fragments and deletions by both libraries.
    #[allow(dead_code, reason = "the questions use it")]
    pub fn wide(seed: u64) -> Scenario {
        let mut scenario = Scenario::of_all_types(seed);
        let random = &mut Random::new(seed ^ 0x71de);
        scenario.tile_order = random.next() % 2;
        if scenario.dense {
            scenario.cell_order = random.next() % 2;
        }
        // Float coordinates stay whole: signed numbers and times may be below zero.
        let signed = |kind: &Kind| !matches!(kind.number, 6 | 8 | 9 | 10 | 11);
        scenario.shifts = scenario
            .dimension_kinds
            .iter()
            .map(|kind| if signed(kind) && random.one_in(2) { random.between(-40, 5) } else { 0 })
            .collect();
        let numbers = scenario.dimension_kinds.iter().all(|kind| kind.values.is_some());
        scenario.beyond = (numbers && random.one_in(4)).then(|| random.between(0, 20));
        let count = random.between(1, 5) as usize;
        scenario.steps = scenario.steps(random, count);
        scenario.fragments.clear();
        for number in 0..count {
            let mut fragment = scenario.fragment(random, 10 + 10 * number as u64);
            fragment.by_us = random.one_in(2);
            fragment.present = scenario.present(number);
            scenario.fragments.push(fragment);
        }
        for delete in &mut scenario.deletes {
            delete.0 = random.between(5, 10 * count as i64 + 5) as u64;
        }
        scenario.queries.clear();
        scenario
    }

    /// Attributes that come, go and come again; the first one stays.
    fn steps(&self, random: &mut Random, fragments: usize) -> Vec<(usize, usize)> {
        let mut steps = Vec::new();
        if random.one_in(3) {
            for number in 1..self.attributes.len() {
                let most = if self.attributes[number].enumeration.is_some() { 1 } else { 3 };
                let mut times: Vec<usize> =
                    (0..random.between(0, most)).map(|_| random.between(1, fragments as i64) as usize).collect();
                times.sort_unstable();
                times.dedup();
                steps.extend(times.into_iter().map(|time| (time, number)));
            }
        }
        steps.sort_unstable();
        steps
    }

    /// The attributes that the schema has when the fragment of this number is written.
    pub fn present(&self, fragment: usize) -> Vec<bool> {
        let changes = |number: usize, until: usize| {
            self.steps.iter().filter(|&&(before, attribute)| attribute == number && before <= until).count()
        };
        // Enumerations are never taken away: such attributes come. Of the others the last change is a loss or a
        // gain by their number.
        let starts = |number: usize| {
            changes(number, usize::MAX) == 0 || self.attributes[number].enumeration.is_none() && number % 2 == 1
        };
        (0..self.attributes.len()).map(|number| starts(number) == (changes(number, fragment) % 2 == 0)).collect()
    }

    /// True if the schema of one fragment has the same attribute as that of another, without a gap between them.
    pub fn lasts(&self, number: usize, first: usize, last: usize) -> bool {
        (first..=last.min(self.fragments.len())).all(|fragment| self.present(fragment)[number])
    }

    /// True if an attribute of a schema was dropped after it.
    pub fn drops_after(&self, schema: usize) -> bool {
        let present = self.present(schema);
        (0..present.len()).any(|number| present[number] && !self.lasts(number, schema, usize::MAX))
    }

    fn fragment(&self, random: &mut Random, time: u64) -> Fragment {
        let mut region = Vec::new();
        let mut cells: Vec<Vec<i64>> = Vec::new();
        let count = if self.dense {
            for &(high, _) in &self.dimensions {
                let low = random.between(1, high);
                region.push(if random.one_in(3) { (1, high) } else { (low, random.between(low, high)) });
            }
            region.iter().map(|(low, high)| (high - low + 1) as usize).product()
        } else {
            for _ in 0..random.between(1, 40) {
                let cell: Vec<i64> = self.dimensions.iter().map(|&(high, _)| random.between(1, high)).collect();
                if self.dups || !cells.contains(&cell) {
                    cells.push(cell);
                }
            }
            cells.len()
        };
        let value = |random: &mut Random, attribute: &Attribute| {
            let place = (random.next() % attribute.pool.len() as u64) as usize;
            (place, !attribute.nullable || !random.one_in(4))
        };
        let values =
            self.attributes.iter().map(|attribute| (0..count).map(|_| value(random, attribute)).collect()).collect();
        Fragment { time, by_us: false, present: vec![true; self.attributes.len()], region, cells, values }
    }

    fn query(&self, random: &mut Random) -> Query {
        let range = |random: &mut Random, high: i64| {
            let low = random.between(1, high);
            (low, random.between(low, high))
        };
        let ranges = self.dimensions.iter().map(|&(high, _)| match random.next() % 4 {
            0 => vec![range(random, high)],
            1 if random.one_in(2) => {
                let middle = high / 2;
                vec![(1, middle.max(1)), (middle + 1, high)].into_iter().filter(|(a, b)| a <= b).collect()
            }
            _ => vec![(1, high)],
        });
        let ranges: Vec<Vec<(i64, i64)>> = ranges.collect();
        let several = ranges.iter().any(|ranges| ranges.len() > 1);
        let layout = match (self.dense, random.next() % 4) {
            (false, 3) => 3,
            (false, 2) if !several => 2,
            (true, 2 | 3) => 0,
            (_, layout) => layout % 2,
        };
        let all = self.dimensions.len() + self.attributes.len();
        let mut fields: Vec<usize> = (0..all).filter(|_| !random.one_in(3)).collect();
        if fields.is_empty() {
            fields.push(all - 1);
        }
        Query {
            layout,
            end: if random.one_in(3) { random.between(5, 50) as u64 } else { 100 },
            fields,
            ranges,
            condition: self.tree(random, 3),
            room: if random.one_in(4) { random.between(3, 12) as usize } else { 2000 },
        }
    }

    /// Kind and nullability of a field by its place among dimensions and attributes.
    #[allow(dead_code, reason = "the aggregates use it")]
    pub fn kind(&self, place: usize) -> (Kind, bool) {
        match place.checked_sub(self.dimensions.len()) {
            None => (self.dimension_kinds[place], false),
            Some(number) => (self.attributes[number].kind, self.attributes[number].nullable),
        }
    }

    /// The bytes of a coordinate.
    pub fn coordinate(&self, dimension: usize, value: i64) -> Vec<u8> {
        let kind = self.dimension_kinds[dimension];
        let value = value + self.shifts[dimension];
        match kind.number {
            2 => (value as f32).to_le_bytes().to_vec(),
            3 => (value as f64).to_le_bytes().to_vec(),
            11 => format!("{value:02}{}", &"xy"[..value as usize % 3]).into_bytes(),
            _ => value.to_le_bytes()[..kind.size].to_vec(),
        }
    }

    /// True if a cell that may be null is compared with a value that its enumeration lacks.
    pub fn names_missing(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Not(inner) => self.names_missing(inner),
            Tree::Both(left, right, _) => self.names_missing(left) || self.names_missing(right),
            Tree::Leaf { field, value: Some(value), by_index: false, .. } => {
                self.attributes.iter().enumerate().any(|(number, attribute)| {
                    let lacks = |(_, values): &(bool, Vec<Vec<u8>>)| !values.contains(value);
                    attribute.nullable
                        && *field == format!("a{number}")
                        && attribute.enumeration.as_ref().is_some_and(lacks)
                })
            }
            Tree::Leaf { .. } => false,
        }
    }

    /// True if the condition, or a deletion, orders fixed characters some of which the sign decides about, on a processor where
    /// those of the reference have none.
    pub fn orders_characters(&self, condition: Option<&Tree>) -> bool {
        let deletes = self.deletes.iter().map(|(_, tree, _)| tree);
        cfg!(target_arch = "aarch64") && condition.into_iter().chain(deletes).any(|tree| self.orders_by_sign(tree))
    }

    fn orders_by_sign(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Not(inner) => self.orders_by_sign(inner),
            Tree::Both(left, right, _) => self.orders_by_sign(left) || self.orders_by_sign(right),
            Tree::Leaf { field, operator: 0..=3, value: Some(value), .. } => {
                let has_sign = |bytes: &Vec<u8>| bytes.first().is_some_and(|first| first & 0x80 != 0);
                self.attributes.iter().enumerate().any(|(number, attribute)| {
                    *field == format!("a{number}")
                        && attribute.kind.number == 4
                        && attribute.kind.values.is_some()
                        && attribute.pool.iter().chain([value]).any(has_sign)
                })
            }
            Tree::Leaf { .. } => false,
        }
    }

    /// True if the condition compares fixed cells of several characters with a value of their size.
    pub fn compares_characters(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Not(inner) => self.compares_characters(inner),
            Tree::Both(left, right, _) => self.compares_characters(left) || self.compares_characters(right),
            Tree::Leaf { field, value: Some(value), .. } => {
                self.attributes.iter().enumerate().any(|(number, attribute)| {
                    let is_character =
                        attribute.kind.number == 4 && attribute.kind.values.is_some_and(|count| count > 1);
                    is_character && *field == format!("a{number}") && attribute.kind.values == Some(value.len())
                })
            }
            Tree::Leaf { .. } => false,
        }
    }

    /// True if the condition, or a deletion, has a set with a member that has not the size of its field's cells.
    #[allow(dead_code, reason = "the questions and the conditions use it")]
    pub fn has_odd_size(&self, condition: Option<&Tree>) -> bool {
        condition.into_iter().chain(self.deletes.iter().map(|(_, tree, _)| tree)).any(|tree| self.is_odd(tree))
    }

    fn is_odd(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Not(inner) => self.is_odd(inner),
            Tree::Both(left, right, _) => self.is_odd(left) || self.is_odd(right),
            Tree::Leaf { field, members, .. } => {
                let number = field[1..].parse::<usize>();
                let place =
                    number.map(|number| number + if field.starts_with('a') { self.dimensions.len() } else { 0 });
                let size = place
                    .ok()
                    .and_then(|place| self.kind(place).0.values.map(|values| self.kind(place).0.size * values));
                size.is_some_and(|size| members.iter().any(|member| member.len() != size))
            }
        }
    }

    pub fn tree(&self, random: &mut Random, depth: u64) -> Tree {
        match random.next() % 6 {
            0 | 1 if depth > 0 => {
                let (a, b) = (self.tree(random, depth - 1), self.tree(random, depth - 1));
                Tree::Both(Box::new(a), Box::new(b), random.next() % 2)
            }
            2 if depth > 0 => Tree::Not(Box::new(self.tree(random, depth - 1))),
            _ => self.leaf(random),
        }
    }

    fn leaf(&self, random: &mut Random) -> Tree {
        if random.one_in(5) {
            let number = random.next() as usize % self.dimensions.len();
            let value = self.coordinate(number, random.between(0, 20));
            return self.compare(random, format!("d{number}"), vec![value], false);
        }
        let number = random.next() as usize % self.attributes.len();
        let attribute = &self.attributes[number];
        let by_index = attribute.enumeration.is_none() || random.one_in(4);
        let mut pool = match &attribute.enumeration {
            Some((_, values)) if !by_index => {
                let mut values = values.clone();
                values.push(b"zz".to_vec());
                values
            }
            _ => attribute.pool.clone(),
        };
        if random.one_in(40) {
            pool = vec![vec![1; 9]];
        }
        let field = if random.one_in(80) { "nothing".to_owned() } else { format!("a{number}") };
        self.compare(random, field, pool, by_index)
    }

    fn compare(&self, random: &mut Random, field: String, pool: Vec<Vec<u8>>, by_index: bool) -> Tree {
        if random.one_in(4) {
            let members: Vec<Vec<u8>> = (0..random.between(1, 4)).map(|_| random.pick(&pool).clone()).collect();
            if members.iter().any(|member| !member.is_empty()) {
                return Tree::Leaf { field, operator: 6 + random.next() % 2, value: None, members, by_index };
            }
        }
        // In dense arrays the reference finds null cells in fields that have none.
        let nullable = |number: usize| self.attributes.get(number).is_some_and(|attribute| attribute.nullable);
        let may_be_null = field.strip_prefix('a').and_then(|number| number.parse().ok()).is_some_and(nullable);
        let never_null = self.dense && !may_be_null;
        let value = if random.one_in(8) && !never_null { None } else { Some(random.pick(&pool).clone()) };
        Tree::Leaf { field, operator: random.next() % 6, value, members: Vec::new(), by_index }
    }
}

fn attribute(random: &mut Random) -> Attribute {
    if random.one_in(6) {
        let words: [&[u8]; 4] = [b"red", b"green", b"b", b""];
        let values = words[..random.between(1, 4) as usize].iter().map(|word| word.to_vec()).collect();
        let kind = *random.pick(&[kind(5, 1, Some(1)), kind(8, 2, Some(1)), kind(0, 4, Some(1))]);
        let pool = (0..5u64).map(|index| index.to_le_bytes()[..kind.size].to_vec()).collect();
        return Attribute { kind, nullable: random.one_in(2), enumeration: Some((random.one_in(2), values)), pool };
    }
    let kind = *random.pick(&ATTRIBUTES);
    let pool = (0..random.between(1, 6)).map(|_| value(random, kind)).collect();
    Attribute { kind, nullable: random.one_in(2), enumeration: None, pool }
}

fn value(random: &mut Random, kind: Kind) -> Vec<u8> {
    let elements = kind.values.unwrap_or_else(|| random.between(0, 4) as usize);
    let element = |random: &mut Random| -> Vec<u8> {
        match kind.number {
            2 => random.pick(&[f32::NAN, -0.0, 0.0, 1.5, -2.0, f32::INFINITY]).to_le_bytes().to_vec(),
            3 => random.pick(&[f64::NAN, -0.0, 0.0, 1.5, -2.0, f64::NEG_INFINITY]).to_le_bytes().to_vec(),
            41 => vec![random.one_in(2) as u8],
            _ => {
                let number = *random.pick(&[0i64, 1, 2, 3, -1, -2, 100, i64::MIN, i64::MAX, 97, 98]);
                number.to_le_bytes()[..kind.size].to_vec()
            }
        }
    };
    (0..elements).flat_map(|_| element(random)).collect()
}
