//! In-memory model of the array: every visible cell, and what supersedes it.

use std::collections::BTreeMap;

/// The shape of an array.
#[derive(Clone, Debug)]
pub struct Shape {
    pub dense: bool,
    pub dups: bool,
    /// Highest coordinate, the lowest being 0, and tile extent per dimension.
    pub dims: Vec<(i32, i32)>,
    pub cell_order: u64,
    pub tile_order: u64,
    pub capacity: u64,
    pub encrypted: bool,
}

/// A cell: all its values follow from one number.
#[derive(Clone, Debug)]
pub struct Cell {
    pub coords: Vec<i32>,
    pub time: u64,
    pub value: i32,
    /// The evolving attributes it has values of.
    pub has: Vec<u32>,
}

/// A fragment: its name, and its cells unless it is known to share them with others.
#[derive(Clone, Debug)]
pub struct Fragment {
    pub name: String,
    pub times: (u64, u64),
    pub cells: Vec<Cell>,
    /// The box a dense fragment covers, of which cells that nobody wrote have the fill value.
    pub region: Vec<(i32, i32)>,
}

/// Which cells a deletion is about.
#[derive(Clone, Copy, Debug)]
pub enum Doomed {
    Below(i32),
    Is(i32),
    Beyond(i32),
    /// Cells whose value of an evolving attribute, by its number, is less.
    #[allow(dead_code, reason = "only tests of copies delete by attributes that evolve")]
    Evolving(u32, i64),
}

impl Doomed {
    fn matches(self, cell: &Cell) -> bool {
        match self {
            Doomed::Below(value) => cell.value < value,
            Doomed::Is(value) => cell.value == value,
            Doomed::Beyond(x) => cell.coords[0] > x,
            Doomed::Evolving(attribute, value) => {
                cell.has.contains(&attribute) && evolving_number(cell.value, attribute) < value
            }
        }
    }
}

/// Everything that is known of an array.
pub struct Model {
    pub shape: Shape,
    pub fragments: Vec<Fragment>,
    /// What consolidations replaced: the times of the vacuum file, and names.
    pub vacuums: Vec<((u64, u64), Vec<String>)>,
    pub deletes: Vec<(u64, Doomed)>,
    /// The evolving attributes since a time.
    pub schemas: Vec<(u64, Vec<u32>)>,
}

/// A cell as it is read: its coordinates (of sparse arrays) and the values of all attributes, with their validity.
pub type Row = Vec<(Vec<u8>, Option<u8>)>;

impl Model {
    pub fn newest(&self) -> &Vec<u32> {
        &self.schemas.last().unwrap().1
    }

    /// The evolving attributes of the schema as of a time.
    pub fn schema_at(&self, end: u64) -> &Vec<u32> {
        &self.schemas.iter().rev().find(|schema| schema.0 <= end).unwrap_or(&self.schemas[0]).1
    }

    /// The fragments that count in a window, by time.
    fn visible(&self, window: (u64, u64)) -> Vec<&Fragment> {
        let counts = |times: (u64, u64)| match self.shape.dense {
            true => window.0 <= times.0 && times.1 <= window.1,
            false => times.0 <= window.1 && window.0 <= times.1,
        };
        let hidden = |name: &String| self.vacuums.iter().any(|(times, names)| counts(*times) && names.contains(name));
        let mut visible: Vec<&Fragment> =
            self.fragments.iter().filter(|fragment| counts(fragment.times) && !hidden(&fragment.name)).collect();
        visible.sort_by_key(|fragment| (fragment.times.0, &fragment.name));
        visible
    }

    /// What a read of all of the array gives.
    pub fn read(&self, window: (u64, u64)) -> Vec<Row> {
        let attributes = self.schema_at(window.1);
        if self.shape.dense {
            return self
                .overlay(&self.visible(window))
                .iter()
                .map(|cell| row(cell.as_ref(), &[], attributes))
                .collect();
        }
        let mut by_coordinates: BTreeMap<&[i32], Vec<&Cell>> = BTreeMap::new();
        for cell in self.visible(window).iter().flat_map(|fragment| &fragment.cells) {
            if (window.0..=window.1).contains(&cell.time) {
                by_coordinates.entry(&cell.coords).or_default().push(cell);
            }
        }
        let mut rows = Vec::new();
        for (coords, mut cells) in by_coordinates {
            if !self.shape.dups {
                let latest = cells.iter().map(|cell| cell.time).max();
                cells.retain(|cell| Some(cell.time) == latest);
            }
            cells.retain(|cell| !self.is_deleted(cell, window));
            rows.extend(cells.iter().map(|cell| row(Some(cell), coords, attributes)));
        }
        rows.sort();
        rows
    }

    fn is_deleted(&self, cell: &Cell, window: (u64, u64)) -> bool {
        let counts = |time: u64| window.0 <= time && time <= window.1 && cell.time <= time;
        self.deletes.iter().any(|(time, doomed)| counts(*time) && doomed.matches(cell))
    }

    /// The cells of a dense array in row-major order, the latest fragment's where several have some.
    fn overlay(&self, fragments: &[&Fragment]) -> Vec<Option<Cell>> {
        let counts: Vec<i32> = self.shape.dims.iter().map(|dim| dim.0 + 1).collect();
        let total: i32 = counts.iter().product();
        let coords = |mut place: i32| {
            let mut coords = vec![0; counts.len()];
            for (coord, count) in coords.iter_mut().zip(&counts).rev() {
                *coord = place % count;
                place /= count;
            }
            coords
        };
        let at = |coords: &[i32]| {
            let covers = |fragment: &&&Fragment| {
                coords.iter().zip(&fragment.region).all(|(c, side)| (side.0..=side.1).contains(c))
            };
            let fragment = fragments.iter().rev().find(covers)?;
            fragment.cells.iter().find(|cell| cell.coords == coords).cloned()
        };
        (0..total).map(|place| at(&coords(place))).collect()
    }

    /// The cells that fragments are merged into.
    pub fn merged(&self, names: &[String], purge: bool) -> Vec<Cell> {
        let chosen: Vec<&Fragment> = self.fragments.iter().filter(|fragment| names.contains(&fragment.name)).collect();
        let mut cells: Vec<Cell> = if self.shape.dense {
            let mut ordered = chosen;
            ordered.sort_by_key(|fragment| (fragment.times.0, &fragment.name));
            self.overlay(&ordered).into_iter().flatten().collect()
        } else {
            chosen.iter().flat_map(|fragment| fragment.cells.clone()).collect()
        };
        if purge && !self.shape.dense {
            cells = self.purged(cells);
        }
        let newest = self.newest();
        cells.iter_mut().for_each(|cell| cell.has.retain(|attribute| newest.contains(attribute)));
        cells
    }

    /// What is left without deleted cells and, unless duplicates are allowed, what these hide.
    fn purged(&self, cells: Vec<Cell>) -> Vec<Cell> {
        let always = (0, u64::MAX);
        let deleted: Vec<Cell> = cells.iter().filter(|cell| self.is_deleted(cell, always)).cloned().collect();
        let hides = |cell: &Cell, by: &Cell| by.coords == cell.coords && by.time > cell.time && !self.shape.dups;
        let stays = |cell: &Cell| !self.is_deleted(cell, always) && !deleted.iter().any(|by| hides(cell, by));
        cells.into_iter().filter(stays).collect()
    }
}

/// The values of the attributes `a`, `v` and `n` and of the evolving ones.
pub fn values(value: i32, attributes: &[u32]) -> Row {
    let text = format!("{value}").repeat((value % 4) as usize);
    let mut row = vec![
        (value.to_le_bytes().to_vec(), None),
        (text.into_bytes(), None),
        (vec![value as u8], Some(u8::from(value % 3 != 0))),
    ];
    row.extend(attributes.iter().map(|attribute| (evolving(value, *attribute), None)));
    row
}

fn evolving(value: i32, attribute: u32) -> Vec<u8> {
    evolving_number(value, attribute).to_le_bytes().to_vec()
}

fn evolving_number(value: i32, attribute: u32) -> i64 {
    i64::from(value) * 100 + i64::from(attribute)
}

fn row(cell: Option<&Cell>, coords: &[i32], attributes: &[u32]) -> Row {
    let mut row: Row = coords.iter().map(|coord| (coord.to_le_bytes().to_vec(), None)).collect();
    match cell {
        Some(cell) => {
            let mut values = values(cell.value, attributes);
            for (value, attribute) in values[3..].iter_mut().zip(attributes) {
                if !cell.has.contains(attribute) {
                    value.0 = i64::MIN.to_le_bytes().to_vec();
                }
            }
            // What lies under a null is nobody's concern.
            row.extend(
                values
                    .into_iter()
                    .map(|(value, valid)| if valid == Some(0) { (Vec::new(), valid) } else { (value, valid) }),
            );
        }
        None => {
            row.extend([(i32::MIN.to_le_bytes().to_vec(), None), (vec![0], None), (Vec::new(), Some(0))]);
            row.extend(attributes.iter().map(|_| (i64::MIN.to_le_bytes().to_vec(), None)));
        }
    }
    row
}
