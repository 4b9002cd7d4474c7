//! Arrays and groups into which messages are deserialized, created from the sample schemas.

use std::path::PathBuf;

use serde_json::Value;

use support::messages::{JSON, parse};
use support::{Api, Array, Ctx, Failure, library, pointer, text};

/// Where the samples are.
pub fn folder() -> PathBuf {
    library::root().join("tests/data/serialized")
}

/// The bytes of a sample.
pub fn sample(file: &str) -> Vec<u8> {
    std::fs::read(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// `TILEDB_READ`.
pub const READ: u64 = 0;
/// `TILEDB_WRITE`.
pub const WRITE: u64 = 1;

/// A context with arrays `dense`, `sparse`, `hilbert` and a group in a folder of their own.
pub struct World<'a> {
    pub ctx: &'a Ctx<'a>,
    folder: tempfile::TempDir,
}

impl<'a> World<'a> {
    pub fn new(api: &'a Api) -> World<'a> {
        // Lives as long as the test.
        let ctx = Box::leak(Box::new(api.context(&[])));
        let world = World { ctx, folder: tempfile::tempdir().unwrap() };
        for name in ["dense", "sparse", "hilbert"] {
            let mut schema = parse(&sample(&format!("array_schema-{name}-server.json")));
            // The values of its enumeration are not told.
            schema.as_object_mut().unwrap().remove("enumerationPathMap");
            for attribute in schema["attributes"].as_array_mut().unwrap() {
                attribute.as_object_mut().unwrap().remove("enumerationName");
            }
            world.create(name, &schema);
        }
        ctx.call("group_create", &[pointer(&text(&world.uri("group")))]).unwrap();
        world
    }

    /// Creates an array of a schema as JSON.
    fn create(&self, name: &str, schema: &Value) {
        let buffer = self.ctx.buffer(schema.to_string().as_bytes());
        let schema = self.ctx.get("deserialize_array_schema", &[buffer.handle, JSON, 0]).unwrap();
        self.ctx.call("array_create", &[pointer(&text(&self.uri(name))), schema]).unwrap();
        self.ctx.free("array_schema", schema);
    }

    /// Creates an array of a schema as JSON, whose enumerations are left out, and opens it for reading.
    pub fn made_of(&self, name: &str, mut schema: Value) -> Array<'_> {
        schema.as_object_mut().unwrap().remove("enumerationPathMap");
        self.create(name, &schema);
        self.array(name, READ)
    }

    /// Where an array or group is.
    pub fn uri(&self, name: &str) -> String {
        format!("file://{}/{name}", self.folder.path().display())
    }

    /// An open array.
    pub fn array(&self, name: &str, query_type: u64) -> Array<'_> {
        Array::open(self.ctx, &self.uri(name), query_type, None, None).unwrap()
    }

    /// An open group, to be closed and freed by [`World::end_group`].
    pub fn group(&self, query_type: u64) -> u64 {
        let group = self.ctx.get("group_alloc", &[pointer(&text(&self.uri("group")))]).unwrap();
        self.ctx.call("group_open", &[group, query_type]).unwrap();
        group
    }

    /// Ends a group.
    pub fn end_group(&self, group: u64) {
        let _ = self.ctx.call("group_close", &[group]);
        self.ctx.free("group", group);
    }

    /// A fragment info that has loaded nothing.
    pub fn fragment_info(&self) -> u64 {
        self.ctx.get("fragment_info_alloc", &[pointer(&text(&self.uri("sparse")))]).unwrap()
    }

    /// Makes a handle of a message, lets it be used, and frees it.
    pub fn with<T>(
        &self,
        kind: &str,
        made: Result<u64, Failure>,
        act: impl FnOnce(u64) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let handle = made?;
        let outcome = act(handle);
        self.ctx.free(kind, handle);
        outcome
    }
}
