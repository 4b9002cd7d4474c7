//! A recorded session of a client with a server.

use support::{Array, Cells, Column, Ctx, Failure, address, pointer, text};

pub const READ: u64 = 0;
const WRITE: u64 = 1;
const DELETE: u64 = 2;
const EXCLUSIVE: u64 = 4;
const INT32: u64 = 0;
const FLOAT64: u64 = 3;
const ASCII: u64 = 11;
const VAR: u64 = 0xffff_ffff;
const ROW_MAJOR: u64 = 0;
const GLOBAL: u64 = 2;
pub const UNORDERED: u64 = 3;

pub type StepResult = Result<String, Failure>;

/// What every step of the session tells; with queries only where the form of messages can carry them.
pub fn run(ctx: &Ctx<'_>, with_queries: bool) -> Vec<(&'static str, StepResult)> {
    let s = Session(ctx);
    let mut results = Vec::new();
    let mut step = |name, result: StepResult| results.push((name, result));
    step("create dense", s.create("d", false));
    step("create sparse", s.create("s", true));
    step("what is there", s.kinds());
    step("schema", s.schema("d"));
    if with_queries {
        step("write dense", s.write_dense());
        step("write sparse", s.write_sparse("s", &[3, 1, 2], UNORDERED));
        step("read dense", s.read("d", None, 4096));
        step("read dense in pieces", s.read("d", None, 24));
        step("read sparse", s.read("s", None, 4096));
        step("read by a condition", s.read("s", Some(1.5), 4096));
        step("count and sum", s.aggregates());
        step("write in global order", s.write_globally());
        step("read what was written so", s.read("s", None, 4096));
        step("estimate", s.estimate());
        step("plan", s.plan());
    }
    step("metadata", s.metadata());
    step("non-empty domain", s.domain());
    step("write dense again", if with_queries { s.write_dense() } else { Ok(String::new()) });
    step("fragments", s.fragments());
    step("consolidation plan", s.consolidation_plan());
    step("consolidate", s.maintain("array_consolidate"));
    step("vacuum", s.maintain("array_vacuum"));
    step("fragments after", s.fragments());
    step("evolve", s.evolve());
    step("schema after", s.schema("s"));
    if with_queries {
        step("delete cells", s.delete_cells());
        step("read after", s.read("s", None, 4096));
    }
    step("group", s.group());
    step("delete fragments", s.delete_fragments());
    step("delete array", s.by_uri("array_delete", "s"));
    step("what is left", s.kinds());
    results
}

/// The URI of something.
pub fn uri(name: &str) -> String {
    format!("tiledb://ws/ts/{name}")
}

/// A client's side of a session.
pub struct Session<'a>(pub &'a Ctx<'a>);

impl<'a> Session<'a> {
    pub fn get(&self, name: &str, args: &[u64]) -> Result<u64, Failure> {
        self.0.get(name, args)
    }

    pub fn by_uri(&self, function: &str, name: &str) -> StepResult {
        let uri = text(&uri(name));
        self.0.call(function, &[pointer(&uri)]).map(|()| String::new())
    }

    pub fn create(&self, name: &str, sparse: bool) -> StepResult {
        self.create_as(name, sparse, false)
    }

    pub fn create_as(&self, name: &str, sparse: bool, keeps_duplicates: bool) -> StepResult {
        let schema = self.get("array_schema_alloc", &[sparse.into()])?;
        let domain = self.get("domain_alloc", &[])?;
        let (ends, tile, x) = ([0i32, 99], 10i32, text("x"));
        let args = [pointer(&x), INT32, ends.as_ptr() as u64, (&raw const tile) as u64];
        let dimension = self.get("dimension_alloc", &args)?;
        self.0.call("domain_add_dimension", &[domain, dimension])?;
        self.0.call("array_schema_set_domain", &[schema, domain])?;
        if sparse {
            self.0.call("array_schema_set_capacity", &[schema, 2])?;
            self.0.call("array_schema_set_allows_dups", &[schema, keeps_duplicates.into()])?;
        }
        for (name, datatype) in [("a", FLOAT64), ("s", ASCII)] {
            let name = text(name);
            let attribute = self.get("attribute_alloc", &[pointer(&name), datatype])?;
            if datatype == ASCII {
                self.0.call("attribute_set_cell_val_num", &[attribute, VAR])?;
            }
            self.0.call("array_schema_add_attribute", &[schema, attribute])?;
        }
        let uri = text(&uri(name));
        self.0.call("array_create", &[pointer(&uri), schema]).map(|()| String::new())
    }

    pub fn kinds(&self) -> StepResult {
        let kinds: Result<Vec<u64>, Failure> = ["d", "s", "none"]
            .iter()
            .map(|name| {
                let uri = text(&uri(name));
                Ok(self.get("object_type", &[pointer(&uri)])? & 0xff)
            })
            .collect();
        Ok(format!("{:?}", kinds?))
    }

    pub fn schema(&self, name: &str) -> StepResult {
        let uri = text(&uri(name));
        let schema = self.get("array_schema_load", &[pointer(&uri)])?;
        Ok(format!("{} attributes", self.get("array_schema_get_attribute_num", &[schema])? & 0xff))
    }

    pub fn open(&self, name: &str, mode: u64) -> Result<Array<'a>, Failure> {
        Array::open(self.0, &uri(name), mode, None, None)
    }

    pub fn query(&self, array: &Array<'_>, mode: u64, layout: u64) -> Result<u64, Failure> {
        let query = self.get("query_alloc", &[array.handle, mode])?;
        if mode != DELETE {
            self.0.call("query_set_layout", &[query, layout])?;
        }
        Ok(query)
    }

    pub fn subarray(&self, array: &Array<'_>, query: u64, ends: [i32; 2]) -> Result<(), Failure> {
        let subarray = self.get("subarray_alloc", &[array.handle])?;
        let [low, high] = &ends;
        self.0.call("subarray_add_range", &[subarray, 0, (&raw const *low) as u64, (&raw const *high) as u64, 0])?;
        self.0.call("query_set_subarray_t", &[query, subarray])
    }

    pub fn columns(coordinates: Option<&[i32]>, numbers: &[f64], texts: &[String]) -> Vec<Column> {
        let starts = texts.iter().scan(0, |at, text| Some(std::mem::replace(at, *at + text.len() as u64))).collect();
        let data = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let mut columns = vec![
            Column::filled("a", Cells { data, ..Cells::default() }),
            Column::filled("s", Cells { data: texts.concat().into_bytes(), offsets: Some(starts), validity: None }),
        ];
        if let Some(coordinates) = coordinates {
            let data = coordinates.iter().flat_map(|x| x.to_le_bytes()).collect();
            columns.push(Column::filled("x", Cells { data, ..Cells::default() }));
        }
        columns
    }

    pub fn write_dense(&self) -> StepResult {
        let array = self.open("d", WRITE)?;
        let query = self.query(&array, WRITE, ROW_MAJOR)?;
        self.subarray(&array, query, [5, 24])?;
        let numbers: Vec<f64> = (0..20).map(f64::from).collect();
        let texts: Vec<String> = (0..20).map(|number| "ab".repeat(number % 3)).collect();
        let mut columns = Self::columns(None, &numbers, &texts);
        columns.iter_mut().try_for_each(|column| column.bind(self.0, query))?;
        let done = self.0.call("query_submit", &[query]).and_then(|()| self.0.call("query_finalize", &[query]));
        self.0.free("query", query);
        done.map(|()| String::new())
    }

    pub fn write_sparse(&self, name: &str, coordinates: &[i32], layout: u64) -> StepResult {
        let array = self.open(name, WRITE)?;
        let query = self.query(&array, WRITE, layout)?;
        let numbers: Vec<f64> = coordinates.iter().map(|x| f64::from(*x)).collect();
        let texts: Vec<String> = coordinates.iter().map(|x| "z".repeat(*x as usize)).collect();
        let mut columns = Self::columns(Some(coordinates), &numbers, &texts);
        columns.iter_mut().try_for_each(|column| column.bind(self.0, query))?;
        let done = self.0.call("query_submit", &[query]).and_then(|()| self.0.call("query_finalize", &[query]));
        self.0.free("query", query);
        done.map(|()| String::new())
    }

    /// Cells in global order, in parts that fill no tiles: servers get whole ones.
    pub fn write_globally(&self) -> StepResult {
        let array = self.open("s", WRITE)?;
        let query = self.query(&array, WRITE, GLOBAL)?;
        let mut outcome = Ok(());
        let parts: [&[i32]; 4] = [&[20], &[21, 22, 23, 24], &[25, 26], &[27]];
        for (index, part) in parts.iter().enumerate() {
            let numbers: Vec<f64> = part.iter().map(|x| f64::from(*x)).collect();
            let texts: Vec<String> = part.iter().map(|x| "g".repeat(*x as usize % 4)).collect();
            let mut columns = Self::columns(Some(part), &numbers, &texts);
            outcome = outcome.and_then(|()| columns.iter_mut().try_for_each(|column| column.bind(self.0, query)));
            let function = if index + 1 == parts.len() { "query_submit_and_finalize" } else { "query_submit" };
            outcome = outcome.and_then(|()| self.0.call(function, &[query]));
        }
        self.0.free("query", query);
        outcome.map(|()| String::new())
    }

    /// All cells, by buffers of `room` bytes.
    pub fn read(&self, name: &str, above: Option<f64>, room: usize) -> StepResult {
        let array = self.open(name, READ)?;
        let layout = if name == "d" { ROW_MAJOR } else { UNORDERED };
        let query = self.query(&array, READ, layout)?;
        if name == "d" {
            self.subarray(&array, query, [3, 26])?;
        }
        if let Some(least) = above {
            let (condition, a) = (self.get("query_condition_alloc", &[])?, text("a"));
            self.0.call("query_condition_init", &[condition, pointer(&a), (&raw const least) as u64, 8, 2])?;
            self.0.call("query_set_condition", &[query, condition])?;
        }
        let (mut cells_text, mut cells) = (String::new(), Vec::new());
        for _ in 0..100 {
            let mut columns =
                [Column::with_capacity("a", room, None, None), Column::with_capacity("s", room, Some(room / 8), None)];
            columns.iter_mut().try_for_each(|column| column.bind(self.0, query))?;
            if let Err(failure) = self.0.call("query_submit", &[query]) {
                self.0.free("query", query);
                return Err(failure);
            }
            let numbers = columns[0].result().split(8).into_iter();
            let texts = columns[1].result().split(1).into_iter();
            cells.extend(numbers.zip(texts).map(|((number, _), (text, _))| {
                let number = f64::from_le_bytes(number.try_into().unwrap());
                // What was never written is the fill value, a NaN.
                let number = if number.is_nan() { "nan".to_owned() } else { number.to_string() };
                (number, String::from_utf8_lossy(&text).into_owned())
            }));
            if self.get("query_get_status", &[query])? as u32 == 1 {
                break;
            }
        }
        self.0.free("query", query);
        if name == "s" {
            cells.sort_by(|a, b| a.0.parse::<f64>().unwrap().total_cmp(&b.0.parse().unwrap()));
        }
        cells.iter().for_each(|(number, text)| cells_text += &format!("{number}{text:?} "));
        Ok(cells_text)
    }

    pub fn aggregates(&self) -> StepResult {
        let array = self.open("s", READ)?;
        let query = self.query(&array, READ, UNORDERED)?;
        let channel = self.get("query_get_default_channel", &[query])?;
        let (a, sum, count) = (text("a"), text("sum"), text("count"));
        let symbol = |name: &str| unsafe { *(self.0.api.symbol(name).unwrap() as *const u64) };
        let args = [query, symbol("tiledb_channel_operator_sum"), pointer(&a)];
        let operation = self.get("create_unary_aggregate", &args)?;
        self.0.call("channel_apply_aggregate", &[channel, pointer(&sum), operation])?;
        self.0.call("channel_apply_aggregate", &[channel, pointer(&count), symbol("tiledb_aggregate_count")])?;
        let mut columns = [Column::with_capacity("sum", 8, None, None), Column::with_capacity("count", 8, None, None)];
        columns.iter_mut().try_for_each(|column| column.bind(self.0, query))?;
        let done = self.0.call("query_submit", &[query]);
        self.0.free("query", query);
        done.map(|()| format!("{:?} {:?}", columns[0].data, columns[1].data))
    }

    pub fn estimate(&self) -> StepResult {
        let array = self.open("s", READ)?;
        let query = self.query(&array, READ, UNORDERED)?;
        let a = text("a");
        let size = self.get("query_get_est_result_size", &[query, pointer(&a)]);
        self.0.free("query", query);
        size.map(|size| size.to_string())
    }

    pub fn plan(&self) -> StepResult {
        let array = self.open("s", READ)?;
        let query = self.query(&array, READ, UNORDERED)?;
        let mut column = Column::with_capacity("a", 64, None, None);
        column.bind(self.0, query)?;
        let plan = self.get("query_get_plan", &[query]);
        self.0.free("query", query);
        plan.map(|plan| self.0.take_string(plan).unwrap())
    }

    pub fn delete_cells(&self) -> StepResult {
        let array = self.open("s", DELETE)?;
        let query = self.query(&array, DELETE, UNORDERED)?;
        let (condition, a, least) = (self.get("query_condition_alloc", &[])?, text("a"), 20f64);
        self.0.call("query_condition_init", &[condition, pointer(&a), (&raw const least) as u64, 8, 2])?;
        self.0.call("query_set_condition", &[query, condition])?;
        let done = self.0.call("query_submit", &[query]);
        self.0.free("query", query);
        done.map(|()| String::new())
    }

    pub fn metadata(&self) -> StepResult {
        self.put_metadata()?;
        self.get_metadata()
    }

    pub fn put_metadata(&self) -> StepResult {
        let (key, value) = (text("key"), 7i32);
        let array = self.open("d", WRITE)?;
        self.0.call("array_put_metadata", &[array.handle, pointer(&key), INT32, 1, (&raw const value) as u64])?;
        self.0.call("array_close", &[array.handle]).map(|()| String::new())
    }

    pub fn get_metadata(&self) -> StepResult {
        let key = text("key");
        let array = self.open("d", READ)?;
        let (mut datatype, mut count, mut place) = (0u32, 0u32, 0u64);
        let out = [address(&mut datatype), address(&mut count), address(&mut place)];
        self.0.call("array_get_metadata", &[array.handle, pointer(&key), out[0], out[1], out[2]])?;
        let value = if place == 0 { -1 } else { unsafe { *(place as *const i32) } };
        Ok(format!("{datatype} {count} {value}"))
    }

    pub fn domain(&self) -> StepResult {
        let array = self.open("d", READ)?;
        let (mut ends, mut empty) = ([0i32; 2], 0i32);
        self.0.call("array_get_non_empty_domain", &[array.handle, address(&mut ends), address(&mut empty)])?;
        Ok(format!("{ends:?} {empty}"))
    }

    pub fn fragments(&self) -> StepResult {
        let uri = text(&uri("d"));
        let info = self.get("fragment_info_alloc", &[pointer(&uri)])?;
        self.0.call("fragment_info_load", &[info])?;
        let count = self.get("fragment_info_get_fragment_num", &[info])? & 0xffff;
        self.0.free("fragment_info", info);
        Ok(count.to_string())
    }

    pub fn consolidation_plan(&self) -> StepResult {
        let array = self.open("d", READ)?;
        let plan = self.get("consolidation_plan_create_with_mbr", &[array.handle, 1 << 20])?;
        Ok(self.get("consolidation_plan_get_num_nodes", &[plan])?.to_string())
    }

    pub fn maintain(&self, function: &str) -> StepResult {
        let uri = text(&uri("d"));
        self.0.call(function, &[pointer(&uri), 0]).map(|()| String::new())
    }

    /// Consolidates with a callback, which a server does not call.
    pub fn watched(&self) -> StepResult {
        extern "C" fn never(_: u64, _: u64, _: *mut std::ffi::c_void) -> i32 {
            0
        }
        let uri = text(&uri("d"));
        let callback: extern "C" fn(u64, u64, *mut std::ffi::c_void) -> i32 = never;
        self.0.call("rs_array_consolidate", &[pointer(&uri), 0, callback as usize as u64, 0]).map(|()| String::new())
    }

    pub fn evolve(&self) -> StepResult {
        let (uri, new) = (text(&uri("s")), text("new"));
        let changes = self.get("array_schema_evolution_alloc", &[])?;
        let attribute = self.get("attribute_alloc", &[pointer(&new), INT32])?;
        self.0.call("array_schema_evolution_add_attribute", &[changes, attribute])?;
        self.0.call("array_evolve", &[pointer(&uri), changes]).map(|()| String::new())
    }

    pub fn group(&self) -> StepResult {
        self.create_group("g")?;
        self.change_group(true, true)?;
        self.read_group()
    }

    pub fn create_group(&self, name: &str) -> StepResult {
        let at = text(&uri(name));
        self.0.call("group_create", &[pointer(&at)]).map(|()| String::new())
    }

    /// Does something with the group while it is open.
    fn with_group(&self, mode: u64, act: impl FnOnce(u64) -> StepResult) -> StepResult {
        let at = text(&uri("g"));
        let group = self.get("group_alloc", &[pointer(&at)])?;
        let result = self.0.call("group_open", &[group, mode]).and_then(|()| act(group));
        let closed = self.0.call("group_close", &[group]);
        self.0.free("group", group);
        result.and_then(|result| closed.map(|()| result))
    }

    pub fn change_group(&self, adds: bool, tells: bool) -> StepResult {
        let (member, name, key, value) = (text(&uri("d")), text("d"), text("k"), 3i32);
        self.with_group(WRITE, |group| {
            if adds {
                self.0.call("group_add_member", &[group, pointer(&member), 0, pointer(&name)])?;
            }
            if tells {
                let value = (&raw const value) as u64;
                self.0.call("group_put_metadata", &[group, pointer(&key), INT32, 1, value])?;
            }
            Ok(String::new())
        })
    }

    pub fn read_group(&self) -> StepResult {
        self.with_group(READ, |group| {
            let count = self.get("group_get_member_count", &[group])?;
            Ok(format!("{count} {}", self.get("group_get_metadata_num", &[group])?))
        })
    }

    pub fn delete_group(&self) -> StepResult {
        let at = text(&uri("g"));
        self.with_group(EXCLUSIVE, |group| {
            self.0.call("group_delete_group", &[group, pointer(&at), 1]).map(|()| String::new())
        })
    }

    pub fn delete_fragments(&self) -> StepResult {
        let uri = text(&uri("d"));
        self.0.call("array_delete_fragments_v2", &[pointer(&uri), 0, 1 << 60])?;
        self.fragments()
    }
}
