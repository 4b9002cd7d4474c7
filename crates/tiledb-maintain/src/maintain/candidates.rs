//! Selection of the fragments that are consolidated next.

use std::ops::Range;
use std::sync::Arc;

use super::dense_tile_box::DenseTileBox;
use super::settings::ConsolidationSettings;
use tiledb_array::array::FragmentInfo;
use tiledb_array::fragment::Fragment;
use tiledb_cells::space::box_index::{BoxIndex, overlap};
use tiledb_cells::space::grid::{CoordSpan, Grid, GridAxis};
use tiledb_core::error::Result;
use tiledb_core::stats::Timer;
use tiledb_core::types::Layout;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A fragment that may be merged with its neighbours.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) fragment: Arc<Fragment>,
    /// Bytes of all its files.
    pub(super) size: u64,
    /// Bytes of the files with its cells.
    pub(super) data: u64,
    /// Region of a fragment of a dense array.
    pub(super) place: Option<DenseRegion>,
}

/// Region of a dense fragment.
#[derive(Clone)]
pub(super) struct DenseRegion {
    /// Its cells, relative to the low end of the domain, per dimension.
    region: Vec<CoordSpan>,
    /// The space tiles that contain them.
    tiles: Vec<CoordSpan>,
    /// Number of cells of these tiles.
    cells: f64,
}

/// The fragments of an array, by time.
#[derive(Default)]
pub(super) struct Candidates {
    /// Fragments that begin before the window.
    pub(super) before: Vec<Candidate>,
    /// Fragments inside the window.
    pub(super) inside: Vec<Candidate>,
    /// Fragments that begin in the window and end later, and those after it.
    pub(super) after: Vec<Candidate>,
}

impl Candidates {
    /// The visible fragments, divided by a time window.
    pub(super) fn load(resources: &Resources, uri: &Uri, window: (u64, u64)) -> Result<Candidates> {
        let _timer = resources.stats().timer(Timer::LoadChosenFragments);
        let info = FragmentInfo::new(resources, uri.as_str())?;
        info.load()?;
        let mut candidates = Candidates::default();
        let loaded = info.loaded()?;
        let dense = loaded.iter().find(|info| info.fragment().schema().is_dense());
        let grid = dense.map(|info| Grid::new(info.fragment().schema())).transpose()?;
        for info in loaded.iter() {
            let fragment = info.fragment().clone();
            let (start, end) = fragment.timestamps();
            let group = match (start < window.0, end <= window.1) {
                (true, _) => &mut candidates.before,
                (false, true) => &mut candidates.inside,
                (false, false) => &mut candidates.after,
            };
            let place = grid.as_ref().map(|grid| DenseRegion::new(grid, &fragment));
            group.push(Candidate { size: info.size(), data: fragment.data_size(), place, fragment });
        }
        Ok(candidates)
    }

    /// Finds the neighbours to be merged: as many as there may be and, of equally many, the smallest.
    pub(super) fn choose(&self, settings: &ConsolidationSettings) -> Option<Range<usize>> {
        let count = self.inside.len();
        let [least, most] = [settings.fragments.0, settings.fragments.1].map(|limit| (limit as usize).min(count));
        let region = |candidate: &Candidate| candidate.place.as_ref().map(|place| place.region.clone());
        let around = UnchosenRegions {
            before: self.before.iter().filter_map(region).reduce(joined),
            inside: BoxIndex::new(self.inside.iter().filter_map(region).collect()),
        };
        // Number of fragments in the best choice, its first fragment, and its size.
        let mut best: Option<(usize, usize, u64)> = None;
        for first in 0..count.saturating_sub(least.max(2) - 1) {
            if best.is_some_and(|(number, ..)| number > count - first) {
                break;
            }
            let mut run = MergeGroup::new(&self.inside[first]);
            let mut size = run.size;
            let mut last = first;
            while last + 1 < count.min(first + most) && self.extend(&mut run, settings, &around, first, last + 1) {
                (last, size) = (last + 1, run.size);
            }
            let number = last - first + 1;
            // Earlier fragments are preferred to later ones that are hardly smaller.
            let is_better = best
                .is_none_or(|(most, _, least)| number > most || number == most && (size as f64) < least as f64 / 1.25);
            if number >= least.max(2) && is_better {
                best = Some((number, first, size));
            }
        }
        best.map(|(number, first, _)| first..first + number)
    }

    /// About what a choice is once it is merged: all its cells, with the metadata of one.
    pub(super) fn merged(&self, chosen: Range<usize>) -> Candidate {
        let sources = &self.inside[chosen];
        let sum = |of: fn(&Candidate) -> f64| sources.iter().map(of).sum::<f64>();
        let place = sources.iter().filter_map(|candidate| candidate.place.clone()).reduce(DenseRegion::join);
        let data = sum(|source| source.data as f64);
        // Of dense cells that were written more than once only the last ones remain; unwritten ones are filled.
        let kept = place.as_ref().map_or(1.0, |place| {
            place.cells / sum(|source| source.place.as_ref().map_or(0.0, |place| place.cells)).max(1.0)
        });
        let data = (data * kept) as u64;
        let metadata = sources.iter().map(Candidate::metadata).max().unwrap_or(0);
        Candidate { fragment: sources[0].fragment.clone(), size: data.saturating_add(metadata), data, place }
    }

    /// Adds the next fragment to a run; false if it does not go with those there.
    fn extend(
        &self,
        run: &mut MergeGroup,
        settings: &ConsolidationSettings,
        around: &UnchosenRegions,
        first: usize,
        last: usize,
    ) -> bool {
        let next = &self.inside[last];
        let ratio = self.inside[last - 1].size as f32 / next.size as f32;
        if ratio.min(1.0 / ratio) < settings.size_ratio {
            return false;
        }
        run.size = run.size.saturating_add(next.size);
        let (Some(union), Some(place)) = (&mut run.union, &next.place) else { return true };
        union.iter_mut().zip(&place.region).for_each(|(union, side)| *union = union.join(*side));
        run.cells += place.cells;
        // Fragments in between must not supersede cells of earlier ones. Like libtiledb, compares with the bounding box
        // of all fragments before the window.
        !around.before.as_ref().is_some_and(|before| overlap(union, before))
            && !around.inside.overlaps_before(union, first)
            && volume(union) / run.cells <= f64::from(settings.amplification)
    }
}

impl Candidate {
    /// The cells of its whole tiles; nothing in sparse arrays.
    pub(super) fn dense_cells(&self) -> Option<u64> {
        self.place.as_ref().map(|place| place.cells as u64)
    }

    /// The tiles around its cells; nothing in sparse arrays.
    pub(super) fn dense_tiles(&self) -> Option<DenseTileBox> {
        let place = self.place.as_ref()?;
        let tile_cells = (place.cells / volume(&place.tiles)) as u64;
        Some(DenseTileBox { spans: place.tiles.clone(), tile_cells })
    }

    /// Bytes of its files other than those with cells.
    fn metadata(&self) -> u64 {
        self.size.saturating_sub(self.data)
    }

    /// Estimate of piece `number`, if the fragment is divided into `pieces` pieces.
    pub(super) fn piece(&self, number: u64, pieces: u64) -> Candidate {
        let is_row_major = self.fragment.schema().tile_order() == Layout::RowMajor;
        Candidate {
            fragment: self.fragment.clone(),
            size: self.data / pieces + self.metadata(),
            data: self.data / pieces,
            place: self.place.as_ref().map(|place| place.piece(number, pieces, is_row_major)),
        }
    }

    /// Number of fragments for `cells` cells if none may have more bytes of tiles than `limit`, assuming tiles of equal
    /// size. Tiles are not divided, and in a dense array the tiles of a fragment form a box.
    pub(super) fn pieces(&self, cells: u64, limit: u64) -> u64 {
        let schema = self.fragment.schema();
        let mut counts = match &self.place {
            Some(place) => place.tiles.iter().map(|side| side.count()).collect(),
            None => vec![cells.div_ceil(schema.capacity().max(1)).max(1)],
        };
        if schema.tile_order() == Layout::RowMajor {
            counts.reverse();
        }
        let tiles = counts.iter().fold(1, |tiles: u64, count| tiles.saturating_mul(*count));
        // From the dimension on whose coordinate changes with every tile: as many as fit, then parts of the next.
        let mut left = (limit / (self.data / tiles.max(1)).max(1)).max(1);
        counts.into_iter().fold(1, |pieces: u64, count| {
            let per = left.min(count).max(1);
            left = if per == count { left / count.max(1) } else { 1 };
            pieces.saturating_mul(count.div_ceil(per))
        })
    }
}

/// Regions of the dense fragments that are not chosen.
struct UnchosenRegions {
    /// The box around those before the window.
    before: Option<Vec<CoordSpan>>,
    /// Fragments inside the window.
    inside: BoxIndex,
}

/// Neighbours that go together.
struct MergeGroup {
    size: u64,
    /// The box around their cells.
    union: Option<Vec<CoordSpan>>,
    /// Cells in the fragments' own tiles.
    cells: f64,
}

impl MergeGroup {
    fn new(first: &Candidate) -> MergeGroup {
        let place = first.place.as_ref();
        MergeGroup {
            size: first.size,
            union: place.map(|place| place.region.clone()),
            cells: place.map_or(0.0, |place| place.cells),
        }
    }
}

impl DenseRegion {
    fn new(grid: &Grid, fragment: &Fragment) -> DenseRegion {
        let side = |(axis, range): (&GridAxis, _)| axis.span_cut(range).unwrap_or(CoordSpan { low: 0, high: 0 });
        let region: Vec<CoordSpan> = grid.axes().iter().zip(fragment.non_empty_domain()).map(side).collect();
        let tiles =
            |(axis, side): (&GridAxis, &CoordSpan)| CoordSpan { low: axis.tile(side.low), high: axis.tile(side.high) };
        let tiles: Vec<CoordSpan> = grid.axes().iter().zip(&region).map(tiles).collect();
        DenseRegion { cells: volume(&tiles) * grid.tile_cells as f64, region, tiles }
    }

    /// The box around both.
    fn join(self, other: DenseRegion) -> DenseRegion {
        let tile_cells = self.cells / volume(&self.tiles);
        let tiles = joined(self.tiles, other.tiles);
        DenseRegion { cells: volume(&tiles) * tile_cells, region: joined(self.region, other.region), tiles }
    }

    /// Part `number` of `pieces`, divided along the first dimension in tile order that has at least `pieces` tiles.
    fn piece(&self, number: u64, pieces: u64, is_row_major: bool) -> DenseRegion {
        let mut place = self.clone();
        let mut dimensions: Vec<usize> = (0..self.tiles.len()).collect();
        if !is_row_major {
            dimensions.reverse();
        }
        let Some(cut) = dimensions.into_iter().find(|&at| self.tiles[at].count() >= pieces) else { return place };
        let part = |side: CoordSpan| {
            let at =
                |number: u64| side.low + (u128::from(side.count()) * u128::from(number) / u128::from(pieces)) as u64;
            CoordSpan { low: at(number), high: at(number + 1).saturating_sub(1).max(at(number)) }
        };
        (place.tiles[cut], place.region[cut]) = (part(self.tiles[cut]), part(self.region[cut]));
        place.cells = self.cells / volume(&self.tiles) * volume(&place.tiles);
        place
    }
}

/// The first of the `others` up to a time that has a space tile in the box around those of the chosen fragments.
pub(super) fn hidden<'a>(chosen: &[&Candidate], others: &[&'a Candidate], end: u64) -> Option<&'a Candidate> {
    let tiles = |candidate: &Candidate| candidate.place.as_ref().map(|place| place.tiles.clone());
    let union = chosen.iter().filter_map(|candidate| tiles(candidate)).reduce(joined)?;
    let is_hidden = |other: &&&Candidate| {
        other.fragment.timestamps().0 <= end && tiles(other).is_some_and(|tiles| overlap(&union, &tiles))
    };
    others.iter().find(is_hidden).copied()
}

/// The box around two boxes.
fn joined(a: Vec<CoordSpan>, b: Vec<CoordSpan>) -> Vec<CoordSpan> {
    a.into_iter().zip(b).map(|(a, b)| a.join(b)).collect()
}

/// The volume of a box.
fn volume(sides: &[CoordSpan]) -> f64 {
    sides.iter().map(|span| span.count() as f64).product()
}
