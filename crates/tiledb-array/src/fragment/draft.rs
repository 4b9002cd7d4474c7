//! State of an unfinished fragment: lets another process continue a write in global order between two submits.

use super::FragmentName;
use super::stored_bounds::StoredBounds;
use tiledb_core::error::{Result, bail};
use tiledb_storage::vfs::{SuspendedFile, Uri, Vfs};

/// An unfinished fragment. Its data files contain exactly what the draft describes.
#[derive(Clone, Debug)]
pub struct FragmentDraft {
    pub name: FragmentName,
    /// Number of tiles of each field.
    pub tiles: u64,
    /// Cells of the last tile of a sparse fragment.
    pub last_tile_cells: u64,
    /// The boxes of the tiles of a sparse fragment, as the lowest level of an R-tree is stored.
    pub boxes: Vec<u8>,
    /// The tables by field, in their order in the metadata of fragments; those of fields that are not stored are empty.
    pub fields: Vec<FieldDraft>,
    /// The global-order bounds of the tiles of a sparse fragment by dimension, if the format has them. Messages of libtiledb
    /// 2.30 drop them: the fragment has none then, since they are optional.
    pub bounds: Option<Vec<StoredBounds>>,
}

/// The files and tables of a field.
#[derive(Clone, Debug, Default)]
pub struct FieldDraft {
    /// The files: of fixed cells or starts, of variable values, of validity.
    pub files: [SuspendedFile; 3],
    /// Offsets of tiles in these files.
    pub offsets: [Vec<u64>; 3],
    /// Bytes of the variable values of tiles, not filtered.
    pub var_sizes: Vec<u64>,
    /// The least cells of tiles: fixed ones, or where variable ones begin; and variable ones.
    pub minima: [Vec<u8>; 2],
    /// The greatest ones.
    pub maxima: [Vec<u8>; 2],
    /// The sums, eight bytes each.
    pub sums: Vec<u8>,
    /// Null counts of tiles.
    pub null_counts: Vec<u64>,
}

/// Checks that a fragment to be continued is not complete yet.
///
/// # Errors
/// If the fragment has a metadata file.
pub(super) fn check_open(vfs: &Vfs, folder: &Uri) -> Result<()> {
    if vfs.is_file(&folder.join(super::METADATA_FILE))? {
        bail!("Cannot go on with the write; fragment '{folder}' is complete");
    }
    Ok(())
}
