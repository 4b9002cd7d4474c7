//! Derives an array schema from the columns of a file.

use std::collections::{HashMap, HashSet};

use tiledb::Datatype;

use crate::model::{
    Checksum, DatatypeExt, DatatypeKind, Error, FilterChoice, NewArray, NewAttribute, NewDimension, Result,
};

/// Options of the array.
#[derive(Clone)]
pub(crate) struct ImportOptions {
    /// Columns that become dimensions of a sparse array; none for a dense array of numbered rows.
    pub dimensions: Vec<String>,
    /// Name of the row dimension.
    pub row: String,
    /// Given datatypes of columns.
    pub types: Vec<(String, Datatype)>,
    /// Cells per tile.
    pub tile: u64,
    /// Checksum filter of tiles.
    pub checksum: Option<Checksum>,
}

/// Maximum number of columns in an error message.
const LISTED: usize = 20;

/// A column of a file.
#[derive(Clone)]
pub(crate) struct InferredColumn {
    pub name: String,
    pub datatype: Datatype,
    /// Whether some cells are null.
    pub has_nulls: bool,
    /// Minimum and maximum, if they are known integers.
    pub bounds: Option<(i64, i64)>,
}

/// Derives an array for a number of rows.
pub(crate) fn propose(options: &ImportOptions, mut columns: Vec<InferredColumn>, rows: u64) -> Result<NewArray> {
    let places: HashMap<String, usize> = columns.iter().zip(0..).map(|(one, at)| (one.name.clone(), at)).collect();
    for name in options.dimensions.iter().chain(options.types.iter().map(|(name, _)| name)) {
        if !places.contains_key(name) {
            return Err(Error::usage(format!("there is no column {name:?}; the columns are {}", listed(&columns))));
        }
    }
    let mut dimensions = HashSet::new();
    if let Some(name) = options.dimensions.iter().find(|name| !dimensions.insert(name.as_str())) {
        return Err(Error::usage(format!("--dims names {name:?} twice: each dimension once")));
    }
    for (name, datatype) in &options.types {
        columns[places[name]].datatype = *datatype;
    }
    let is_dense = options.dimensions.is_empty();
    if is_dense && places.contains_key(&options.row) {
        return Err(Error::usage(format!(
            "there is a column {:?}: give the numbers of rows a name by --row",
            options.row
        )));
    }
    let made = if is_dense {
        vec![numbers(options)?]
    } else {
        // The same number of tiles along each numeric dimension.
        let tiles = (rows as f64 / options.tile as f64).max(1.0).powf(1.0 / options.dimensions.len() as f64).ceil();
        options.dimensions.iter().map(|name| dimension(&columns[places[name]], tiles)).collect::<Result<_>>()?
    };
    let others = columns.into_iter().filter(|column| !dimensions.contains(column.name.as_str()));
    let attributes: Vec<_> = others
        .map(|column| NewAttribute { name: column.name, datatype: column.datatype, is_nullable: column.has_nulls })
        .collect();
    if attributes.is_empty() {
        return Err(Error::usage("an array needs a column that is no dimension"));
    }
    Ok(NewArray {
        is_dense,
        capacity: options.tile,
        dimensions: made,
        attributes,
        checksum: options.checksum,
        filters: FilterChoice::Default,
    })
}

/// The names of the first columns.
fn listed(columns: &[InferredColumn]) -> String {
    let names: Vec<&str> = columns.iter().take(LISTED).map(|column| column.name.as_str()).collect();
    let more = if columns.len() > LISTED { format!(", ... ({} in all)", columns.len()) } else { String::new() };
    names.join(", ") + &more
}

/// The row dimension.
fn numbers(options: &ImportOptions) -> Result<NewDimension> {
    let tile = i64::try_from(options.tile).ok().filter(|tile| (1..=1 << 32).contains(tile));
    let tile = tile.ok_or_else(|| Error::usage("--tile: a tile has 1 to 2^32 cells"))?;
    Ok(NewDimension {
        name: options.row.clone(),
        datatype: Datatype::Int64,
        domain: Some(both(0_i64.to_le_bytes(), (i64::MAX - tile).to_le_bytes())),
        extent: Some(tile.to_le_bytes().to_vec()),
    })
}

/// A dimension with the full domain of its datatype, so that later rows fit.
fn dimension(column: &InferredColumn, tiles: f64) -> Result<NewDimension> {
    let InferredColumn { name, datatype, has_nulls, bounds } = column;
    let (name, datatype) = (name.clone(), *datatype);
    if *has_nulls {
        return Err(Error::failed(format!("column {name:?} cannot be a dimension: a cell of it has no value")));
    }
    let of = |domain, extent| Ok(NewDimension { name: name.clone(), datatype, domain, extent });
    match datatype.kind() {
        DatatypeKind::Text(1) => Ok(NewDimension { name, datatype: Datatype::StringAscii, domain: None, extent: None }),
        DatatypeKind::Real(4) => of(Some(both(f32::MIN.to_le_bytes(), f32::MAX.to_le_bytes())), None),
        DatatypeKind::Real(_) => of(Some(both(f64::MIN.to_le_bytes(), f64::MAX.to_le_bytes())), None),
        DatatypeKind::Signed(size) | DatatypeKind::Unsigned(size) => {
            let bits = 8 * size as u32;
            let (low, high) = match datatype.kind() {
                // The minimum is NaT, no date.
                DatatypeKind::Signed(_) => (1 - (1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
                _ => (0, (1_i128 << bits) - 1),
            };
            let spread = bounds.map_or(tiles, |(low, high)| high as f64 - low as f64 + 1.0);
            let extent = ((spread / tiles).ceil().max(1.0) as i128).min((high - low) / 4);
            let bytes = |number: i128| number.to_le_bytes()[..size].to_vec();
            of(Some([bytes(low), bytes(high - extent)].concat()), Some(bytes(extent)))
        }
        _ => Err(Error::failed(format!("column {name:?} cannot be a dimension: {datatype} does not suit one"))),
    }
}

fn both<const N: usize>(low: [u8; N], high: [u8; N]) -> Vec<u8> {
    [low, high].concat()
}
