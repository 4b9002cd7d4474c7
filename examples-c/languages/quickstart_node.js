// The quick start with a dense array, from Node through koffi (npm install koffi).
// usage: node quickstart_node.js [LIBRARY]      libtiledb_rs.so.2.30 by default, as the loader finds it
const koffi = require("koffi");

const lib = koffi.load(process.argv[2] ?? "libtiledb_rs.so.2.30");
for (const kind of ["config", "ctx", "error", "domain", "dimension", "attribute", "array_schema", "array", "subarray",
  "query"])
  koffi.opaque(`tiledb_${kind}_t`);

// Declarations as in the headers; _Out_ and _Inout_ say which way a pointer's target goes.
const DECLARATIONS = `
int tiledb_ctx_alloc(tiledb_config_t*, _Out_ tiledb_ctx_t**)
int tiledb_ctx_get_last_error(tiledb_ctx_t*, _Out_ tiledb_error_t**)
int tiledb_error_message(tiledb_error_t*, _Out_ const char**)
int tiledb_dimension_alloc(tiledb_ctx_t*, const char*, int, const int32_t*, const int32_t*, _Out_ tiledb_dimension_t**)
int tiledb_domain_alloc(tiledb_ctx_t*, _Out_ tiledb_domain_t**)
int tiledb_domain_add_dimension(tiledb_ctx_t*, tiledb_domain_t*, tiledb_dimension_t*)
int tiledb_attribute_alloc(tiledb_ctx_t*, const char*, int, _Out_ tiledb_attribute_t**)
int tiledb_array_schema_alloc(tiledb_ctx_t*, int, _Out_ tiledb_array_schema_t**)
int tiledb_array_schema_set_domain(tiledb_ctx_t*, tiledb_array_schema_t*, tiledb_domain_t*)
int tiledb_array_schema_add_attribute(tiledb_ctx_t*, tiledb_array_schema_t*, tiledb_attribute_t*)
int tiledb_array_create(tiledb_ctx_t*, const char*, tiledb_array_schema_t*)
int tiledb_array_alloc(tiledb_ctx_t*, const char*, _Out_ tiledb_array_t**)
int tiledb_array_open(tiledb_ctx_t*, tiledb_array_t*, int)
int tiledb_array_close(tiledb_ctx_t*, tiledb_array_t*)
int tiledb_subarray_alloc(tiledb_ctx_t*, tiledb_array_t*, _Out_ tiledb_subarray_t**)
int tiledb_subarray_add_range(tiledb_ctx_t*, tiledb_subarray_t*, uint32_t, const int32_t*, const int32_t*, const void*)
int tiledb_query_alloc(tiledb_ctx_t*, tiledb_array_t*, int, _Out_ tiledb_query_t**)
int tiledb_query_set_subarray_t(tiledb_ctx_t*, tiledb_query_t*, tiledb_subarray_t*)
int tiledb_query_set_layout(tiledb_ctx_t*, tiledb_query_t*, int)
int tiledb_query_set_data_buffer(tiledb_ctx_t*, tiledb_query_t*, const char*, void*, void*)
int tiledb_query_submit(tiledb_ctx_t*, tiledb_query_t*)
int tiledb_query_finalize(tiledb_ctx_t*, tiledb_query_t*)`;
const functions = {};
for (const line of DECLARATIONS.trim().split("\n"))
  functions[line.match(/tiledb_(\w+)\(/)[1]] = lib.func(line);
const TILEDB_INT32 = 0, TILEDB_DENSE = 0, TILEDB_ROW_MAJOR = 0, TILEDB_READ = 0, TILEDB_WRITE = 1;

let ctx = null;

// Calls a function with the context first; an error becomes an exception with its text.
function call(name, ...args) {
  if (functions[name](ctx, ...args) === 0) return;
  const error = [null], message = [null];
  functions.ctx_get_last_error(ctx, error);
  functions.error_message(error[0], message);
  throw new Error(message[0]);
}

// Makes a handle, and frees it once `use` is done with it.
function made(kind, args, use) {
  const handle = [null];
  call(`${kind}_alloc`, ...args, handle);
  try {
    return use(handle[0]);
  } finally {
    lib.func(`void tiledb_${kind}_free(_Inout_ tiledb_${kind}_t**)`)(handle);
  }
}

function create(uri) {
  const limits = [1, 4], extent = [2];
  made("domain", [], (domain) => {
    for (const name of ["rows", "cols"])
      made("dimension", [name, TILEDB_INT32, limits, extent], (one) => call("domain_add_dimension", domain, one));
    made("array_schema", [TILEDB_DENSE], (schema) => {
      call("array_schema_set_domain", schema, domain);
      made("attribute", ["a", TILEDB_INT32], (a) => call("array_schema_add_attribute", schema, a));
      call("array_create", uri, schema);
    });
  });
}

// Writes or reads the rows from first to last into an Int32Array, in row-major order.
function transfer(uri, type, first, last, cells) {
  const size = new BigUint64Array([BigInt(cells.byteLength)]);
  made("array", [uri], (array) => {
    call("array_open", array, type);
    made("subarray", [array], (subarray) => made("query", [array, type], (query) => {
      call("subarray_add_range", subarray, 0, [first], [last], null);
      call("subarray_add_range", subarray, 1, [1], [4], null);
      call("query_set_subarray_t", query, subarray);
      call("query_set_layout", query, TILEDB_ROW_MAJOR);
      call("query_set_data_buffer", query, "a", cells, size);
      call("query_submit", query);
      call("query_finalize", query);
    }));
    call("array_close", array);
  });
}

const context = [null];
if (functions.ctx_alloc(null, context) !== 0) throw new Error("there is no context");
ctx = context[0];
create("quickstart_node");
transfer("quickstart_node", TILEDB_WRITE, 1, 4, Int32Array.from({ length: 16 }, (_, i) => i + 1));
const read = new Int32Array(8);
transfer("quickstart_node", TILEDB_READ, 2, 3, read);
for (const row of [0, 1])
  console.log(`row ${row + 2}: ` + [...read.subarray(4 * row, 4 * row + 4)].map((n) => String(n).padStart(2)).join(" "));
lib.func("void tiledb_ctx_free(_Inout_ tiledb_ctx_t**)")(context);
