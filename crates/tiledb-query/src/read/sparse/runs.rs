//! In what runs the tiles of a sparse read are delivered, one behind the other: as they are where no cell of another
//! fragment comes between theirs, else merged.
//!
//! What is known beforehand are boxes. In every order but Hilbert's no cell of a box comes before the box's lower
//! corner, nor behind its upper one; and the tiles of a fragment lie in order.

use std::cmp::Ordering;
use std::ops::Range;

use super::corners::Corners;
use super::stream::Stream;
use crate::keys::plan::KeyPlan;
use crate::keys::words::Keyed;
use crate::read::spec::{ReadSpec, Versions};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::Layout;

/// Tiles of a stream, by their places in it.
pub type Places = (usize, Range<usize>);

/// Tiles that are delivered together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// As they are.
    Alone(Places),
    /// In an order to be found; every stream once.
    Merged(Vec<Places>),
}

impl Run {
    /// Its tiles.
    pub fn places(&self) -> &[Places] {
        match self {
            Run::Alone(places) => std::slice::from_ref(places),
            Run::Merged(members) => members,
        }
    }
}

/// Tiles of fewer bytes are not looked at one by one, and merged too where they lie between others that are. Unit tests
/// are small.
const LITTLE: usize = if cfg!(test) { 100 } else { 128 * 1024 };

/// True if all is delivered as it is: nothing is compared with anything.
pub fn is_plain(spec: &ReadSpec, streams: &[Stream]) -> bool {
    let dups = spec.array.schema().allows_dups();
    spec.versions == Versions::Latest
        && match spec.layout {
            Layout::RowMajor | Layout::ColMajor => streams.is_empty(),
            Layout::Unordered if dups => true,
            _ => streams.len() < 2 && (dups || streams.iter().all(|stream| !stream.fragment.has_timestamps())),
        }
}

/// The runs of a read, those of a plain one without keys. Unless it is `ordered`, results may come in any order.
///
/// # Errors
/// If tables of a fragment are not valid, or memory does not suffice.
pub fn runs(spec: &ReadSpec, streams: &[Stream], keys: Option<&KeyPlan>, ordered: bool) -> Result<Vec<Run>> {
    let whole = |stream: usize| (stream, 0..streams[stream].tiles.count());
    let Some(keys) = keys else { return Ok((0..streams.len()).map(|stream| Run::Alone(whole(stream))).collect()) };
    let splitter = Splitter { streams, keys, unique: !spec.array.schema().allows_dups() };
    let by_order = matches!(spec.layout, Layout::RowMajor | Layout::ColMajor);
    if spec.versions != Versions::Latest || by_order {
        return Ok(vec![Run::Merged((0..streams.len()).map(whole).collect())]);
    }
    if ordered {
        return splitter.runs(&(0..streams.len()).collect::<Vec<_>>());
    }
    let (apart, others) = splitter.apart(spec);
    let mut runs: Vec<Run> = apart.into_iter().map(|stream| Run::Alone(splitter.whole(stream))).collect();
    runs.extend(splitter.runs(&others)?);
    Ok(runs)
}

/// What decides the runs.
struct Splitter<'a> {
    streams: &'a [Stream],
    /// The order of the results.
    keys: &'a KeyPlan,
    /// Of equal cells only one is delivered.
    unique: bool,
}

/// More fragments than this are not compared with one another to find those that lie apart.
const MANY: usize = 512;

/// Tiles between two corners.
struct Item {
    places: Places,
    low: usize,
    high: usize,
}

impl Splitter<'_> {
    /// All tiles of a stream.
    fn whole(&self, stream: usize) -> Places {
        (stream, 0..self.streams[stream].tiles.count())
    }

    /// True if a fragment may have cells several times.
    fn repeats(&self, stream: usize) -> bool {
        self.unique && self.streams[stream].fragment.has_timestamps()
    }

    /// Streams that have no coordinates in common with others, and those others.
    fn apart(&self, spec: &ReadSpec) -> (Vec<usize>, Vec<usize>) {
        let count = self.streams.len();
        if count > MANY {
            return (Vec::new(), (0..count).collect());
        }
        let dimensions = spec.array.schema().domain().dimensions();
        let domain = |stream: usize| self.streams[stream].fragment.non_empty_domain();
        let overlap = |a: usize, b: usize| {
            let sides = domain(a).iter().zip(domain(b));
            dimensions.iter().zip(sides).all(|(dimension, (a, b))| a.overlaps(dimension.datatype(), b))
        };
        (0..count).partition(|&i| !self.repeats(i) && (0..count).all(|j| i == j || !overlap(i, j)))
    }

    /// The runs of these streams in order.
    fn runs(&self, members: &[usize]) -> Result<Vec<Run>> {
        let whole = || members.iter().map(|&stream| self.whole(stream)).collect();
        match *members {
            [] => return Ok(Vec::new()),
            [stream] if !self.repeats(stream) => return Ok(vec![Run::Alone(self.whole(stream))]),
            [_] => return Ok(vec![Run::Merged(whole())]),
            _ if !self.keys.keeps_corners() => return Ok(vec![Run::Merged(whole())]),
            _ => (),
        }
        let mut corners = Corners::new(self.keys, 2 * members.len())?;
        let mut items = Vec::with_capacity(members.len());
        for (number, &stream) in members.iter().enumerate() {
            for (dimension, side) in self.streams[stream].fragment.non_empty_domain().iter().enumerate() {
                corners.push(dimension, &[side.low(), side.high()])?;
            }
            items.push(Item { places: self.whole(stream), low: 2 * number, high: 2 * number + 1 });
        }
        let (keys, coords) = (corners.keys(self.keys)?, corners.coords());
        let keyed = Keyed { keys: &keys, coords: &coords };
        let mut runs = Vec::new();
        for group in self.groups(items, &|a, b| self.keys.compare(keyed, a, keyed, b)) {
            match group.as_slice() {
                [item] => self.add(&mut runs, vec![item.places.clone()]),
                several => self.split_tiles(several, &mut runs)?,
            }
        }
        Ok(self.joined(runs))
    }

    /// Looks at the tiles of fragments whose boxes overlap, unless there is little to gain.
    fn split_tiles(&self, fragments: &[Item], runs: &mut Vec<Run>) -> Result<()> {
        let bytes = |Item { places: (stream, places), .. }: &Item| places.len() * self.streams[*stream].tile_bytes;
        let is_single = |item: &Item| item.places.1.len() == 1;
        if fragments.iter().all(is_single) || fragments.iter().map(bytes).fold(0, usize::saturating_add) < LITTLE {
            self.add(runs, members_of(fragments));
            return Ok(());
        }
        let corners = self.corners_of_tiles(fragments)?;
        let (keys, coords) = (corners.keys(self.keys)?, corners.coords());
        let keyed = Keyed { keys: &keys, coords: &coords };
        let compare = |a, b| self.keys.compare(keyed, a, keyed, b);
        let mut items: Vec<Item> = Vec::new();
        let count = corners.rows() / 2;
        items.try_reserve(count).map_err(|_| Error::out_of_memory("tiles", count.saturating_mul(size_of::<Item>())))?;
        for fragment in fragments {
            let (stream, places) = &fragment.places;
            let first = items.len();
            for place in places.clone() {
                // A tile comes neither before the one in front of it,
                let row = 2 * items.len();
                let before = items[first..].last().map(|item| item.low);
                let low = before.filter(|&low| compare(low, row).is_gt()).unwrap_or(row);
                items.push(Item { places: (*stream, place..place + 1), low, high: row + 1 });
            }
            for at in (first..items.len().saturating_sub(1)).rev() {
                // nor behind the next.
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

    fn corners_of_tiles(&self, fragments: &[Item]) -> Result<Corners> {
        let count = fragments.iter().map(|item| item.places.1.len()).fold(0, usize::saturating_add);
        let mut corners = Corners::new(self.keys, count.saturating_mul(2))?;
        for item in fragments {
            let stream = &self.streams[item.places.0];
            if stream.fragment.tile_count() == 1 {
                // The box of the fragment is that of its tile.
                for (dimension, side) in stream.fragment.non_empty_domain().iter().enumerate() {
                    corners.push(dimension, &[side.low(), side.high()])?;
                }
                continue;
            }
            let tree = stream.fragment.rtree()?;
            for (tile, _) in item.places.1.clone().filter_map(|place| stream.tile(place)) {
                for dimension in 0..tree.dimension_count() {
                    let Some((low, high)) = tree.leaf_ends(dimension, tile as usize) else {
                        bail!(Corrupt, "Fragment {} has no box for tile {tile}", stream.fragment.uri());
                    };
                    corners.push(dimension, &[low, high])?;
                }
            }
        }
        Ok(corners)
    }

    /// Items that overlap, directly or by others between them; the groups in order.
    fn groups(&self, mut items: Vec<Item>, compare: &impl Fn(usize, usize) -> Ordering) -> Vec<Vec<Item>> {
        items.sort_by(|a, b| compare(a.low, b.low).then(a.places.0.cmp(&b.places.0)));
        let mut groups: Vec<Vec<Item>> = Vec::new();
        let mut end = 0;
        for item in items {
            let order = compare(item.low, end);
            match groups.last_mut() {
                Some(group) if order.is_lt() || (self.unique && order.is_eq()) => {
                    if compare(end, item.high).is_lt() {
                        end = item.high;
                    }
                    group.push(item);
                }
                _ => {
                    end = item.high;
                    groups.push(vec![item]);
                }
            }
        }
        groups
    }

    /// Adds the tiles of a group as a run.
    fn add(&self, runs: &mut Vec<Run>, members: Vec<Places>) {
        runs.push(match <[Places; 1]>::try_from(members) {
            Ok([places]) if !self.repeats(places.0) => Run::Alone(places),
            Ok([places]) => Run::Merged(vec![places]),
            Err(members) => Run::Merged(members),
        });
    }

    /// Fewer and larger runs that deliver the same.
    fn joined(&self, runs: Vec<Run>) -> Vec<Run> {
        let mut joined: Vec<Run> = Vec::new();
        let mut runs = runs.into_iter().peekable();
        while let Some(mut run) = runs.next() {
            let merges = |run: Option<&Run>| matches!(run, Some(Run::Merged(_)));
            if let Run::Alone((stream, places)) = &run
                && (merges(joined.last()) || merges(runs.peek()))
                && places.len().saturating_mul(self.streams[*stream].tile_bytes) < LITTLE
            {
                run = Run::Merged(vec![(*stream, places.clone())]);
            }
            match (joined.last_mut(), run) {
                (Some(Run::Alone((last, places))), Run::Alone((stream, more)))
                    if *last == stream && places.end == more.start =>
                {
                    places.end = more.end;
                }
                (Some(Run::Merged(members)), Run::Merged(more)) => {
                    more.into_iter().for_each(|more| extend(members, more))
                }
                (_, run) => joined.push(run),
            }
        }
        joined
    }
}

/// The tiles of a group by stream.
fn members_of(group: &[Item]) -> Vec<Places> {
    let mut members: Vec<Places> = Vec::new();
    let mut items: Vec<&Places> = group.iter().map(|item| &item.places).collect();
    items.sort_by_key(|(stream, places)| (*stream, places.start));
    for (stream, places) in items {
        match members.last_mut() {
            Some((last, held)) if last == stream => held.end = places.end,
            _ => members.push((*stream, places.clone())),
        }
    }
    members
}

/// Adds tiles behind those of the same stream; members stay sorted by stream.
fn extend(members: &mut Vec<Places>, (stream, places): Places) {
    match members.binary_search_by_key(&stream, |member| member.0) {
        Ok(at) => members[at].1.end = places.end,
        Err(at) => members.insert(at, (stream, places)),
    }
}
