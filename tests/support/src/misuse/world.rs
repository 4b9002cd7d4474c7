//! One live handle of every type, as far as the functions that create them are implemented.

use std::collections::BTreeMap;

use crate::misuse::caller::{Library, read, slot, slot_of, text};

/// Live handles by type.
pub struct World {
    handles: BTreeMap<&'static str, u64>,
}

impl World {
    /// Makes what can be made; files go to the current directory.
    pub fn new(library: &Library) -> World {
        let mut world = World { handles: BTreeMap::new() };
        world.basics(library);
        world.schema(library);
        world.storage(library);
        world.reading(library);
        world
    }

    /// The live handle of a type, or null.
    pub fn get(&self, kind: &str) -> u64 {
        self.handles.get(kind).copied().unwrap_or(0)
    }

    /// The types there are handles of.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.handles.iter().map(|(kind, handle)| (*kind, *handle))
    }

    /// Calls a function that makes a handle; the handle's place is the argument `OUT`.
    fn make(&mut self, library: &Library, kind: &'static str, function: &str, arguments: &[u64]) {
        let out = slot();
        let arguments: Vec<u64> = arguments.iter().map(|a| if *a == OUT { out } else { *a }).collect();
        if library.call(function, &arguments) as i32 == 0 && read(out) != 0 {
            self.handles.insert(kind, read(out));
        }
    }

    fn basics(&mut self, library: &Library) {
        self.make(library, "tiledb_config_t", "tiledb_config_alloc", &[OUT, slot()]);
        let config = self.get("tiledb_config_t");
        self.make(library, "tiledb_ctx_t", "tiledb_ctx_alloc", &[config, OUT]);
        self.make(library, "tiledb_config_iter_t", "tiledb_config_iter_alloc", &[config, text(b""), OUT, slot()]);
        let error = slot();
        library.call("tiledb_config_set", &[config, text(b"sm.memory_budget"), text(b"much"), error]);
        if read(error) != 0 {
            self.handles.insert("tiledb_error_t", read(error));
        }
        self.make(library, "tiledb_string_t", "tiledb_as_built_dump", &[OUT]);
        self.make(library, "tiledb_profile_t", "tiledb_profile_alloc", &[text(b"p"), text(b"profiles/"), OUT, slot()]);
        let ctx = self.get("tiledb_ctx_t");
        for (kind, function) in [
            ("tiledb_buffer_t", "tiledb_buffer_alloc"),
            ("tiledb_buffer_list_t", "tiledb_buffer_list_alloc"),
            ("tiledb_query_condition_t", "tiledb_query_condition_alloc"),
            ("tiledb_array_schema_evolution_t", "tiledb_array_schema_evolution_alloc"),
            ("tiledb_current_domain_t", "tiledb_current_domain_create"),
            ("tiledb_channel_operator_t", "tiledb_channel_operator_sum_get"),
            ("tiledb_channel_operation_t", "tiledb_aggregate_count_get"),
            ("tiledb_filter_list_t", "tiledb_filter_list_alloc"),
            ("tiledb_domain_t", "tiledb_domain_alloc"),
        ] {
            self.make(library, kind, function, &[ctx, OUT]);
        }
    }

    fn schema(&mut self, library: &Library) {
        let ctx = self.get("tiledb_ctx_t");
        let range = slot_of(1 | 4 << 32);
        self.make(library, "tiledb_filter_t", "tiledb_filter_alloc", &[ctx, 2, OUT]);
        self.make(library, "tiledb_attribute_t", "tiledb_attribute_alloc", &[ctx, text(b"a"), 0, OUT]);
        let dimension = [ctx, text(b"d"), 0, range, slot_of(2), OUT];
        self.make(library, "tiledb_dimension_t", "tiledb_dimension_alloc", &dimension);
        let (domain, attribute) = (self.get("tiledb_domain_t"), self.get("tiledb_attribute_t"));
        library.call("tiledb_domain_add_dimension", &[ctx, domain, self.get("tiledb_dimension_t")]);
        self.make(library, "tiledb_array_schema_t", "tiledb_array_schema_alloc", &[ctx, 0, OUT]);
        let schema = self.get("tiledb_array_schema_t");
        library.call("tiledb_array_schema_set_domain", &[ctx, schema, domain]);
        library.call("tiledb_array_schema_add_attribute", &[ctx, schema, attribute]);
        self.make(library, "tiledb_ndrectangle_t", "tiledb_ndrectangle_alloc", &[ctx, domain, OUT]);
        let values = [ctx, text(b"e"), 0, 1, 0, range, 8, 0, 0, OUT];
        self.make(library, "tiledb_enumeration_t", "tiledb_enumeration_alloc", &values);
    }

    fn storage(&mut self, library: &Library) {
        let (ctx, config) = (self.get("tiledb_ctx_t"), self.get("tiledb_config_t"));
        self.make(library, "tiledb_vfs_t", "tiledb_vfs_alloc", &[ctx, config, OUT]);
        let vfs = self.get("tiledb_vfs_t");
        self.make(library, "tiledb_vfs_fh_t", "tiledb_vfs_open", &[ctx, vfs, text(b"file"), 1, OUT]);
        library.call("tiledb_group_create", &[ctx, text(b"group")]);
        self.make(library, "tiledb_group_t", "tiledb_group_alloc", &[ctx, text(b"group"), OUT]);
        library.call("tiledb_group_open", &[ctx, self.get("tiledb_group_t"), 0]);
        if !std::path::Path::new("array/__schema").exists() {
            let schema = self.get("tiledb_array_schema_t");
            library.call("tiledb_array_create", &[ctx, text(b"array"), schema]);
        }
        self.make(library, "tiledb_array_t", "tiledb_array_alloc", &[ctx, text(b"array"), OUT]);
        library.call("tiledb_array_open", &[ctx, self.get("tiledb_array_t"), 0]);
        self.make(library, "tiledb_fragment_info_t", "tiledb_fragment_info_alloc", &[ctx, text(b"array"), OUT]);
    }

    fn reading(&mut self, library: &Library) {
        let (ctx, array) = (self.get("tiledb_ctx_t"), self.get("tiledb_array_t"));
        if array == 0 {
            return;
        }
        self.make(library, "tiledb_subarray_t", "tiledb_subarray_alloc", &[ctx, array, OUT]);
        let plan = [ctx, array, 1 << 20, OUT];
        self.make(library, "tiledb_consolidation_plan_t", "tiledb_consolidation_plan_create_with_mbr", &plan);
        self.make(library, "tiledb_query_t", "tiledb_query_alloc", &[ctx, array, 0, OUT]);
        let query = self.get("tiledb_query_t");
        if query != 0 {
            self.make(library, "tiledb_query_channel_t", "tiledb_query_get_default_channel", &[ctx, query, OUT]);
            self.make(library, "tiledb_query_field_t", "tiledb_query_get_field", &[ctx, query, text(b"a"), OUT]);
        }
    }

    /// Frees everything; the context last, for some are freed with it.
    pub fn free(&self, library: &Library) {
        let ctx = self.get("tiledb_ctx_t");
        for (kind, handle) in self.kinds().filter(|(kind, _)| *kind != "tiledb_ctx_t") {
            free(library, ctx, kind, handle);
        }
        free(library, ctx, "tiledb_ctx_t", ctx);
    }
}

/// Stands for the place of the new handle among the arguments.
const OUT: u64 = u64::MAX;

/// Frees one handle with the function of its type.
fn free(library: &Library, ctx: u64, kind: &str, handle: u64) {
    let place = slot_of(handle);
    match kind {
        "tiledb_channel_operator_t" => 0,
        "tiledb_channel_operation_t" => 0,
        "tiledb_query_channel_t" | "tiledb_query_field_t" => {
            library.call(&format!("{}_free", kind.trim_end_matches("_t")), &[ctx, place])
        }
        _ => library.call(&format!("{}_free", kind.trim_end_matches("_t")), &[place]),
    };
}
