//! The sparse reader: batch by batch, tiles are loaded, their wanted cells found and, where fragments
//! overlap or another order is asked for, merged; then fields are decoded and copied to the user's buffers.
//! A batch that does not fit into the buffers waits, decoded as it is, for the next step.

use std::sync::Arc;

use super::merge::{Equal, KeyedTile, Merger};
use super::repeat::Repeats;
use super::select::Selector;
use super::sparse_copy::{Batch, Shared};
use super::sparse_load::Loader;
use super::sparse_plan::{Plan, Requested, SpecialPlaces, Stream};
use super::sparse_tile::Tile;
use super::{Progress, ReadSpec, Reader, Reason, Versions};
use crate::array::OpenArray;
use crate::budget::{Budget, Kind};
use crate::error::Result;
use crate::query::buffers::Outputs;
use crate::query::keys::{CellOrder, KeyPlan};
use crate::types::{CellRange, Layout};

/// A sparse read.
pub struct SparseReader {
    pub(super) array: Arc<OpenArray>,
    fields: Vec<Requested>,
    selector: Selector,
    /// Fragments whose tiles are delivered as they are.
    pub(super) alone: Vec<Stream>,
    /// Fragments to be merged, and the merger.
    pub(super) merged: Vec<Stream>,
    merger: Option<Merger>,
    versions: Versions,
    places: SpecialPlaces,
    /// Bytes of the tiles of a batch, about.
    batch_bytes: usize,
    pub(super) budget: Budget,
    /// How often cells in overlapping ranges are delivered, where that is more than once.
    repeats: Option<Repeats>,
    /// Cells are asked for in an order that tiles do not have: nothing comes out before all went in.
    sorts_all: bool,
    batch: Option<Batch>,
    /// The batch is of the merged fragments.
    batch_is_merged: bool,
}

/// Tiles of a batch: about this many bytes, or an eighth of the budget, which must hold keys and waiting tiles too.
const BATCH_BYTES: u64 = 16 << 20;

impl SparseReader {
    /// Prepares a read.
    ///
    /// # Errors
    /// If a field cannot be read, or tables of a fragment are not valid.
    pub fn new(spec: &ReadSpec) -> Result<SparseReader> {
        let plan = Plan::new(spec)?;
        let schema = spec.array.schema();
        let budget = Budget::new(spec.config.u64("sm.mem.total_budget")?);
        let order = match spec.layout {
            Layout::RowMajor => CellOrder::Row,
            Layout::ColMajor => CellOrder::Col,
            _ => CellOrder::Global,
        };
        let merger = match plan.merged.is_empty() {
            true => None,
            false => {
                let keys = KeyPlan::new(schema, order, plan.inside)?;
                let equal = match (spec.versions, schema.allows_dups()) {
                    (Versions::Latest, true) => Equal::Any,
                    (Versions::Latest, false) => Equal::Latest,
                    (Versions::Living, false) => Equal::Living,
                    (Versions::All, _) | (Versions::Living, true) => Equal::LatestFirst,
                };
                Some(Merger::new(keys, plan.merged.len(), equal, spec.layout))
            }
        };
        Ok(SparseReader {
            array: spec.array.clone(),
            fields: plan.fields,
            selector: plan.selector,
            alone: plan.alone,
            merged: plan.merged,
            merger,
            versions: spec.versions,
            places: plan.places,
            batch_bytes: usize::try_from((budget.limit() / 8).clamp(1, BATCH_BYTES)).unwrap_or(usize::MAX),
            budget,
            repeats: if order == CellOrder::Global { None } else { Repeats::new(&spec.subarray) },
            sorts_all: order != CellOrder::Global,
            batch: None,
            batch_is_merged: false,
        })
    }

    /// Bytes of all tiles that are to be sorted together, about.
    pub(super) fn need(&self) -> u64 {
        let bytes = |stream: &Stream| (stream.tiles.count() as u64).saturating_mul(stream.tile_bytes as u64);
        self.merged.iter().map(bytes).fold(0, u64::saturating_add)
    }

    /// The sides of these tiles along a dimension.
    pub(super) fn sides(&self, dimension: usize) -> Result<Vec<CellRange>> {
        let mut sides = Vec::new();
        for stream in &self.merged {
            let tree = stream.fragment.rtree()?;
            let tiles = (0..stream.tiles.count()).filter_map(|place| stream.tile(place));
            sides.extend(tiles.filter_map(|(tile, _)| tree.leaf(tile as usize)?.into_iter().nth(dimension)));
        }
        Ok(sides)
    }

    /// The memory it keeps to.
    pub(super) fn limit(&self) -> u64 {
        self.budget.limit()
    }

    /// Loads tiles; all coordinates are needed to merge them.
    pub(super) fn loader(&self, all_coords: bool) -> Loader<'_> {
        Loader {
            key: self.array.key(),
            selector: &self.selector,
            all_coords,
            fields: self.fields.len(),
            filters_late: all_coords && !self.array.schema().allows_dups(),
            window: self.array.timestamps(),
            versions: self.versions,
            places: self.places,
        }
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        self.batch_is_merged = false;
        if let Some(batch) = self.next_alone()? {
            return Ok(Some(batch));
        }
        self.batch_is_merged = true;
        self.next_merged()
    }

    /// Loads tiles by their places in streams.
    fn load(&self, streams: &[Stream], places: &[(usize, usize)], all_coords: bool) -> Result<Vec<Tile>> {
        let loader = self.loader(all_coords);
        let bytes = |&(stream, _): &(usize, usize)| streams[stream].tile_bytes;
        let work: usize = places.iter().map(bytes).fold(0, usize::saturating_add);
        let lease = self.budget.lease(Kind::CoordinateTiles, work as u64)?;
        let resources = self.array.resources();
        let tiles = resources.pools().map(places.len(), work, resources.cancel(), |task| {
            let (stream, place) = places[task];
            match streams[stream].tile(place) {
                Some((tile, full)) => loader.load(&streams[stream], stream, tile, full).map(Some),
                None => Ok(None),
            }
        })?;
        drop(lease);
        Ok(tiles.into_iter().flatten().collect())
    }

    fn next_alone(&mut self) -> Result<Option<Batch>> {
        loop {
            let mut places = Vec::new();
            let mut bytes = 0usize;
            for (number, stream) in self.alone.iter_mut().enumerate() {
                while !stream.is_done() && (bytes < self.batch_bytes || places.is_empty()) {
                    places.push((number, stream.next));
                    bytes = bytes.saturating_add(stream.tile_bytes);
                    stream.next += 1;
                }
            }
            if places.is_empty() {
                return Ok(None);
            }
            let mut tiles = self.load(&self.alone, &places, false)?;
            tiles.retain(|tile| tile.wanted_count() > 0);
            if !tiles.is_empty() {
                return Ok(Some(Batch::of_tiles(tiles)));
            }
        }
    }

    /// The next cells of the fragments that are merged.
    pub(super) fn next_merged(&mut self) -> Result<Option<Batch>> {
        let Some(mut merger) = self.merger.take() else { return Ok(None) };
        let batch = self.fill_and_take(&mut merger);
        self.merger = Some(merger);
        batch
    }

    fn fill_and_take(&mut self, merger: &mut Merger) -> Result<Option<Batch>> {
        let mut share = self.batch_bytes / self.merged.len().max(1);
        loop {
            let mut places = Vec::new();
            for (number, stream) in self.merged.iter_mut().enumerate() {
                let room = if self.sorts_all { usize::MAX } else { (share / stream.tile_bytes.max(1)).max(1) };
                let mut waiting = merger.waiting(number);
                while !stream.is_done() && waiting < room {
                    places.push((number, stream.next));
                    stream.next += 1;
                    waiting += 1;
                }
            }
            let keyed = self.load(&self.merged, &places, true)?;
            let resources = self.array.resources();
            let slots: Vec<std::sync::Mutex<Option<Tile>>> = keyed.into_iter().map(|tile| Some(tile).into()).collect();
            let work: usize = places.len() * self.merged.first().map_or(0, |stream| stream.tile_bytes);
            let keyed = resources.pools().map(slots.len(), work, resources.cancel(), |task| {
                match slots[task].lock().ok().and_then(|mut tile| tile.take()) {
                    Some(tile) => KeyedTile::new(merger.plan(), tile).map(Some),
                    None => Ok(None),
                }
            })?;
            keyed.into_iter().flatten().for_each(|tile| merger.push(tile));
            if let Some((tiles, slabs)) = merger.take(&self.merged, resources)? {
                let mut batch = Batch::new(tiles, slabs);
                if let Some(repeats) = &self.repeats {
                    batch.repeat(repeats)?;
                }
                return Ok(Some(batch));
            }
            if self.merged.iter().all(Stream::is_done) {
                return Ok(None);
            }
            // Nothing could be told to be complete: look further ahead.
            share = share.max(1).saturating_mul(2);
            if places.is_empty() {
                share = share.max(self.merged.iter().map(|stream| stream.tile_bytes).max().unwrap_or(1));
            }
        }
    }
}

impl Reader for SparseReader {
    fn step(&mut self, out: &mut Outputs<'_>) -> Result<Progress> {
        loop {
            if self.batch.is_none() {
                self.batch = self.next_batch()?;
            }
            let Some(batch) = &mut self.batch else { return Ok(Progress::Done) };
            let streams = if self.batch_is_merged { &self.merged } else { &self.alone };
            let shared = Shared { array: &self.array, fields: &self.fields, streams };
            if !batch.deliver(&shared, out)? {
                return Ok(Progress::Incomplete(Reason::UserBufferSize));
            }
            self.batch = None;
        }
    }
}
