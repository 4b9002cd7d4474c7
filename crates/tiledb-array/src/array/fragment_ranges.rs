//! Ranges of fragments in one dimension: of all their cells, and of single tiles.

use super::fragment_info::{LoadedFragment, LoadedFragments};
use tiledb_core::error::{Result, bail};
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
    pub fn domain_range(&self, fragment: u32, dimension: InfoSelector, wanted: Sides) -> Result<CellRange> {
        let mut words = wanted.domain_words();
        if matches!((wanted, dimension), (Sides::VarSize, InfoSelector::Name(_))) {
            words.fragment = "Cannot get var-sized non-empty domain";
        }
        let info = self.get(fragment, words.fragment)?;
        let index = position(info, dimension, &words)?;
        check_kind(info, index, wanted, &words)?;
        match info.fragment().non_empty_domain().get(index) {
            Some(range) => Ok(range.clone()),
            None => bail!(Internal, "FragmentInfo: {}; The fragment has no range for it", words.index),
        }
    }

    /// The range of the bounding box of a tile in a dimension.
    ///
    /// # Errors
    /// If the fragment is not sparse, or there is no such tile, or no such dimension of the requested kind.
    pub fn box_range(&self, fragment: u32, tile: u32, dimension: InfoSelector, wanted: Sides) -> Result<CellRange> {
        let words = wanted.box_words();
        let info = self.get(fragment, words.fragment)?;
        let index = position(info, dimension, &words)?;
        if info.fragment().is_dense() {
            bail!("FragmentInfo: {}; Fragment is not sparse", words.sparse);
        }
        if u64::from(tile) >= info.box_count() {
            bail!("FragmentInfo: {}", words.tile);
        }
        check_kind(info, index, wanted, &words)?;
        let mut ranges = info.fragment().rtree()?.leaf(tile as usize).unwrap_or_default();
        match index < ranges.len() {
            true => Ok(ranges.swap_remove(index)),
            false => bail!("FragmentInfo: {}", words.tile),
        }
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

fn check_kind(info: &LoadedFragment, index: usize, wanted: Sides, words: &Words) -> Result<()> {
    let Some(dimension) = info.schema().domain().dimensions().get(index) else {
        bail!("FragmentInfo: {}; Invalid dimension index", words.index);
    };
    if dimension.is_var() == matches!(wanted, Sides::Fixed) {
        bail!("FragmentInfo: {}; Dimension is {}", words.index, words.kind);
    }
    Ok(())
}
