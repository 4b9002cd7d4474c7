//! The open arrays, groups and reads of a module, and the operations on them.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};
use tiledb::object::object_type;
use tiledb::{Aggregate, Array, Config, Context, Error, ErrorKind, Group, ObjectType, Result};
use tiledb_storage::vfs::HostFiles;

use crate::columns::EnumerationColumn;
use crate::convert::{domain_json, field_json, json_of_metadata, json_of_value};
use crate::protocol::{CallOutcome, invalid, number, text, uri};
use crate::reads::OpenRead;
use crate::selection::{query, subarray};

/// Memory budget of reads and writes.
const MEMORY_BUDGET: u64 = 512 << 20;

/// Everything that JavaScript has opened, by number.
pub struct ModuleSession {
    ctx: Context,
    files: HostFiles,
    next: u64,
    arrays: HashMap<u64, Array>,
    groups: HashMap<u64, Group>,
    reads: HashMap<u64, OpenRead>,
    /// The enumeration that was requested last, which JavaScript copies.
    values: Option<EnumerationColumn>,
}

impl ModuleSession {
    /// # Errors
    /// If there is no memory.
    pub fn new() -> Result<ModuleSession> {
        let config = Config::builder().memory_budget(MEMORY_BUDGET).threads(1).build()?;
        let ctx = Context::with_config(config)?;
        let files = tiledb::interop::resources(&ctx).vfs().host_files().clone();
        let (arrays, groups, reads) = (HashMap::new(), HashMap::new(), HashMap::new());
        Ok(ModuleSession { ctx, files, next: 1, arrays, groups, reads, values: None })
    }

    /// Runs a request.
    pub fn call(&mut self, request: &[u8]) -> CallOutcome {
        let request: Json = match serde_json::from_slice(request) {
            Ok(request) => request,
            Err(error) => return CallOutcome::Failed(invalid(format!("The request is not JSON: {error}"))),
        };
        let operation = request["operation"].as_u64().unwrap_or_default();
        self.values = None;
        self.files.begin(operation, request["oldest"].as_u64().unwrap_or(operation));
        let result = self.run(&request);
        let requests = self.files.take_requests();
        match result {
            // Errors of files that are missing may have been taken for others, or for an answer.
            _ if !requests.is_empty() => CallOutcome::Pending(requests),
            Ok(json) => CallOutcome::Done(json),
            Err(error) => CallOutcome::Failed(error),
        }
    }

    /// Supplies bytes of a file, an index, or the reason why there is no index.
    pub fn supply(&mut self, request: &[u8], bytes: Vec<u8>) -> CallOutcome {
        let supplied = || -> Result<()> {
            let request: Json = serde_json::from_slice(request)
                .map_err(|error| invalid(format!("The request is not JSON: {error}")))?;
            let uri = uri(text(&request, "uri")?)?;
            match (&request["size"], &request["absent"]) {
                (Json::Null, Json::String(reason)) => self.files.supply_index(&uri, Err(reason))?,
                (Json::Null, _) => self.files.supply_index(&uri, Ok(&bytes))?,
                _ => self.files.supply(&uri, number(&request, "size")?, number(&request, "start")?, bytes),
            }
            Ok(())
        };
        match supplied() {
            Ok(()) => CallOutcome::Done(Json::Null),
            Err(error) => CallOutcome::Failed(error),
        }
    }

    fn run(&mut self, request: &Json) -> Result<Json> {
        match text(request, "op")? {
            "open" => self.open(request),
            "metadata" => self.metadata(request),
            "domain" => {
                let domain = self.array(request)?.non_empty_domain()?;
                Ok(domain.map_or(Json::Null, |domain| domain_json(&domain)))
            }
            "members" => self.members(request),
            "enumeration" => {
                let enumeration = self.array(request)?.enumeration(text(request, "name")?)?;
                let column = self.values.insert(EnumerationColumn::new(&enumeration));
                Ok(column.json(&enumeration))
            }
            "read" => self.read(request),
            "next" => self.next(request),
            "aggregate" => self.aggregate(request),
            "close" => {
                let id = number(request, "id")?;
                self.arrays.remove(&id);
                self.groups.remove(&id);
                self.reads.remove(&id);
                Ok(Json::Null)
            }
            "forget" => {
                self.files.forget(&uri(text(request, "uri")?)?);
                Ok(Json::Null)
            }
            op => Err(invalid(format!("There is no operation '{op}'"))),
        }
    }

    fn add(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn array(&self, request: &Json) -> Result<&Array> {
        self.arrays.get(&number(request, "id")?).ok_or_else(|| invalid("The array is closed"))
    }

    fn open(&mut self, request: &Json) -> Result<Json> {
        let address = text(request, "uri")?;
        if request["repeats"] != true {
            self.files.forget_indexes(&uri(address)?);
        }
        match object_type(&self.ctx, address)? {
            Some(ObjectType::Array) => self.open_array(address, request),
            Some(ObjectType::Group) => {
                let group = Group::open(&self.ctx, address)?;
                let id = self.add();
                self.groups.insert(id, group);
                Ok(json!({"kind": "group", "id": id}))
            }
            _ => Err(Error::new(ErrorKind::NotFound, format!("There is no array or group at '{address}'"))),
        }
    }

    fn open_array(&mut self, address: &str, request: &Json) -> Result<Json> {
        let mut options = Array::options();
        if let Some(time) = request["at"].as_u64() {
            options = options.at(time);
        }
        if let Some(time) = request["since"].as_u64() {
            options = options.since(time);
        }
        if let Some(key) = request["key"].as_str() {
            options = options.encryption_key(key)?;
        }
        let array = options.open(&self.ctx, address)?;
        let schema = array.schema();
        let described: Json = serde_json::from_str(&schema.to_json()?)
            .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
        let names = schema.dimensions().into_iter().map(|dimension| dimension.name().to_owned());
        let names = names.chain(schema.attributes().into_iter().map(|attribute| attribute.name().to_owned()));
        let names = names.chain(schema.labels().into_iter().map(|label| label.name().to_owned()));
        let fields: Vec<Json> = names.filter_map(|name| schema.field(&name)).map(|field| field_json(&field)).collect();
        let (start, end) = array.timestamps();
        let id = self.add();
        self.arrays.insert(id, array);
        Ok(json!({"kind": "array", "id": id, "schema": described, "fields": fields, "timestamps": [start, end]}))
    }

    fn metadata(&self, request: &Json) -> Result<Json> {
        let id = number(request, "id")?;
        let metadata = match (self.arrays.get(&id), self.groups.get(&id)) {
            (Some(array), _) => array.metadata()?,
            (None, Some(group)) => group.metadata()?,
            (None, None) => return Err(invalid("The array is closed")),
        };
        let entries = metadata.iter().map(|(key, value)| Ok((key, json_of_metadata(&value)?)));
        Ok(Json::Object(entries.collect::<Result<Map<String, Json>>>()?))
    }

    fn members(&self, request: &Json) -> Result<Json> {
        let group = self.groups.get(&number(request, "id")?).ok_or_else(|| invalid("The group is closed"))?;
        let members = group.members()?;
        let member = |member: &tiledb::Member| {
            let kind = member.kind().map(|kind| if kind == ObjectType::Array { "array" } else { "group" });
            json!({"name": member.name(), "uri": member.uri(), "kind": kind})
        };
        Ok(members.iter().map(member).collect())
    }

    fn read(&mut self, request: &Json) -> Result<Json> {
        let read = OpenRead::new(self.array(request)?, request)?;
        let fields: Vec<Json> = read.fields().iter().map(field_json).collect();
        let id = self.add();
        self.reads.insert(id, read);
        Ok(json!({"id": id, "fields": fields}))
    }

    fn next(&mut self, request: &Json) -> Result<Json> {
        let files = &self.files;
        let read = self.reads.get_mut(&number(request, "id")?).ok_or_else(|| invalid("The read is closed"))?;
        read.next(|| files.is_waiting())
    }

    fn aggregate(&self, request: &Json) -> Result<Json> {
        let list = request["aggregates"].as_array().ok_or_else(|| invalid("'aggregates' is no list"))?;
        let aggregates = list.iter().map(|item| {
            let field = || text(item, "field").map(str::to_owned);
            let aggregate = match text(item, "kind")? {
                "count" => Aggregate::count(),
                "sum" => Aggregate::sum(field()?),
                "min" => Aggregate::min(field()?),
                "max" => Aggregate::max(field()?),
                "mean" => Aggregate::mean(field()?),
                "nullCount" => Aggregate::null_count(field()?),
                kind => return Err(invalid(format!("There is no aggregate '{kind}'"))),
            };
            Ok(match item["name"].as_str() {
                Some(name) => aggregate.named(name),
                None => aggregate,
            })
        });
        let aggregates = aggregates.collect::<Result<Vec<Aggregate>>>()?;
        let array = self.array(request)?;
        let subarray = subarray(array, request)?;
        let results = query(array, request, subarray.as_ref())?.aggregate(aggregates)?;
        let entry =
            |(name, value): (&str, Option<&tiledb::Value>)| (name.to_owned(), value.map_or(Json::Null, json_of_value));
        Ok(Json::Object(results.iter().map(entry).collect()))
    }
}
