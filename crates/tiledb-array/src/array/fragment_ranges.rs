//! Ranges of fragments in one dimension: of all their cells, and of single tiles.

use super::fragment_info::{LoadedFragment, LoadedFragments};
use crate::schema::Dimension;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::CellRange;

/// Selects a dimension by index or name.
#[derive(Clone, Copy)]
pub enum InfoSelector<'a> {
    /// By its position.
    Index(u32),
    /// By its name; `None` is rejected.
    Name(Option<&'a str>),
}

/// Kind of range that the caller accepts: each is for one kind of dimension.
#[derive(Clone, Copy)]
pub enum Sides {
    /// Both ends in one buffer: of a fixed-size dimension.
    Fixed,
    /// The ends of a string dimension.
    Var,
    /// The sizes of the ends of a string dimension.
    VarSize,
}

/// Selects a global-order bound of a tile.
#[derive(Clone, Copy)]
pub enum TileBound {
    /// The coordinates of the first cell.
    Lower,
    /// The coordinates of the last cell.
    Upper,
}

/// A coordinate of a global-order bound.
pub struct BoundCoordinate<'a> {
    pub dimension: &'a Dimension,
    pub value: &'a [u8],
}

/// Error messages, which differ from case to case in libtiledb.
struct Words {
    fragment: &'static str,
    sparse: &'static str,
    tile: &'static str,
    index: &'static str,
    name: &'static str,
    kind: &'static str,
}

const fn words(what: &'static str, kind: &'static str) -> Words {
    Words { fragment: what, sparse: what, tile: "", index: what, name: what, kind }
}

impl Sides {
    fn domain_words(self) -> Words {
        let size = "Cannot get non-empty domain var size";
        match self {
            Sides::Fixed => words("Cannot get non-empty domain", "variable-sized"),
            Sides::Var => words("Cannot get non-empty domain var", "fixed-sized"),
            Sides::VarSize => words(size, "fixed sized"),
        }
    }

    fn box_words(self) -> Words {
        let mbr = "Cannot get MBR";
        match self {
            Sides::Fixed => Words {
                tile: "Cannot get MBR; Invalid MBR index",
                name: "Cannot get non-empty domain",
                ..words(mbr, "variable-sized")
            },
            Sides::Var => Words {
                tile: "Cannot get MBR var; Invalid mbr index",
                name: "Cannot get non-empty domain var",
                ..words("Cannot get MBR var", "fixed-sized")
            },
            Sides::VarSize => Words {
                sparse: mbr,
                tile: "Cannot get MBR; Invalid mbr index",
                ..words("Cannot get MBR var size", "fixed sized")
            },
        }
    }
}

impl LoadedFragments {
    /// The range of all cells of a fragment in a dimension.
    ///
    /// # Errors
    /// If there is no such fragment, or no such dimension of the requested kind.
    pub fn domain_range(&self, fragment: u32, dimension: InfoSelector, sides: Sides) -> Result<CellRange> {
        let mut words = sides.domain_words();
        if matches!((sides, dimension), (Sides::VarSize, InfoSelector::Name(_))) {
            words.fragment = "Cannot get var-sized non-empty domain";
        }
        let info = self.get(fragment, words.fragment)?;
        let index = position(info, dimension, &words)?;
        check_kind(info, index, sides, &words)?;
        match info.fragment().non_empty_domain().get(index) {
            Some(range) => Ok(range.clone()),
            None => bail!(Internal, "FragmentInfo: {}; The fragment has no range for it", words.index),
        }
    }

    /// The range of the bounding box of a tile in a dimension.
    ///
    /// # Errors
    /// If the fragment is not sparse, or there is no such tile, or no such dimension of the requested kind.
    pub fn box_range(&self, fragment: u32, tile: u32, dimension: InfoSelector, sides: Sides) -> Result<CellRange> {
        let words = sides.box_words();
        let info = self.get(fragment, words.fragment)?;
        let index = position(info, dimension, &words)?;
        if info.fragment().is_dense() {
            bail!("FragmentInfo: {}; Fragment is not sparse", words.sparse);
        }
        if u64::from(tile) >= info.box_count() {
            bail!("FragmentInfo: {}", words.tile);
        }
        check_kind(info, index, sides, &words)?;
        let mut ranges = info.fragment().rtree()?.leaf(tile as usize).unwrap_or_default();
        match index < ranges.len() {
            true => Ok(ranges.swap_remove(index)),
            false => bail!("FragmentInfo: {}", words.tile),
        }
    }

    /// The coordinates of a global-order bound of a tile, one for each dimension.
    ///
    /// # Errors
    /// If there is no such fragment or tile, or the fragment is dense or has no bounds.
    pub fn tile_bound(&self, fragment: u32, tile: u32, bound: TileBound) -> Result<Vec<BoundCoordinate<'_>>> {
        const CANNOT: &str = "FragmentInfo: Cannot get MBR global order bound";
        if fragment as usize >= self.len() {
            bail!("{CANNOT}: Invalid fragment index: {fragment} is not below {}", self.len());
        }
        let fragment = self.get(fragment, CANNOT)?.fragment();
        if fragment.is_dense() {
            bail!("FragmentInfo: Cannot get MBR; Fragment is not sparse");
        }
        let unavailable = || {
            let name = fragment.name();
            let version = fragment.version().number();
            Error::invalid(format!(
                "{CANNOT}: Unavailable: fragment '{name}' of format version {version} contains no bounds (version 23 or later does)"
            ))
        };
        if !fragment.has_tile_bounds() {
            return Err(unavailable());
        }
        if u64::from(tile) >= fragment.tile_count() {
            bail!("{CANNOT}: Invalid mbr index: {tile} is not below {}", fragment.tile_count());
        }
        let dimensions = fragment.schema().domain().dimensions().iter().enumerate();
        dimensions
            .map(|(index, dimension)| {
                let [low, high] = fragment.tile_bounds(index, tile.into())?.ok_or_else(unavailable)?;
                let value = match bound {
                    TileBound::Lower => low,
                    TileBound::Upper => high,
                };
                Ok(BoundCoordinate { dimension, value })
            })
            .collect()
    }
}

/// Resolves a selector to a position, which is not checked yet: libtiledb checks other arguments first.
fn position(info: &LoadedFragment, dimension: InfoSelector, words: &Words) -> Result<usize> {
    let name = match dimension {
        InfoSelector::Index(index) => return Ok(index as usize),
        InfoSelector::Name(Some(name)) => name,
        InfoSelector::Name(None) => bail!("FragmentInfo: {}; Dimension name argument cannot be null", words.name),
    };
    match info.schema().domain().index_of(name) {
        Some(index) => Ok(index),
        None => bail!("FragmentInfo: {}; Invalid dimension name '{name}'", words.name),
    }
}

fn check_kind(info: &LoadedFragment, index: usize, sides: Sides, words: &Words) -> Result<()> {
    let Some(dimension) = info.schema().domain().dimensions().get(index) else {
        bail!("FragmentInfo: {}; Invalid dimension index", words.index);
    };
    if dimension.is_var() == matches!(sides, Sides::Fixed) {
        bail!("FragmentInfo: {}; Dimension is {}", words.index, words.kind);
    }
    Ok(())
}
