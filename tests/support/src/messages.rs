//! Buffers and serialized messages of either library.

use super::{Ctx, Failure, address, pointer, text};
use serde_json::Value;

/// `TILEDB_JSON`.
pub const JSON: u64 = 0;
/// `TILEDB_CAPNP`.
pub const CAPNP: u64 = 1;

/// A buffer of a library over bytes of ours, which lie as its readers want them: from the start of a word.
pub struct Buffer<'a> {
    ctx: &'a Ctx<'a>,
    pub handle: u64,
    _words: Vec<u64>,
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        self.ctx.free("buffer", self.handle);
    }
}

impl Ctx<'_> {
    /// A buffer over a copy of these bytes.
    pub fn buffer(&self, bytes: &[u8]) -> Buffer<'_> {
        let mut words = vec![0u64; bytes.len().div_ceil(8).max(1)];
        bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        let handle = self.get("buffer_alloc", &[]).expect("a buffer");
        self.call("buffer_set_data", &[handle, words.as_mut_ptr() as u64, bytes.len() as u64]).expect("data");
        Buffer { ctx: self, handle, _words: words }
    }

    /// The bytes of a buffer, which is freed.
    pub fn take_buffer(&self, handle: u64) -> Vec<u8> {
        let (mut data, mut size) = (0u64, 0u64);
        self.call("buffer_get_data", &[handle, address(&mut data), address(&mut size)]).expect("the data of a buffer");
        let bytes = match size {
            0 => Vec::new(),
            _ => unsafe { std::slice::from_raw_parts(data as *const u8, size as usize) }.to_vec(),
        };
        self.free("buffer", handle);
        bytes
    }

    /// Calls `tiledb_NAME(ctx, args..., buffer**)` and gives the bytes: `message("serialize_config", &[config, CAPNP, 1])`.
    pub fn message(&self, name: &str, args: &[u64]) -> Result<Vec<u8>, Failure> {
        Ok(self.take_buffer(self.get(name, args)?))
    }

    /// As [`Ctx::message`] for a function that gives a list of buffers: all its bytes, one after the other.
    pub fn messages(&self, name: &str, args: &[u64]) -> Result<Vec<u8>, Failure> {
        let list = self.get(name, args)?;
        let flat = self.get("buffer_list_flatten", &[list]);
        self.free("buffer_list", list);
        Ok(self.take_buffer(flat?))
    }

    /// Calls a function that answers a request: `tiledb_handle_NAME(ctx, object, form, request, response)`.
    pub fn answer(&self, name: &str, object: u64, form: u64, request: &[u8]) -> Result<Vec<u8>, Failure> {
        let request = self.buffer(request);
        let response = self.get("buffer_alloc", &[])?;
        let outcome = self.call(name, &[object, form, request.handle, response]);
        let bytes = self.take_buffer(response);
        outcome.map(|()| bytes)
    }
}

/// Makes a query and its array of a message on a server, and lets it be used.
pub fn on_server<T>(
    ctx: &Ctx<'_>,
    uri: &str,
    request: &[u8],
    act: impl FnOnce(u64) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (buffer, uri, mut query, mut array) = (ctx.buffer(request), text(uri), 0u64, 0u64);
    let made = [buffer.handle, CAPNP, 0, pointer(&uri), address(&mut query), address(&mut array)];
    ctx.call("deserialize_query_and_array", &made)?;
    let outcome = act(query);
    ctx.free("query", query);
    let _ = ctx.call("array_close", &[array]);
    ctx.free("array", array);
    outcome
}

/// Sends a query to a server, which does something with it, and takes the reply. What `act` gives lives until the reply is
/// written.
pub fn cross<T>(
    client: &Ctx<'_>,
    query: u64,
    server: &Ctx<'_>,
    uri: &str,
    act: impl FnOnce(u64) -> Result<T, Failure>,
) -> Result<(), Failure> {
    let request = client.messages("serialize_query", &[query, CAPNP, 1])?;
    let reply = on_server(server, uri, &request, |there| {
        let _buffers = act(there)?;
        server.messages("serialize_query", &[there, CAPNP, 0])
    })?;
    let reply = client.buffer(&reply);
    client.call("deserialize_query", &[reply.handle, CAPNP, 1, query])
}

/// A JSON message.
pub fn parse(message: &[u8]) -> Value {
    serde_json::from_slice(message).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(message)))
}

/// Where two messages differ first, as a path with both values.
pub fn difference(ours: &Value, theirs: &Value) -> Option<String> {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let one_sided =
                a.keys().find(|key| !b.contains_key(*key)).or_else(|| b.keys().find(|key| !a.contains_key(*key)));
            if let Some(key) = one_sided {
                return Some(format!(".{key}: {} | {}", shown(a.get(key)), shown(b.get(key))));
            }
            a.iter().find_map(|(key, value)| difference(value, &b[key]).map(|rest| format!(".{key}{rest}")))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(index, (a, b))| difference(a, b).map(|rest| format!("[{index}]{rest}"))),
        _ if ours == theirs => None,
        _ => Some(format!(": {} | {}", shown(Some(ours)), shown(Some(theirs)))),
    }
}

fn shown(value: Option<&Value>) -> String {
    let text = value.map_or("nothing".to_owned(), Value::to_string);
    text.chars().take(300).collect()
}
