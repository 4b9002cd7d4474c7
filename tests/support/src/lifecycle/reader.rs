//! Reads by the reference in a process of its own.

use serde_json::json;

use crate::library_process::{self, LibraryProcess};
use crate::lifecycle::actions::Actions;
use crate::lifecycle::model::{Row, Shape};

/// A process that calls [`serve`].
pub struct Reader(pub LibraryProcess);

impl Reader {
    /// Reads a window as [`Actions::read`].
    ///
    /// # Errors
    /// The library's error, or how its process died twice.
    pub fn read(&mut self, uri: &str, shape: &Shape, window: (u64, u64), evolving: &[u32]) -> Result<Vec<Row>, String> {
        let request = json!([
            uri,
            [shape.dense, shape.dups, shape.encrypted],
            shape.dims,
            [shape.cell_order, shape.tile_order, shape.capacity],
            window,
            evolving
        ]);
        let rows = library_process::to_result(&self.0.read(&request)?)?;
        Ok(serde_json::from_value(rows).unwrap())
    }
}

/// Reads what the parent requests. True if there is a parent.
pub fn serve() -> bool {
    library_process::serve(|api, request| {
        let flag = |number: usize| request[1][number].as_bool().unwrap();
        let number = |number: usize| request[3][number].as_u64().unwrap();
        let shape = Shape {
            dense: flag(0),
            dups: flag(1),
            encrypted: flag(2),
            dims: serde_json::from_value(request[2].clone()).unwrap(),
            cell_order: number(0),
            tile_order: number(1),
            capacity: number(2),
        };
        let actions = Actions { api, who: "reader", encrypted: shape.encrypted };
        let window = serde_json::from_value(request[4].clone()).unwrap();
        let evolving: Vec<u32> = serde_json::from_value(request[5].clone()).unwrap();
        let rows = actions.read(request[0].as_str().unwrap(), &shape, window, &evolving);
        library_process::to_value(rows.map(|rows| json!(rows)))
    })
}
