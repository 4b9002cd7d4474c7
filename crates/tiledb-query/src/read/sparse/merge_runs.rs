//! Divides the tiles of a sparse read into merge runs, which are delivered one after the other: tiles are delivered without
//! merging if no cell of another fragment falls between their cells.
//!
//! Only boxes are known in advance. In every order but Hilbert's no cell of a box precedes the box's lower corner, nor
//! follows its upper one; and the tiles of a fragment are in order.

use std::cmp::Ordering;
use std::ops::Range;

use super::fragment_cursor::FragmentCursor;
use super::points::Points;
use crate::read::spec::{CellVersions, ReadSpec};
use tiledb_cells::keys::plan::KeyPlan;
use tiledb_cells::keys::words::CellKeys;
use tiledb_core::error::{Result, bail};
use tiledb_core::limits::sparse_read::{MAX_PAIRED_FRAGMENTS, MIN_SPLIT_BYTES};
use tiledb_core::memory;
use tiledb_core::sort;
use tiledb_core::types::Layout;

/// Tiles of a cursor, by their positions in it.
pub type TileSpan = (usize, Range<usize>);

/// Tiles that are delivered together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeRun {
    /// As they are.
    Alone(TileSpan),
    /// To be merged; every cursor occurs once.
    Merged(Vec<TileSpan>),
}

impl MergeRun {
    /// Its tiles.
    pub fn places(&self) -> &[TileSpan] {
        match self {
            MergeRun::Alone(places) => std::slice::from_ref(places),
            MergeRun::Merged(members) => members,
        }
    }
}

/// Tiles of fewer bytes are not examined one by one, and are also merged if they are between merged ones. Unit tests
/// are small.
fn min_split_bytes() -> usize {
    MIN_SPLIT_BYTES.count_or(cfg!(test), 100)
}

/// True if all is delivered as it is: nothing is compared with anything.
pub fn is_plain(spec: &ReadSpec, cursors: &[FragmentCursor]) -> bool {
    let dups = spec.array.schema().allows_dups();
    spec.versions == CellVersions::Latest
        && match spec.layout {
            Layout::RowMajor | Layout::ColMajor => cursors.is_empty(),
            Layout::Unordered if dups => true,
            _ => cursors.len() < 2 && (dups || cursors.iter().all(|cursor| !cursor.fragment.has_timestamps())),
        }
}

/// The runs of a read, those of a plain one without keys. Unless it is `ordered`, results may come in any order.
///
/// # Errors
/// If tables of a fragment are not valid, or memory does not suffice.
pub fn runs(
    spec: &ReadSpec,
    cursors: &[FragmentCursor],
    keys: Option<&KeyPlan>,
    ordered: bool,
) -> Result<Vec<MergeRun>> {
    let whole = |cursor: usize| (cursor, 0..cursors[cursor].tiles.count());
    let Some(keys) = keys else { return Ok((0..cursors.len()).map(|cursor| MergeRun::Alone(whole(cursor))).collect()) };
    let splitter = Splitter { cursors, keys, unique: !spec.array.schema().allows_dups() };
    let by_order = matches!(spec.layout, Layout::RowMajor | Layout::ColMajor);
    if spec.versions != CellVersions::Latest || by_order {
        return Ok(vec![MergeRun::Merged((0..cursors.len()).map(whole).collect())]);
    }
    if ordered {
        return splitter.runs(&(0..cursors.len()).collect::<Vec<_>>());
    }
    let (apart, others) = splitter.apart(spec);
    let mut runs: Vec<MergeRun> = apart.into_iter().map(|cursor| MergeRun::Alone(splitter.whole(cursor))).collect();
    runs.extend(splitter.runs(&others)?);
    Ok(runs)
}

/// Divides cursors into runs.
struct Splitter<'a> {
    cursors: &'a [FragmentCursor],
    /// The order of the results.
    keys: &'a KeyPlan,
    /// Of equal cells only one is delivered.
    unique: bool,
}

/// Tiles between two corners.
struct TileInterval {
    places: TileSpan,
    low: usize,
    high: usize,
}

impl Splitter<'_> {
    /// All tiles of a cursor.
    fn whole(&self, cursor: usize) -> TileSpan {
        (cursor, 0..self.cursors[cursor].tiles.count())
    }

    /// True if a fragment may have cells several times.
    fn repeats(&self, cursor: usize) -> bool {
        self.unique && self.cursors[cursor].fragment.has_timestamps()
    }

    /// Cursors that have no coordinates in common with others, and those others.
    fn apart(&self, spec: &ReadSpec) -> (Vec<usize>, Vec<usize>) {
        let count = self.cursors.len();
        if count > MAX_PAIRED_FRAGMENTS.count() {
            return (Vec::new(), (0..count).collect());
        }
        let dimensions = spec.array.schema().domain().dimensions();
        let domain = |cursor: usize| self.cursors[cursor].fragment.non_empty_domain();
        let overlap = |a: usize, b: usize| {
            let sides = domain(a).iter().zip(domain(b));
            dimensions.iter().zip(sides).all(|(dimension, (a, b))| a.overlaps(dimension.datatype(), b))
        };
        (0..count).partition(|&i| !self.repeats(i) && (0..count).all(|j| i == j || !overlap(i, j)))
    }

    /// The runs of these cursors in order.
    fn runs(&self, members: &[usize]) -> Result<Vec<MergeRun>> {
        let whole = || members.iter().map(|&cursor| self.whole(cursor)).collect();
        match *members {
            [] => return Ok(Vec::new()),
            [cursor] if !self.repeats(cursor) => return Ok(vec![MergeRun::Alone(self.whole(cursor))]),
            [_] => return Ok(vec![MergeRun::Merged(whole())]),
            _ if !self.keys.preserves_corners() => return Ok(vec![MergeRun::Merged(whole())]),
            _ => (),
        }
        let mut corners = Points::new(self.keys, 2 * members.len())?;
        let mut items = Vec::with_capacity(members.len());
        for (number, &cursor) in members.iter().enumerate() {
            for (dimension, side) in self.cursors[cursor].fragment.non_empty_domain().iter().enumerate() {
                corners.push(dimension, &[side.low(), side.high()])?;
            }
            items.push(TileInterval { places: self.whole(cursor), low: 2 * number, high: 2 * number + 1 });
        }
        let keys = corners.keys(self.keys)?;
        let coords = corners.coords();
        let keyed = CellKeys { keys: &keys, coords: &coords };
        let mut runs = Vec::new();
        for group in self.groups(items, &|a, b| self.keys.compare(keyed, a, keyed, b)) {
            match group.as_slice() {
                [item] => self.add(&mut runs, vec![item.places.clone()]),
                several => self.split_tiles(several, &mut runs)?,
            }
        }
        Ok(self.joined(runs))
    }

    /// Splits fragments whose boxes overlap by their tiles, unless there is little to gain.
    fn split_tiles(&self, fragments: &[TileInterval], runs: &mut Vec<MergeRun>) -> Result<()> {
        let bytes = |TileInterval { places: (cursor, places), .. }: &TileInterval| {
            places.len() * self.cursors[*cursor].tile_bytes
        };
        let is_single = |item: &TileInterval| item.places.1.len() == 1;
        if fragments.iter().all(is_single)
            || fragments.iter().map(bytes).fold(0, usize::saturating_add) < min_split_bytes()
        {
            self.add(runs, members_of(fragments));
            return Ok(());
        }
        let corners = self.corners_of_tiles(fragments)?;
        let keys = corners.keys(self.keys)?;
        let coords = corners.coords();
        let keyed = CellKeys { keys: &keys, coords: &coords };
        let compare = |a, b| self.keys.compare(keyed, a, keyed, b);
        let mut items: Vec<TileInterval> = memory::with_capacity("tiles", corners.rows() / 2)?;
        for fragment in fragments {
            let (cursor, places) = &fragment.places;
            let first = items.len();
            for place in places.clone() {
                // A tile precedes neither the previous one,
                let row = 2 * items.len();
                let before = items[first..].last().map(|item| item.low);
                let low = before.filter(|&low| compare(low, row).is_gt()).unwrap_or(row);
                items.push(TileInterval { places: (*cursor, place..place + 1), low, high: row + 1 });
            }
            for at in (first..items.len().saturating_sub(1)).rev() {
                // Nor after the next.
                let next = items[at + 1].high;
                if compare(next, items[at].high).is_lt() {
                    items[at].high = next;
                }
            }
        }
        for group in self.groups(items, &compare) {
            self.add(runs, members_of(&group));
        }
        Ok(())
    }

    fn corners_of_tiles(&self, fragments: &[TileInterval]) -> Result<Points> {
        let count = fragments.iter().map(|item| item.places.1.len()).fold(0, usize::saturating_add);
        let mut corners = Points::new(self.keys, count.saturating_mul(2))?;
        for item in fragments {
            let cursor = &self.cursors[item.places.0];
            if cursor.fragment.tile_count() == 1 {
                // The box of the fragment is that of its tile.
                for (dimension, side) in cursor.fragment.non_empty_domain().iter().enumerate() {
                    corners.push(dimension, &[side.low(), side.high()])?;
                }
                continue;
            }
            let tree = cursor.fragment.rtree()?;
            for (tile, _) in item.places.1.clone().filter_map(|place| cursor.tile(place)) {
                for dimension in 0..tree.dimension_count() {
                    let Some((low, high)) = tree.leaf_ends(dimension, tile as usize) else {
                        bail!(Corrupt, "Fragment {} has no box for tile {tile}", cursor.fragment.uri());
                    };
                    corners.push(dimension, &[low, high])?;
                }
            }
        }
        Ok(corners)
    }

    /// Items that overlap, directly or by others between them; the groups in order. Groups may only share a coordinate if the cells
    /// of the earlier one come first: those of cursors with lower numbers.
    fn groups(
        &self,
        mut items: Vec<TileInterval>,
        compare: &impl Fn(usize, usize) -> Ordering,
    ) -> Vec<Vec<TileInterval>> {
        sort::by(&mut items, |a, b| compare(a.low, b.low).then(a.places.0.cmp(&b.places.0)));
        let mut groups: Vec<Vec<TileInterval>> = Vec::new();
        let mut end = 0;
        // The last cursor with an item that ends there.
        let mut last = 0;
        for item in items {
            let cursor = item.places.0;
            let order = compare(item.low, end);
            match groups.last_mut() {
                Some(group) if order.is_lt() || order.is_eq() && (self.unique || cursor < last) => {
                    match compare(end, item.high) {
                        Ordering::Less => (end, last) = (item.high, cursor),
                        Ordering::Equal => last = last.max(cursor),
                        Ordering::Greater => {}
                    }
                    group.push(item);
                }
                _ => {
                    (end, last) = (item.high, cursor);
                    groups.push(vec![item]);
                }
            }
        }
        groups
    }

    /// Adds the tiles of a group as a run.
    fn add(&self, runs: &mut Vec<MergeRun>, members: Vec<TileSpan>) {
        runs.push(match <[TileSpan; 1]>::try_from(members) {
            Ok([places]) if !self.repeats(places.0) => MergeRun::Alone(places),
            Ok([places]) => MergeRun::Merged(vec![places]),
            Err(members) => MergeRun::Merged(members),
        });
    }

    /// Fewer and larger runs that deliver the same.
    fn joined(&self, runs: Vec<MergeRun>) -> Vec<MergeRun> {
        let mut joined: Vec<MergeRun> = Vec::new();
        let mut runs = runs.into_iter().peekable();
        while let Some(mut run) = runs.next() {
            let merges = |run: Option<&MergeRun>| matches!(run, Some(MergeRun::Merged(_)));
            if let MergeRun::Alone((cursor, places)) = &run
                && (merges(joined.last()) || merges(runs.peek()))
                && places.len().saturating_mul(self.cursors[*cursor].tile_bytes) < min_split_bytes()
            {
                run = MergeRun::Merged(vec![(*cursor, places.clone())]);
            }
            match (joined.last_mut(), run) {
                (Some(MergeRun::Alone((last, places))), MergeRun::Alone((cursor, more)))
                    if *last == cursor && places.end == more.start =>
                {
                    places.end = more.end;
                }
                (Some(MergeRun::Merged(members)), MergeRun::Merged(more)) => {
                    more.into_iter().for_each(|more| extend(members, more))
                }
                (_, run) => joined.push(run),
            }
        }
        joined
    }
}

/// The tiles of a group by cursor.
fn members_of(group: &[TileInterval]) -> Vec<TileSpan> {
    let mut members: Vec<TileSpan> = Vec::new();
    let mut items: Vec<&TileSpan> = group.iter().map(|item| &item.places).collect();
    sort::by_key(&mut items, |(cursor, places)| (*cursor, places.start));
    for (cursor, places) in items {
        match members.last_mut() {
            Some((last, merged)) if last == cursor => merged.end = places.end,
            _ => members.push((*cursor, places.clone())),
        }
    }
    members
}

/// Appends tiles to those of the same cursor; members stay sorted by cursor.
fn extend(members: &mut Vec<TileSpan>, (cursor, places): TileSpan) {
    match members.binary_search_by_key(&cursor, |member| member.0) {
        Ok(at) => members[at].1.end = places.end,
        Err(at) => members.insert(at, (cursor, places)),
    }
}
