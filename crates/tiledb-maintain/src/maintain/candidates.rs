//! Selection of the fragments that are consolidated next.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::dense_tile_box::DenseTileBox;
use super::merge_rule::{CellPrecedence, FragmentBox, MergeRule, MergeSet};
use super::region_ranks::ranks;
use super::replaced_fragments;
use super::settings::ConsolidationSettings;
use tiledb_array::array::FragmentInfo;
use tiledb_array::fragment::{Fragment, FragmentName, NamePlace};
use tiledb_array::schema::ArraySchema;
use tiledb_cells::space::box_index::{BoxIndex, overlap};
use tiledb_cells::space::grid::{CoordSpan, Grid, GridAxis};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::Layout;

/// A fragment that may be merged with its neighbours.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) fragment: Arc<Fragment>,
    /// Its name; of the result of a simulated merge another one than that of the fragment.
    pub(super) name: FragmentName,
    /// Bytes of all its files.
    pub(super) size: u64,
    /// Bytes of the files with its cells.
    pub(super) data: u64,
    /// Region of a fragment of a dense array.
    pub(super) place: Option<DenseRegion>,
    /// The box around its cells, for the rule of merges.
    pub(super) region: Vec<CoordSpan>,
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

/// The visible fragments of an array, by time.
pub(super) struct Candidates {
    pub(super) precedence: CellPrecedence,
    /// Fragments that begin before the window.
    pub(super) before: Vec<Candidate>,
    /// Fragments inside the window.
    pub(super) inside: Vec<Candidate>,
    /// Fragments that begin in the window and end later, and those after it.
    pub(super) after: Vec<Candidate>,
    /// Fragments inside the window that are not merged for another reason.
    pub(super) excluded: Vec<Candidate>,
    /// Fragments that only readers as of earlier times see.
    pub(super) replaced: Vec<FragmentBox>,
}

impl Candidates {
    /// The visible fragments, divided by a time window; those that `info` has are not loaded again.
    pub(super) fn load(info: &FragmentInfo, window: (u64, u64)) -> Result<Candidates> {
        let resources = info.resources();
        let timer = resources.stats().timer(Timer::LoadChosenFragments);
        info.refresh()?;
        drop(timer);
        Candidates::of_loaded(info, window)
    }

    /// As [`Candidates::load`], of the fragments that `info` has.
    pub(super) fn of_loaded(info: &FragmentInfo, window: (u64, u64)) -> Result<Candidates> {
        let resources = info.resources();
        let _timer = resources.stats().timer(Timer::LoadChosenFragments);
        let loaded = info.loaded()?;
        let newest = loaded.schemas().newest()?;
        let precedence = precedence(&newest);
        // Newer formats of sparse arrays show no replaced fragment in any window.
        let replaced = match precedence {
            CellPrecedence::LastBox | CellPrecedence::LastFragment => replaced_fragments::load(info, &loaded)?,
            CellPrecedence::LatestCell | CellPrecedence::All => Vec::new(),
        };
        let [before, inside, after, excluded] = [const { Vec::new() }; 4];
        let mut candidates = Candidates { precedence, before, inside, after, excluded, replaced: Vec::new() };
        let dense = loaded.iter().find(|info| info.fragment().schema().is_dense());
        let grid = dense.map(|info| Grid::new(info.fragment().schema())).transpose()?;
        let mut regions = match precedence {
            CellPrecedence::LastBox | CellPrecedence::All => Vec::new(),
            _ => {
                let visible = loaded.iter().map(|info| info.fragment());
                let all = visible.chain(replaced.iter().map(|replaced| &replaced.fragment));
                let regions: Vec<_> = all.map(|fragment| fragment.non_empty_domain()).collect();
                ranks(newest.domain(), &regions)
            }
        }
        .into_iter();
        for info in loaded.iter() {
            let fragment = info.fragment().clone();
            let (start, end) = fragment.timestamps();
            let group = match (start < window.0, end <= window.1) {
                (true, _) => &mut candidates.before,
                (false, true) => &mut candidates.inside,
                (false, false) => &mut candidates.after,
            };
            let place = grid.as_ref().map(|grid| DenseRegion::new(grid, &fragment));
            let region =
                place.as_ref().map_or_else(|| regions.next().unwrap_or_default(), |place| place.region.clone());
            let name = fragment.name().clone();
            let data = fragment.data_size();
            group.push(Candidate { name, size: info.size(), data, place, region, fragment });
        }
        candidates.replaced.extend(replaced.iter().map(|replaced| FragmentBox {
            name: replaced.fragment.name().clone(),
            region: match &grid {
                Some(grid) => DenseRegion::new(grid, &replaced.fragment).region,
                None => regions.next().unwrap_or_default(),
            },
            replaced_by: Some(replaced.replaced_by),
        }));
        Ok(candidates)
    }

    /// The rule for merges of these fragments.
    pub(super) fn rule(&self) -> MergeRule {
        let all = [&self.before, &self.inside, &self.after, &self.excluded].into_iter().flatten();
        let all = all.map(Candidate::fragment_box).chain(self.replaced.iter().cloned());
        MergeRule::new(self.precedence, all.collect())
    }

    /// The place of the fragment that some fragments are merged into.
    ///
    /// # Errors
    /// If the merge would change which fragment supplies a cell.
    pub(super) fn place_of(&self, sources: &[Candidate]) -> Result<NamePlace> {
        let rule = self.rule();
        let mut positions = sources.iter().filter_map(|source| rule.position(&source.name));
        let Some(mut set) = positions.next().map(|position| rule.set(position)) else {
            return Ok(NamePlace::default());
        };
        positions.for_each(|position| rule.add(&mut set, position));
        let other = match rule.check(&set) {
            Ok(place) => return Ok(place),
            Err(position) => rule.name(position),
        };
        if self.precedence == CellPrecedence::LastBox {
            return Err(older_overlaps(other));
        }
        bail!(
            "FragmentConsolidator: Cannot consolidate; Cells of the fragment '{other}' could supersede later ones of the selected \
             fragments, or be superseded by earlier ones: select it, too"
        )
    }

    /// A fragment of a dense array, not after all of those that are chosen, with a space tile in the box around theirs.
    pub(super) fn older_neighbour(&self, chosen: &[Candidate]) -> Option<&FragmentName> {
        let end = chosen.iter().map(|candidate| candidate.name.timestamps().1).max()?;
        let mut tiles = chosen.iter().filter_map(|candidate| candidate.place.as_ref()).map(|place| place.tiles.clone());
        let union = tiles.next().map(|first| tiles.fold(first, joined))?;
        let names: HashSet<&FragmentName> = chosen.iter().map(|candidate| &candidate.name).collect();
        let is_neighbour = |other: &&Candidate| {
            let tiles = other.place.as_ref().map(|place| &place.tiles);
            other.name.timestamps().0 <= end
                && tiles.is_some_and(|tiles| overlap(&union, tiles))
                && !names.contains(&other.name)
        };
        self.inside.iter().find(is_neighbour).map(|candidate| &candidate.name)
    }

    /// Finds the neighbours to be merged: as many as there may be and, of equally many, the smallest.
    pub(super) fn choose(&self, settings: &ConsolidationSettings) -> Option<Range<usize>> {
        let count = self.inside.len();
        let [least, most] = [settings.fragments.0, settings.fragments.1].map(|limit| (limit as usize).min(count));
        let region = |candidate: &Candidate| candidate.place.as_ref().map(|place| place.region.clone());
        let rule = self.rule();
        let positions: Vec<usize> = self.inside.iter().filter_map(|candidate| rule.position(&candidate.name)).collect();
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
            let mut run = MergeGroup::new(&self.inside[first], rule.set(positions[first]));
            let mut size = 0;
            let mut number = 0;
            let mut last = first;
            while last + 1 < count.min(first + most) && self.extend(&mut run, settings, &around, first, last + 1) {
                last += 1;
                rule.add(&mut run.set, positions[last]);
                if run.set.len() < least.max(2) {
                    continue;
                }
                // Fragments at equal times may have to join.
                match rule.check(&run.set) {
                    Ok(_) => (number, size) = (run.set.len(), run.size),
                    Err(other) if rule.is_permanent(&run.set, other) => break,
                    Err(_) => (),
                }
            }
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
        let region = sources.iter().map(|source| source.region.clone()).reduce(joined).unwrap_or_default();
        let name = sources.iter().map(|source| source.name.clone()).reduce(|a, b| new_name(&a, &b));
        Candidate {
            fragment: sources[0].fragment.clone(),
            name: name.unwrap_or_else(|| sources[0].name.clone()),
            size: data.saturating_add(metadata),
            data,
            place,
            region,
        }
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
    /// Its name and its box.
    pub(super) fn fragment_box(&self) -> FragmentBox {
        FragmentBox { name: self.name.clone(), region: self.region.clone(), replaced_by: None }
    }

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
        let place = self.place.as_ref().map(|place| place.piece(number, pieces, is_row_major));
        Candidate {
            fragment: self.fragment.clone(),
            name: new_name(&self.name, &self.name),
            size: self.data / pieces + self.metadata(),
            data: self.data / pieces,
            region: place.as_ref().map_or_else(|| self.region.clone(), |place| place.region.clone()),
            place,
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
    set: MergeSet,
}

impl MergeGroup {
    fn new(first: &Candidate, set: MergeSet) -> MergeGroup {
        let place = first.place.as_ref();
        MergeGroup {
            set,
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

/// The error of a merge of dense fragments that would hide cells of another one.
pub(super) fn older_overlaps(other: &FragmentName) -> Error {
    Error::invalid(format!(
        "FragmentConsolidator: Cannot consolidate; The non-empty domain of the fragment with URI: {other} overlaps with \
         the union of the non-empty domains of the fragments selected for consolidation and was created before \
         these fragments. For more information refer to our documentation on consolidation for Dense arrays."
    ))
}

/// Which of several fragments of an array supplies a cell, given its newest schema.
pub(super) fn precedence(schema: &ArraySchema) -> CellPrecedence {
    if schema.is_dense() {
        CellPrecedence::LastBox
    } else if schema.allows_dups() {
        CellPrecedence::All
    } else if schema.version().of_new_fragments().has_touching_visibility() {
        CellPrecedence::LatestCell
    } else {
        CellPrecedence::LastFragment
    }
}

/// The name that a merge of two fragments would get.
fn new_name(a: &FragmentName, b: &FragmentName) -> FragmentName {
    let (first, second) = (a.timestamps(), b.timestamps());
    FragmentName::new(first.0.min(second.0), first.1.max(second.1), a.version().max(b.version()))
}

/// The box around two boxes.
fn joined(a: Vec<CoordSpan>, b: Vec<CoordSpan>) -> Vec<CoordSpan> {
    a.into_iter().zip(b).map(|(a, b)| a.join(b)).collect()
}

/// The volume of a box.
fn volume(sides: &[CoordSpan]) -> f64 {
    sides.iter().map(|span| span.count() as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A region of whole tiles with ten cells along each dimension.
    fn region(tiles: &[(u64, u64)]) -> DenseRegion {
        let tiles: Vec<CoordSpan> = tiles.iter().map(|&(low, high)| CoordSpan { low, high }).collect();
        let region = tiles.iter().map(|side| CoordSpan { low: 10 * side.low, high: 10 * side.high + 9 }).collect();
        let cells = volume(&tiles) * 10f64.powi(tiles.len() as i32);
        DenseRegion { region, tiles, cells }
    }

    #[test]
    fn pieces_of_a_region_divide_the_first_dimension_that_has_enough_tiles() {
        let row = true;
        let col = false;
        for (tiles, pieces, is_row_major, cut) in [
            (&[(0, 5), (0, 7)][..], 3, row, Some(0)),
            (&[(0, 5), (0, 7)], 3, col, Some(1)),
            (&[(0, 5), (0, 7)], 6, row, Some(0)),
            (&[(0, 5), (0, 7)], 7, row, Some(1)),
            (&[(4, 9), (3, 4)], 3, col, Some(0)),
            (&[(4, 9), (3, 4)], 7, row, None),
            (&[(2, 2)], 1, row, Some(0)),
        ] {
            let whole = region(tiles);
            let parts: Vec<DenseRegion> = (0..pieces).map(|number| whole.piece(number, pieces, is_row_major)).collect();
            let context = format!("{tiles:?} in {pieces} pieces, row-major: {is_row_major}");
            let Some(cut) = cut else {
                assert!(parts.iter().all(|part| part.tiles == whole.tiles && part.region == whole.region), "{context}");
                continue;
            };
            // They follow one another, and differ by at most one tile.
            let mut next = whole.tiles[cut].low;
            for part in &parts {
                assert_eq!(part.tiles[cut].low, next, "{context}");
                next = part.tiles[cut].high + 1;
                let others = (0..tiles.len()).filter(|&at| at != cut);
                assert!(others.clone().all(|at| part.tiles[at] == whole.tiles[at]), "{context}");
                assert_eq!(
                    part.cells,
                    region(&part.tiles.iter().map(|side| (side.low, side.high)).collect::<Vec<_>>()).cells
                );
            }
            assert_eq!(next, whole.tiles[cut].high + 1, "{context}");
            let counts = || parts.iter().map(|part| part.tiles[cut].count());
            assert!(counts().max().unwrap() - counts().min().unwrap() <= 1, "{context}");
            assert_eq!(parts[0].region[cut].low, whole.region[cut].low, "{context}");
            assert_eq!(parts[parts.len() - 1].region[cut].high, whole.region[cut].high, "{context}");
        }
    }

    #[test]
    fn joined_regions_have_the_cells_of_all_tiles_around_both() {
        let joined = region(&[(0, 1), (5, 5)]).join(region(&[(3, 3), (2, 4)]));
        let around = region(&[(0, 3), (2, 5)]);
        assert_eq!((&joined.tiles, &joined.region, joined.cells), (&around.tiles, &around.region, around.cells));
    }

    #[test]
    fn merged_fragment_has_the_times_and_the_version_of_all() {
        use tiledb_core::types::{CURRENT_VERSION, FormatVersion};
        let old = FormatVersion::from_number(12).unwrap();
        let name = |start, end, version| FragmentName::new(start, end, version);
        for (a, b, expected) in [((1, 2), (4, 9), (1, 9)), ((3, 8), (1, 4), (1, 8)), ((2, 9), (3, 4), (2, 9))] {
            let merged = new_name(&name(a.0, a.1, old), &name(b.0, b.1, CURRENT_VERSION));
            assert_eq!((merged.timestamps(), merged.version()), (expected, CURRENT_VERSION));
        }
    }
}
