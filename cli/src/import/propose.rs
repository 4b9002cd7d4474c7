//! The array that suits the columns of a file.

use crate::tiledb::{Datatype, Error, Kind, NewArray, NewAttribute, NewDimension, Result};

use super::guess::{Guess, Seen};

/// What somebody wants of the array.
pub struct Wish {
    /// Columns that are to be dimensions of a sparse array; none for a dense array of numbered rows.
    pub dimensions: Vec<String>,
    /// What the dimension of the numbers is called.
    pub row: String,
    /// Datatypes of columns.
    pub types: Vec<(String, Datatype)>,
    /// Cells of a tile.
    pub tile: u64,
}

/// Proposes an array for columns of which so many rows were seen.
pub fn propose(wish: &Wish, columns: &[String], seen: &[Seen], rows: u64) -> Result<NewArray> {
    for name in wish.dimensions.iter().chain(wish.types.iter().map(|(name, _)| name)) {
        if !columns.contains(name) {
            let all = columns.join(", ");
            return Err(Error::usage(format!("there is no column {name:?}; the columns are {all}")));
        }
    }
    let datatype = |name: &str, seen: &Seen| {
        let wanted = wish.types.iter().find(|(wanted, _)| wanted == name);
        wanted.map_or(seen.guess.datatype(), |(_, datatype)| *datatype)
    };
    let is_dense = wish.dimensions.is_empty();
    if is_dense && columns.contains(&wish.row) {
        return Err(Error::usage(format!(
            "there is a column {:?}: give the numbers of rows a name by --row",
            wish.row
        )));
    }
    let find = |name: &String| columns.iter().zip(seen).find(|(column, _)| *column == name);
    let dimensions = if is_dense {
        vec![numbers(wish)?]
    } else {
        // As many tiles along each dimension that has numbers.
        let tiles = (rows as f64 / wish.tile as f64).max(1.0).powf(1.0 / wish.dimensions.len() as f64).ceil();
        let dimension = |(name, seen): (&String, &Seen)| dimension(name, seen, datatype(name, seen), tiles);
        wish.dimensions.iter().filter_map(find).map(dimension).collect::<Result<_>>()?
    };
    let others = columns.iter().zip(seen).filter(|(name, _)| !wish.dimensions.contains(name));
    let attributes: Vec<_> = others
        .map(|(name, seen)| NewAttribute {
            name: name.clone(),
            datatype: datatype(name, seen),
            is_nullable: seen.has_nulls || seen.guess == Guess::Nothing,
        })
        .collect();
    if attributes.is_empty() {
        return Err(Error::usage("an array needs a column that is no dimension"));
    }
    Ok(NewArray { is_dense, capacity: wish.tile, dimensions, attributes })
}

/// The dimension that numbers rows.
fn numbers(wish: &Wish) -> Result<NewDimension> {
    let tile = i64::try_from(wish.tile).ok().filter(|tile| (1..=1 << 32).contains(tile));
    let tile = tile.ok_or_else(|| Error::usage("--tile: a tile has 1 to 2^32 cells"))?;
    Ok(NewDimension {
        name: wish.row.clone(),
        datatype: Datatype::INT64,
        domain: Some(both(0_i64.to_le_bytes(), (i64::MAX - tile).to_le_bytes())),
        extent: Some(tile.to_le_bytes().to_vec()),
    })
}

/// A dimension whose domain is all that its datatype has, so that whatever comes later fits.
fn dimension(name: &str, seen: &Seen, datatype: Datatype, tiles: f64) -> Result<NewDimension> {
    if seen.has_nulls {
        return Err(Error::failed(format!("column {name:?} cannot be a dimension: a cell of it has no value")));
    }
    let of = |domain, extent| Ok(NewDimension { name: name.to_owned(), datatype, domain, extent });
    match datatype.kind() {
        Kind::Text(1) => {
            Ok(NewDimension { name: name.to_owned(), datatype: Datatype::STRING_ASCII, domain: None, extent: None })
        }
        Kind::Real(4) => of(Some(both(f32::MIN.to_le_bytes(), f32::MAX.to_le_bytes())), None),
        Kind::Real(_) => of(Some(both(f64::MIN.to_le_bytes(), f64::MAX.to_le_bytes())), None),
        Kind::Signed(size) | Kind::Unsigned(size) => {
            let bits = 8 * size as u32;
            let (low, high) = match datatype.kind() {
                // The least number is no date.
                Kind::Signed(_) => (1 - (1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
                _ => (0, (1_i128 << bits) - 1),
            };
            let extent = ((seen.spread().unwrap_or(tiles) / tiles).ceil().max(1.0) as i128).min((high - low) / 4);
            let bytes = |number: i128| number.to_le_bytes()[..size].to_vec();
            of(Some([bytes(low), bytes(high - extent)].concat()), Some(bytes(extent)))
        }
        _ => Err(Error::failed(format!("column {name:?} cannot be a dimension: {datatype} has no order"))),
    }
}

fn both<const N: usize>(low: [u8; N], high: [u8; N]) -> Vec<u8> {
    [low, high].concat()
}
