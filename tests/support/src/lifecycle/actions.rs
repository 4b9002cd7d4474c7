//! Actions on an array through the C interface.

use crate::lifecycle::model::{Cell, Doomed, Row, Shape, values};
use crate::{Api, Array, Cells, Column, Ctx, Failure, address, bytes, pointer, text};

pub type Outcome = Result<(), Failure>;

const INT32: u64 = 0;
const INT64: u64 = 1;
const UINT8: u64 = 6;
const ASCII: u64 = 11;
const VAR: u64 = u32::MAX as u64;

/// One library at work on one array.
pub struct Actions<'a> {
    pub api: &'a Api,
    pub who: &'static str,
    pub encrypted: bool,
}

impl Actions<'_> {
    /// A context in little memory, since the reference fills its buffers with zeros first.
    pub fn context(&self, more: &[(&str, &str)]) -> Ctx<'_> {
        let mut config = vec![
            ("sm.compute_concurrency_level", "2"),
            ("sm.io_concurrency_level", "2"),
            ("sm.mem.total_budget", "4000000"),
        ];
        if self.encrypted {
            config.extend([
                ("sm.encryption_type", "AES_256_GCM"),
                ("sm.encryption_key", "0123456789abcdeF0123456789abcdeF"),
            ]);
        }
        config.extend(more);
        self.api.context(&config)
    }

    pub fn create(&self, uri: &str, shape: &Shape) -> Outcome {
        let ctx = self.context(&[]);
        let domain = ctx.get("domain_alloc", &[])?;
        for (number, (high, extent)) in shape.dims.iter().enumerate() {
            let name = text(&format!("d{number}"));
            let ends = [0, *high].map(i32::to_le_bytes).concat();
            let dimension =
                ctx.get("dimension_alloc", &[pointer(&name), INT32, bytes(&ends), bytes(&extent.to_le_bytes())])?;
            ctx.call("domain_add_dimension", &[domain, dimension])?;
            ctx.free("dimension", dimension);
        }
        // Schemas of later times take its place; the order of times is that of their texts.
        let mut schema = 0u64;
        ctx.call("array_schema_alloc_at_timestamp", &[u64::from(!shape.dense), 1000, address(&mut schema)])?;
        ctx.call("array_schema_set_domain", &[schema, domain])?;
        ctx.call("array_schema_set_tile_order", &[schema, shape.tile_order])?;
        ctx.call("array_schema_set_cell_order", &[schema, shape.cell_order])?;
        ctx.call("array_schema_set_capacity", &[schema, shape.capacity])?;
        if shape.dups {
            ctx.call("array_schema_set_allows_dups", &[schema, 1])?;
        }
        for (name, ty, count, nullable) in [("a", INT32, 1, 0), ("v", ASCII, VAR, 0), ("n", UINT8, 1, 1)] {
            let name = text(name);
            let attribute = ctx.get("attribute_alloc", &[pointer(&name), ty])?;
            ctx.call("attribute_set_cell_val_num", &[attribute, count])?;
            ctx.call("attribute_set_nullable", &[attribute, nullable])?;
            ctx.call("array_schema_add_attribute", &[schema, attribute])?;
            ctx.free("attribute", attribute);
        }
        let uri = text(uri);
        ctx.call("array_create", &[pointer(&uri), schema])?;
        ctx.free("array_schema", schema);
        ctx.free("domain", domain);
        Ok(())
    }

    /// Adds an evolving attribute, or drops one.
    pub fn evolve(&self, uri: &str, time: u64, attribute: u32, add: bool) -> Outcome {
        let ctx = self.context(&[]);
        let evolution = ctx.get("array_schema_evolution_alloc", &[])?;
        ctx.call("array_schema_evolution_set_timestamp_range", &[evolution, time, time])?;
        let name = text(&format!("e{attribute}"));
        if add {
            let handle = ctx.get("attribute_alloc", &[pointer(&name), INT64])?;
            ctx.call("array_schema_evolution_add_attribute", &[evolution, handle])?;
            ctx.free("attribute", handle);
        } else {
            ctx.call("array_schema_evolution_drop_attribute", &[evolution, pointer(&name)])?;
        }
        let uri = text(uri);
        let evolved = ctx.call("array_evolve", &[pointer(&uri), evolution]);
        ctx.free("array_schema_evolution", evolution);
        evolved
    }

    /// Writes cells, of a dense array those of a box in row-major order.
    pub fn write(&self, uri: &str, shape: &Shape, time: u64, cells: &[Cell], region: &[(i32, i32)]) -> Outcome {
        let ctx = self.context(&[]);
        let array = Array::open(&ctx, uri, 1, None, Some(time))?;
        let query = ctx.get("query_alloc", &[array.handle, 1])?;
        ctx.call("query_set_layout", &[query, if shape.dense { 0 } else { 3 }])?;
        let mut columns = Vec::new();
        if shape.dense {
            set_region(&ctx, &array, query, region)?;
        } else {
            for dimension in 0..shape.dims.len() {
                let data = cells.iter().flat_map(|cell| cell.coords[dimension].to_le_bytes()).collect();
                columns.push(Column::filled(&format!("d{dimension}"), Cells { data, ..Cells::default() }));
            }
        }
        let rows: Vec<Row> = cells.iter().map(|cell| values(cell.value, &cell.has)).collect();
        let evolving = cells[0].has.iter().map(|attribute| format!("e{attribute}"));
        let names = ["a", "v", "n"].map(str::to_owned).into_iter().chain(evolving);
        for (number, name) in names.enumerate() {
            let mut column = Cells::default();
            for row in &rows {
                let (value, valid) = &row[number];
                if number == 1 {
                    column.offsets.get_or_insert_default().push(column.data.len() as u64);
                }
                column.data.extend_from_slice(value);
                column.validity = column.validity.take().or_else(|| valid.map(|_| Vec::new()));
                column.validity.iter_mut().for_each(|validity| validity.extend(valid));
            }
            columns.push(Column::filled(&name, column));
        }
        columns.iter_mut().try_for_each(|column| column.bind(&ctx, query))?;
        let written = ctx.call("query_submit", &[query]).and_then(|()| ctx.call("query_finalize", &[query]));
        ctx.free("query", query);
        written
    }

    /// Reads everything of a window; of sparse arrays in no particular order.
    pub fn read(&self, uri: &str, shape: &Shape, window: (u64, u64), evolving: &[u32]) -> Result<Vec<Row>, Failure> {
        let ctx = self.context(&[]);
        let array = Array::open(&ctx, uri, 0, Some(window.0), Some(window.1))?;
        let query = ctx.get("query_alloc", &[array.handle, 0])?;
        ctx.call("query_set_layout", &[query, if shape.dense { 0 } else { 3 }])?;
        let mut columns = Vec::new();
        if shape.dense {
            let all: Vec<(i32, i32)> = shape.dims.iter().map(|dim| (0, dim.0)).collect();
            set_region(&ctx, &array, query, &all)?;
        } else {
            columns.extend(
                (0..shape.dims.len()).map(|dim| (Column::with_capacity(&format!("d{dim}"), 1 << 14, None, None), 4)),
            );
        }
        columns.push((Column::with_capacity("a", 1 << 14, None, None), 4));
        columns.push((Column::with_capacity("v", 1 << 16, Some(1 << 12), None), 0));
        columns.push((Column::with_capacity("n", 1 << 12, None, Some(1 << 12)), 1));
        columns.extend(
            evolving.iter().map(|number| (Column::with_capacity(&format!("e{number}"), 1 << 15, None, None), 8)),
        );
        columns.iter_mut().try_for_each(|(column, _)| column.bind(&ctx, query))?;
        let mut status = 0u32;
        let read = ctx.call("query_submit", &[query]);
        ctx.call("query_get_status", &[query, address(&mut status)])?;
        ctx.free("query", query);
        read?;
        assert_eq!(status, 1, "everything fits");
        let cells: Vec<Row> = columns.iter().map(|(column, size)| column.result().split(*size)).collect();
        let cell = |column: &Row, row: usize| match column[row].clone() {
            (_, Some(0)) => (Vec::new(), Some(0)),
            cell => cell,
        };
        let mut rows: Vec<Row> =
            (0..cells[0].len()).map(|row| cells.iter().map(|column| cell(column, row)).collect()).collect();
        if !shape.dense {
            rows.sort();
        }
        Ok(rows)
    }

    pub fn delete(&self, uri: &str, time: u64, doomed: Doomed) -> Outcome {
        let ctx = self.context(&[]);
        let array = Array::open(&ctx, uri, 2, None, Some(time))?;
        let query = ctx.get("query_alloc", &[array.handle, 2])?;
        let (field, value, operator) = match doomed {
            Doomed::Below(value) => ("a".to_owned(), value.to_le_bytes().to_vec(), 0),
            Doomed::Is(value) => ("a".to_owned(), value.to_le_bytes().to_vec(), 4),
            Doomed::Beyond(x) => ("d0".to_owned(), x.to_le_bytes().to_vec(), 2),
            Doomed::Evolving(attribute, value) => (format!("e{attribute}"), value.to_le_bytes().to_vec(), 0),
        };
        let field = text(&field);
        let condition = ctx.get("query_condition_alloc", &[])?;
        let size = value.len() as u64;
        ctx.call("query_condition_init", &[condition, pointer(&field), bytes(&value), size, operator])?;
        let deleted =
            ctx.call("query_set_condition", &[query, condition]).and_then(|()| ctx.call("query_submit", &[query]));
        ctx.free("query_condition", condition);
        ctx.free("query", query);
        deleted
    }

    pub fn consolidate(&self, uri: &str, config: &[(&str, &str)]) -> Outcome {
        let uri = text(uri);
        self.context(config).call("array_consolidate", &[pointer(&uri), 0])
    }

    pub fn consolidate_named(&self, uri: &str, names: &[String], config: &[(&str, &str)]) -> Outcome {
        let uri = text(uri);
        let names: Vec<_> = names.iter().map(|name| text(name)).collect();
        let pointers: Vec<u64> = names.iter().map(|name| pointer(name)).collect();
        let list = [pointer(&uri), pointers.as_ptr() as u64, pointers.len() as u64, 0];
        self.context(config).call("array_consolidate_fragments", &list)
    }

    pub fn vacuum(&self, uri: &str, mode: &str) -> Outcome {
        let uri = text(uri);
        self.context(&[("sm.vacuum.mode", mode)]).call("array_vacuum", &[pointer(&uri), 0])
    }

    /// The names of the fragments that count now.
    pub fn fragments(&self, uri: &str) -> Result<Vec<String>, Failure> {
        let ctx = self.context(&[]);
        let uri = text(uri);
        let info = ctx.get("fragment_info_alloc", &[pointer(&uri)])?;
        ctx.call("fragment_info_load", &[info])?;
        let count = ctx.get("fragment_info_get_fragment_num", &[info])? as u32;
        let mut fragments = Vec::new();
        for fragment in 0..count {
            let fragment = u64::from(fragment);
            let uri = crate::borrowed(ctx.get("fragment_info_get_fragment_uri", &[info, fragment])?);
            fragments.push(uri.rsplit('/').next().unwrap().to_owned());
        }
        ctx.free("fragment_info", info);
        Ok(fragments)
    }
}

fn set_region(ctx: &Ctx<'_>, array: &Array<'_>, query: u64, region: &[(i32, i32)]) -> Outcome {
    let subarray = ctx.get("subarray_alloc", &[array.handle])?;
    for (dimension, (low, high)) in region.iter().enumerate() {
        let [low, high] = [low, high].map(|end| end.to_le_bytes());
        ctx.call("subarray_add_range", &[subarray, dimension as u64, bytes(&low), bytes(&high), 0])?;
    }
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.free("subarray", subarray);
    Ok(())
}
