"""The quick start with a dense array, from Python through ctypes: nothing is installed but the library.

usage: quickstart_ctypes.py [LIBRARY]      libtiledb_rs.so.2.30 by default, as the loader finds it
"""

import ctypes
import sys

lib = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libtiledb_rs.so.2.30")

# Numbers of enumerations, as in tiledb.h.
TILEDB_INT32, TILEDB_DENSE, TILEDB_ROW_MAJOR = 0, 0, 0
TILEDB_READ, TILEDB_WRITE = 0, 1


class Freed(ctypes.c_void_p):
    """A handle that is freed at the end of a `with` block by `tiledb_KIND_free`."""

    def __init__(self, kind, *arguments):
        super().__init__()
        self.free = getattr(lib, f"tiledb_{kind}_free")
        call(f"tiledb_{kind}_alloc", *arguments, ctypes.byref(self))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.free(ctypes.byref(self))


class LastError:
    """The text of the context's last error."""

    def __str__(self):
        error, message = ctypes.c_void_p(), ctypes.c_char_p()
        lib.tiledb_ctx_get_last_error(ctx, ctypes.byref(error))
        lib.tiledb_error_message(error, ctypes.byref(message))
        text = (message.value or b"unknown error").decode()
        lib.tiledb_error_free(ctypes.byref(error))
        return text


def call(name, *arguments):
    """Calls a function; an error becomes an exception with its text. Texts are given as `str`."""
    encoded = [argument.encode() if isinstance(argument, str) else argument for argument in arguments]
    if getattr(lib, name)(*encoded) != 0:
        raise RuntimeError(str(LastError()))


def create(uri):
    """Creates a 4 x 4 array of 32-bit integers in tiles of 2 x 2."""
    limits, extent = (ctypes.c_int32 * 2)(1, 4), ctypes.c_int32(2)
    with (
        Freed("domain", ctx) as domain,
        Freed("dimension", ctx, "rows", TILEDB_INT32, limits, ctypes.byref(extent)) as rows,
        Freed("dimension", ctx, "cols", TILEDB_INT32, limits, ctypes.byref(extent)) as cols,
        Freed("attribute", ctx, "a", TILEDB_INT32) as a,
        Freed("array_schema", ctx, TILEDB_DENSE) as schema,
    ):
        call("tiledb_domain_add_dimension", ctx, domain, rows)
        call("tiledb_domain_add_dimension", ctx, domain, cols)
        call("tiledb_array_schema_set_domain", ctx, schema, domain)
        call("tiledb_array_schema_add_attribute", ctx, schema, a)
        call("tiledb_array_create", ctx, uri, schema)


def transfer(uri, kind, first, last, cells):
    """Writes or reads the rows from `first` to `last`, in row-major order."""
    low, high, size = ctypes.c_int32(first), ctypes.c_int32(last), ctypes.c_uint64(ctypes.sizeof(cells))
    one, four = ctypes.c_int32(1), ctypes.c_int32(4)
    with Freed("array", ctx, uri) as array:
        call("tiledb_array_open", ctx, array, kind)
        with Freed("subarray", ctx, array) as subarray, Freed("query", ctx, array, kind) as query:
            call("tiledb_subarray_add_range", ctx, subarray, 0, ctypes.byref(low), ctypes.byref(high), None)
            call("tiledb_subarray_add_range", ctx, subarray, 1, ctypes.byref(one), ctypes.byref(four), None)
            call("tiledb_query_set_subarray_t", ctx, query, subarray)
            call("tiledb_query_set_layout", ctx, query, TILEDB_ROW_MAJOR)
            call("tiledb_query_set_data_buffer", ctx, query, "a", cells, ctypes.byref(size))
            call("tiledb_query_submit", ctx, query)
            call("tiledb_query_finalize", ctx, query)
        call("tiledb_array_close", ctx, array)


ctx = None
with Freed("ctx", None) as ctx:
    create("quickstart_ctypes")
    transfer("quickstart_ctypes", TILEDB_WRITE, 1, 4, (ctypes.c_int32 * 16)(*range(1, 17)))
    read = (ctypes.c_int32 * 8)()
    transfer("quickstart_ctypes", TILEDB_READ, 2, 3, read)
    for row in range(2):
        print(f"row {row + 2}:", *(f"{cell:2}" for cell in read[4 * row : 4 * row + 4]))
