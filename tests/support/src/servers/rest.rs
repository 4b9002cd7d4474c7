//! A minimal TileDB server built from the C functions of either library.

use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::{Value, json};
use tiledb_rest::transcode::{from_json, to_json};

use super::http::{Reply, Request};
use crate::messages::{CAPNP, JSON, parse};
use crate::{Api, Array, Ctx, Failure, address, borrowed, pointer, text};

const READ: u64 = 0;
const WRITE: u64 = 1;
const EXCLUSIVE: u64 = 4;
const TYPES: [&str; 5] = ["READ", "WRITE", "DELETE", "UPDATE", "MODIFY_EXCLUSIVE"];

/// Serves the folder `root`: `tiledb://WORKSPACE/TEAMSPACE/NAME` is `root/WORKSPACE/TEAMSPACE/NAME`.
pub struct Tables {
    pub api: Api,
    pub root: PathBuf,
    pub turn: Mutex<()>,
}

/// What a request is about.
struct ServerCall<'a> {
    ctx: &'a Ctx<'a>,
    uri: String,
    form: u64,
    body: &'a [u8],
    query: Vec<(String, String)>,
    root: String,
}

impl Tables {
    pub fn new(api: Api, root: &std::path::Path) -> Tables {
        Tables { api, root: root.to_owned(), turn: Mutex::new(()) }
    }

    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Reply {
        let _turn = self.turn.lock().unwrap();
        let ctx = self.api.context(&[]);
        let form = if request.header("content-type").unwrap().ends_with("json") { JSON } else { CAPNP };
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        let parts: Vec<String> = path.split('/').skip(1).map(decoded).collect();
        if path.ends_with("/v4/capabilities") {
            return Reply::new(200, capabilities(form));
        }
        let [version, kind, workspace, teamspace, name, rest @ ..] = &parts[..] else {
            return Reply::new(404, "no path");
        };
        let folder = self.root.join(workspace).join(teamspace);
        std::fs::create_dir_all(&folder).unwrap();
        let query = query.split('&').filter_map(|pair| pair.split_once('='));
        let call = ServerCall {
            ctx: &ctx,
            uri: format!("file://{}", folder.join(name).display()),
            form,
            body: &request.body,
            query: query.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            root: self.root.display().to_string(),
        };
        let rest = rest.join("/");
        let route = format!("{} {kind} {}", request.verb, rest.trim_end_matches('/'));
        let answer = match call.answer(&route, version) {
            Some(Err(failure)) => Reply::new(500, failure.text),
            Some(Ok(Some(body))) => Reply::new(200, body),
            Some(Ok(None)) => Reply::new(204, ""),
            None => Reply::new(404, "there is no such thing"),
        };
        answer.with("content-type", if form == JSON { "application/json" } else { "application/capnp" })
    }
}

type Answer = Result<Option<Vec<u8>>, Failure>;

impl ServerCall<'_> {
    fn kind(&self) -> u64 {
        let uri = text(&self.uri);
        self.ctx.get("object_type", &[pointer(&uri)]).unwrap() & 0xff
    }

    fn answer(&self, route: &str, version: &str) -> Option<Answer> {
        let (kind, creates) = (self.kind(), matches!((route, version), ("POST arrays ", "v1") | ("POST groups ", _)));
        let version_of_route = if route.contains(" groups ") { 1 } else { 2 };
        if !creates && kind != version_of_route {
            return None;
        }
        let uri = text(&self.uri);
        let (ctx, form) = (self.ctx, self.form);
        Some(match route {
            "GET arrays " => {
                ctx.get("array_schema_load", &[pointer(&uri)]).and_then(|schema| self.written("array_schema", schema))
            }
            "POST arrays " if version == "v1" => self.create(),
            "POST arrays " => self.open(),
            "DELETE arrays " => ctx.call("array_delete", &[pointer(&uri)]).map(|()| None),
            "POST arrays evolve" => self
                .read("array_schema_evolution", true)
                .and_then(|changes| ctx.call("array_evolve", &[pointer(&uri), changes]).map(|()| None)),
            "POST arrays consolidate" | "POST arrays vacuum" => self.maintain(route.ends_with("consolidate")),
            "POST arrays fragment_info" => self.fragment_info(),
            "POST arrays enumerations" => self.handled("handle_load_enumerations_request", READ),
            "POST arrays query/plan" => self.handled("handle_query_plan_request", READ),
            "POST arrays consolidate/plan" => self.handled("handle_consolidation_plan_request", READ),
            "POST arrays delete_fragments" => self.taken("handle_array_delete_fragments_timestamps_request", EXCLUSIVE),
            "POST arrays delete_fragments_list" => self.taken("handle_array_delete_fragments_list_request", EXCLUSIVE),
            "GET arrays non_empty_domain" => {
                self.array(READ).and_then(|a| self.written("array_non_empty_domain_all_dimensions", a.handle))
            }
            "GET arrays array_metadata" => {
                self.array(READ).and_then(|a| ctx.message("serialize_array_metadata", &[a.handle, form]).map(Some))
            }
            "POST arrays array_metadata" => self.array(WRITE).and_then(|array| {
                let body = ctx.buffer(self.body);
                ctx.call("deserialize_array_metadata", &[array.handle, form, body.handle]).map(|()| None)
            }),
            "POST arrays query/submit" => self.query("query_submit", true),
            "POST arrays query/finalize" => self.query("query_finalize", false),
            "POST arrays query/submit_and_finalize" => self.query("query_submit_and_finalize", true),
            "POST arrays query/est_result_sizes" => self.estimate(),
            "OPTIONS groups " => Ok(Some(Vec::new())),
            "POST groups " => ctx.call("group_create", &[pointer(&uri)]).map(|()| None),
            "POST groups contents" => self.contents(),
            "PATCH groups contents" => self.change_members(),
            "PUT groups metadata" => self.group_metadata(),
            "DELETE groups delete" => {
                self.group(EXCLUSIVE, |group| ctx.call("group_delete_group", &[group, pointer(&uri), 1]).map(|()| None))
            }
            _ => return None,
        })
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    fn array(&self, mode: u64) -> Result<Array<'_>, Failure> {
        let time = |name| self.parameter(name).map(|time| time.parse().unwrap());
        Array::open(self.ctx, &self.uri, mode, time("start_timestamp"), time("end_timestamp"))
    }

    /// `serialize_NAME(handle)` on a server's side.
    fn written(&self, name: &str, handle: u64) -> Answer {
        self.ctx.message(&format!("serialize_{name}"), &[handle, self.form, 0]).map(Some)
    }

    /// `deserialize_NAME(body)`.
    fn read(&self, name: &str, with_side: bool) -> Result<u64, Failure> {
        let body = self.ctx.buffer(self.body);
        let args = [body.handle, self.form, 0];
        self.ctx.get(&format!("deserialize_{name}"), &args[..if with_side { 3 } else { 2 }])
    }

    fn handled(&self, name: &str, mode: u64) -> Answer {
        let array = self.array(mode)?;
        self.ctx.answer(name, array.handle, self.form, self.body).map(Some)
    }

    fn taken(&self, name: &str, mode: u64) -> Answer {
        let (array, body) = (self.array(mode)?, self.ctx.buffer(self.body));
        self.ctx.call(name, &[array.handle, self.form, body.handle]).map(|()| None)
    }

    fn create(&self) -> Answer {
        let (mut storage, mut schema) = (0u64, 0u64);
        let body = self.ctx.buffer(self.body);
        let args = [body.handle, self.form, 0, address(&mut storage), address(&mut schema)];
        self.ctx.call("deserialize_array_create", &args)?;
        let uri = text(&self.uri);
        self.ctx.call("array_create", &[pointer(&uri), schema]).map(|()| None)
    }

    fn open(&self) -> Answer {
        let mode = match self.form {
            JSON => parse(self.body)["queryType"].as_str().unwrap().to_owned(),
            _ => parse(&to_json("ArrayOpen", self.body).unwrap())["queryType"].as_str().unwrap().to_owned(),
        };
        self.read("array_open", true)?;
        let mode = TYPES.iter().position(|name| *name == mode).unwrap();
        let array = self.array(mode as u64)?;
        self.written("array", array.handle)
    }

    /// What no C function reads, as JSON.
    fn value(&self, root: &str) -> Value {
        if self.form == JSON { parse(self.body) } else { parse(&to_json(root, self.body).unwrap()) }
    }

    fn maintain(&self, consolidates: bool) -> Answer {
        let value = self.value(if consolidates { "ArrayConsolidationRequest" } else { "ArrayVacuumRequest" });
        let entries = value["config"]["entries"].as_array().cloned().unwrap_or_default();
        let entries: Vec<(String, String)> = entries
            .iter()
            .map(|entry| (entry["key"].as_str().unwrap().to_owned(), entry["value"].as_str().unwrap_or("").to_owned()))
            .filter(|(key, _)| key.starts_with("sm."))
            .collect();
        let entries: Vec<(&str, &str)> = entries.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let config = self.ctx.api.config(&entries);
        let uri = text(&self.uri);
        let name = if consolidates { "array_consolidate" } else { "array_vacuum" };
        self.ctx.call(name, &[pointer(&uri), config]).map(|()| None)
    }

    fn fragment_info(&self) -> Answer {
        let (uri, body) = (text(&self.uri), self.ctx.buffer(self.body));
        let info = self.ctx.get("fragment_info_alloc", &[pointer(&uri)])?;
        self.ctx.call("deserialize_fragment_info_request", &[body.handle, self.form, 0, info])?;
        self.ctx.call("fragment_info_load", &[info])?;
        self.written("fragment_info", info)
    }

    fn query(&self, run: &str, framed: bool) -> Answer {
        let (mut query, mut array) = (0u64, 0u64);
        let (uri, body) = (text(&self.uri), self.ctx.buffer(self.body));
        let args = [body.handle, self.form, 0, pointer(&uri), address(&mut query), address(&mut array)];
        self.ctx.call("deserialize_query_and_array", &args)?;
        let room = if self.parameter("type") == Some("READ") { self.give_room(array, query) } else { Vec::new() };
        let done = self.ctx.call(run, &[query]);
        let message = done.and_then(|()| self.ctx.messages("serialize_query", &[query, self.form, 0]));
        self.ctx.free("query", query);
        self.ctx.call("array_close", &[array]).unwrap();
        self.ctx.free("array", array);
        drop(room);
        let message = message?;
        Ok(Some(if framed { [&(message.len() as u64).to_le_bytes()[..], &message].concat() } else { message }))
    }

    fn estimate(&self) -> Answer {
        let (array, body) = (self.array(READ)?, self.ctx.buffer(self.body));
        let query = self.ctx.get("query_alloc", &[array.handle, READ])?;
        self.ctx.call("deserialize_query", &[body.handle, self.form, 0, query])?;
        let estimate = self.written("query_est_result_sizes", query);
        self.ctx.free("query", query);
        estimate
    }

    /// A read comes with the sizes of the client's buffers; the server brings the memory.
    fn give_room(&self, array: u64, query: u64) -> Vec<(Vec<u64>, Box<u64>)> {
        let schema = self.ctx.get("array_get_schema", &[array]).unwrap();
        let domain = self.ctx.get("array_schema_get_domain", &[schema]).unwrap();
        let mut names = Vec::new();
        let count = |function, of| self.ctx.get(function, &[of]).unwrap() & 0xffff_ffff;
        for index in 0..count("array_schema_get_attribute_num", schema) {
            let attribute = self.ctx.get("array_schema_get_attribute_from_index", &[schema, index]).unwrap();
            names.push(borrowed(self.ctx.get("attribute_get_name", &[attribute]).unwrap()));
        }
        for index in 0..count("domain_get_ndim", domain) {
            let dimension = self.ctx.get("domain_get_dimension_from_index", &[domain, index]).unwrap();
            names.push(borrowed(self.ctx.get("dimension_get_name", &[dimension]).unwrap()));
        }
        // The times of cells are no field of the schema.
        names.push("__timestamps".to_owned());
        let mut buffers = Vec::new();
        for name in names.iter().map(|name| text(name)) {
            for part in ["data", "offsets", "validity"] {
                let (mut start, mut size) = (0u64, 0u64);
                let args = [query, pointer(&name), address(&mut start), address(&mut size)];
                let known = self.ctx.call(&format!("query_get_{part}_buffer"), &args);
                let bytes = if size == 0 { 0 } else { unsafe { *(size as *const u64) } };
                if known.is_err() || start != 0 || bytes == 0 {
                    continue;
                }
                let (mut room, mut size) = (vec![0u64; bytes.div_ceil(8) as usize], Box::new(bytes));
                let args = [query, pointer(&name), room.as_mut_ptr() as u64, address(&mut *size)];
                self.ctx.call(&format!("query_set_{part}_buffer"), &args).unwrap();
                buffers.push((room, size));
            }
        }
        buffers
    }

    fn group(&self, mode: u64, act: impl FnOnce(u64) -> Answer) -> Answer {
        let uri = text(&self.uri);
        let group = self.ctx.get("group_alloc", &[pointer(&uri)])?;
        self.ctx.call("group_open", &[group, mode])?;
        let done = act(group);
        self.ctx.call("group_close", &[group]).and(done)
    }

    /// The C function gives `{config, group}`; clients want what is in `group`.
    fn contents(&self) -> Answer {
        self.group(READ, |group| {
            let json = parse(&self.ctx.message("serialize_group", &[group, JSON, 0])?)["group"].to_string();
            Ok(Some(if self.form == JSON { json.into_bytes() } else { from_json("GroupDetails", &json).unwrap() }))
        })
    }

    fn change_members(&self) -> Answer {
        let changes = self.value("GroupUpdate")["group_changes"].clone();
        let list = |name: &str| changes[name].as_array().cloned().unwrap_or_default();
        self.group(WRITE, |group| {
            for uri in list("members_to_remove") {
                let uri = text(uri.as_str().unwrap());
                self.ctx.call("group_remove_member", &[group, pointer(&uri)])?;
            }
            for member in list("members_to_add") {
                let uri = member["uri"].as_str().unwrap().replace("tiledb://", &format!("file://{}/", self.root));
                let (uri, name) = (text(&uri), text(member["name"].as_str().unwrap()));
                self.ctx.call("group_add_member", &[group, pointer(&uri), 0, pointer(&name)])?;
            }
            Ok(None)
        })
    }

    /// `{config, metadata}` comes; the C function reads what is in `metadata`.
    fn group_metadata(&self) -> Answer {
        let json = self.value("GroupMetadata")["metadata"].to_string();
        self.group(WRITE, |group| {
            let body = self.ctx.buffer(json.as_bytes());
            self.ctx.call("deserialize_group_metadata", &[group, JSON, body.handle]).map(|()| None)
        })
    }
}

/// What every server of TileDB 3 answers first.
pub fn capabilities(form: u64) -> Vec<u8> {
    let version = |minor| json!({ "major": 2, "minor": minor, "patch": 0 });
    let json =
        json!({ "deployedTileDBVersion": version(30), "minimumSupportedTileDBClientVersion": version(28) }).to_string();
    if form == JSON { json.into_bytes() } else { from_json("RestCapabilities", &json).unwrap() }
}

fn decoded(part: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = part.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                u8::from_str_radix(str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    String::from_utf8(out).unwrap()
}
