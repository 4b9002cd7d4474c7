//! The structures of the Arrow C data and stream interfaces, and the functions of the library that targets call through C.
#![allow(unsafe_code, reason = "the C interfaces of Arrow and of the library")]

use std::ffi::{c_char, c_int, c_void};

#[repr(C)]
pub struct ArrowSchema {
    pub format: *const c_char,
    pub name: *const c_char,
    pub metadata: *const c_char,
    pub flags: i64,
    pub child_count: i64,
    pub children: *mut *mut ArrowSchema,
    pub dictionary: *mut ArrowSchema,
    pub release: Option<extern "C" fn(*mut ArrowSchema)>,
    pub private: *mut c_void,
}

#[repr(C)]
pub struct ArrowArray {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub buffer_count: i64,
    pub child_count: i64,
    pub buffers: *mut *const c_void,
    pub children: *mut *mut ArrowArray,
    pub dictionary: *mut ArrowArray,
    pub release: Option<extern "C" fn(*mut ArrowArray)>,
    pub private: *mut c_void,
}

#[repr(C)]
pub struct ArrowArrayStream {
    pub get_schema: Option<extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub get_next: Option<extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub get_last_error: Option<extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub release: Option<extern "C" fn(*mut ArrowArrayStream)>,
    pub private: *mut c_void,
}

pub type Handle = *mut c_void;

unsafe extern "C" {
    pub fn tiledb_ctx_alloc(config: Handle, ctx: *mut Handle) -> i32;
    pub fn tiledb_domain_alloc(ctx: Handle, domain: *mut Handle) -> i32;
    pub fn tiledb_domain_add_dimension(ctx: Handle, domain: Handle, dimension: Handle) -> i32;
    pub fn tiledb_dimension_alloc(
        ctx: Handle,
        name: *const c_char,
        datatype: i32,
        domain: *const c_void,
        extent: *const c_void,
        dimension: *mut Handle,
    ) -> i32;
    pub fn tiledb_attribute_alloc(ctx: Handle, name: *const c_char, datatype: i32, attribute: *mut Handle) -> i32;
    pub fn tiledb_attribute_set_cell_val_num(ctx: Handle, attribute: Handle, count: u32) -> i32;
    pub fn tiledb_attribute_set_nullable(ctx: Handle, attribute: Handle, nullable: u8) -> i32;
    pub fn tiledb_attribute_set_enumeration_name(ctx: Handle, attribute: Handle, name: *const c_char) -> i32;
    pub fn tiledb_enumeration_alloc(
        ctx: Handle,
        name: *const c_char,
        datatype: i32,
        count: u32,
        ordered: i32,
        data: *const c_void,
        data_size: u64,
        offsets: *const c_void,
        offsets_size: u64,
        enumeration: *mut Handle,
    ) -> i32;
    pub fn tiledb_array_schema_alloc(ctx: Handle, kind: i32, schema: *mut Handle) -> i32;
    pub fn tiledb_array_schema_set_domain(ctx: Handle, schema: Handle, domain: Handle) -> i32;
    pub fn tiledb_array_schema_set_allows_dups(ctx: Handle, schema: Handle, allows: i32) -> i32;
    pub fn tiledb_array_schema_add_attribute(ctx: Handle, schema: Handle, attribute: Handle) -> i32;
    pub fn tiledb_array_schema_add_enumeration(ctx: Handle, schema: Handle, enumeration: Handle) -> i32;
    pub fn tiledb_array_create(ctx: Handle, uri: *const c_char, schema: Handle) -> i32;
    pub fn tiledb_array_alloc(ctx: Handle, uri: *const c_char, array: *mut Handle) -> i32;
    pub fn tiledb_array_open(ctx: Handle, array: Handle, kind: i32) -> i32;
    pub fn tiledb_array_free(array: *mut Handle);
    pub fn tiledb_query_alloc(ctx: Handle, array: Handle, kind: i32, query: *mut Handle) -> i32;
    pub fn tiledb_query_set_layout(ctx: Handle, query: Handle, layout: i32) -> i32;
    pub fn tiledb_query_free(query: *mut Handle);
    pub fn tiledb_vfs_alloc(ctx: Handle, config: Handle, vfs: *mut Handle) -> i32;
    pub fn tiledb_vfs_remove_dir(ctx: Handle, vfs: Handle, uri: *const c_char) -> i32;
    pub fn tiledb_rs_query_from_arrow(
        ctx: Handle,
        query: Handle,
        stream: *mut ArrowArrayStream,
        batch_bytes: u64,
        callback: Option<extern "C" fn(u64, *mut c_void) -> i32>,
        data: *mut c_void,
        cells: *mut u64,
    ) -> i32;
}
