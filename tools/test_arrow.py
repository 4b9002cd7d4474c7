#!/usr/bin/env python3
"""Reads and writes every datatype through the Arrow C stream interface, with pyarrow and, where they are there, polars and DuckDB.

    test_arrow.py LIBRARY [measure]
"""
import ctypes
import os
import sys
import tempfile
import time

import pyarrow as pa

LIB = ctypes.CDLL(sys.argv[1])
CELLS = 5
READ, WRITE, DENSE, ROW_MAJOR, GLOBAL, VAR = 0, 1, 0, 0, 2, 0xFFFFFFFF
# Name, bytes of a value, type in Arrow.
NUMBERS = {
    "INT32": (4, pa.int32()), "INT64": (8, pa.int64()), "FLOAT32": (4, pa.float32()), "FLOAT64": (8, pa.float64()),
    "INT8": (1, pa.int8()), "UINT8": (1, pa.uint8()), "INT16": (2, pa.int16()), "UINT16": (2, pa.uint16()),
    "UINT32": (4, pa.uint32()), "UINT64": (8, pa.uint64()), "STRING_UTF16": (2, pa.uint16()),
    "STRING_UTF32": (4, pa.uint32()), "STRING_UCS2": (2, pa.uint16()), "STRING_UCS4": (4, pa.uint32()),
    "DATETIME_SEC": (8, pa.timestamp("s")), "DATETIME_MS": (8, pa.timestamp("ms")), "DATETIME_US": (8, pa.timestamp("us")),
    "DATETIME_NS": (8, pa.timestamp("ns")), "TIME_US": (8, pa.time64("us")), "TIME_NS": (8, pa.time64("ns")),
    "BOOL": (1, pa.bool_()),
}
NUMBERS.update((f"DATETIME_{unit}", (8, pa.int64())) for unit in "YEAR MONTH WEEK DAY HR MIN PS FS AS".split())
NUMBERS.update((f"TIME_{unit}", (8, pa.int64())) for unit in "HR MIN SEC MS PS FS AS".split())
BYTES = {"CHAR": pa.large_binary(), "BLOB": pa.large_binary(), "GEOM_WKB": pa.large_binary(), "ANY": pa.large_binary(),
         "STRING_ASCII": pa.large_utf8(), "STRING_UTF8": pa.large_utf8(), "GEOM_WKT": pa.large_utf8()}
ctx = ctypes.c_void_p()


def call(name, *args):
    args = [ctypes.c_uint64(arg) if isinstance(arg, int) else arg for arg in args]
    code = getattr(LIB, f"tiledb_{name}")(ctx, *args)
    if code != 0:
        error, text = ctypes.c_void_p(), ctypes.c_char_p()
        LIB.tiledb_ctx_get_last_error(ctx, ctypes.byref(error))
        LIB.tiledb_error_message(error, ctypes.byref(text))
        raise RuntimeError(f"{name}: {text.value}")


def make(name, *args):
    made = ctypes.c_void_p()
    call(name, *args, ctypes.byref(made))
    return made


def datatype(name):
    number = ctypes.c_uint32()
    assert LIB.tiledb_datatype_from_str(name.encode(), ctypes.byref(number)) == 0, name
    return number.value


def value_of(size, number):
    return int(number).to_bytes(size, "little", signed=False)


def raw(name, count):
    """Values of a datatype that tell the cells apart."""
    size = NUMBERS[name][0] if name in NUMBERS else 1
    if name == "BOOL":
        return bytes(at % 3 == 0 for at in range(count))
    if name in BYTES:
        return bytes(65 + at % 26 for at in range(count))
    if name == "FLOAT32" or name == "FLOAT64":
        return (ctypes.c_float if size == 4 else ctypes.c_double)
    return b"".join(value_of(size, at * 3 % 120) for at in range(count))


def data_of(name, count):
    found = raw(name, count)
    if isinstance(found, bytes):
        return found
    return bytes((found * count)(*[at / 4 for at in range(count)]))


def expected(name, kind, count):
    """What pyarrow must show of all values, one after the other."""
    buffer = pa.py_buffer(data_of(name, count))
    if name == "BOOL":
        return pa.array([byte != 0 for byte in data_of(name, count)])
    return pa.Array.from_buffers(kind, count, [None, buffer])


class Case:
    def __init__(self, name, shape, nullable):
        self.name, self.shape, self.nullable = name, shape, nullable
        self.field = f"{name}_{shape}{'_null' if nullable else ''}"
        self.counts = {"one": [1] * CELLS, "three": [3] * CELLS, "var": [0, 2, 1, 4, 3]}[shape]
        self.total = sum(self.counts)

    def add(self, schema):
        attribute = make("attribute_alloc", self.field.encode(), datatype(self.name))
        number = {"one": 1, "three": 3, "var": VAR}[self.shape]
        call("attribute_set_cell_val_num", attribute, number)
        if self.nullable:
            LIB.tiledb_attribute_set_nullable(ctx, attribute, ctypes.c_uint8(1))
        call("array_schema_add_attribute", schema, attribute)

    def attach(self, query, kept):
        data = ctypes.create_string_buffer(data_of(self.name, self.total), self.total * (NUMBERS.get(self.name, (1,))[0]))
        size = ctypes.c_uint64(len(data))
        kept += [data, size]
        call("query_set_data_buffer", query, self.field.encode(), data, ctypes.byref(size))
        if self.shape == "var":
            width = NUMBERS.get(self.name, (1,))[0]
            starts = [sum(self.counts[:at]) * width for at in range(CELLS)]
            offsets, size = (ctypes.c_uint64 * CELLS)(*starts), ctypes.c_uint64(8 * CELLS)
            kept += [offsets, size]
            call("query_set_offsets_buffer", query, self.field.encode(), offsets, ctypes.byref(size))
        if self.nullable:
            validity, size = (ctypes.c_uint8 * CELLS)(1, 0, 1, 1, 0), ctypes.c_uint64(CELLS)
            kept += [validity, size]
            call("query_set_validity_buffer", query, self.field.encode(), validity, ctypes.byref(size))

    def check(self, column):
        assert column.null_count == (2 if self.nullable else 0), self.field
        kind = BYTES.get(self.name) or NUMBERS[self.name][1]
        if self.name in BYTES and self.shape != "var":
            kind = pa.binary(self.counts[0])
        elif self.name not in BYTES and self.shape == "three":
            kind = pa.list_(pa.field("item", kind, nullable=False), 3)
        elif self.name not in BYTES and self.shape == "var":
            kind = pa.large_list(pa.field("item", kind, nullable=False))
        assert column.type == kind, (self.field, column.type, kind)
        column.validate(full=True)
        values = data_of(self.name, self.total).decode() if pa.types.is_large_string(kind) else data_of(self.name, self.total)
        if self.name not in BYTES:
            values = expected(self.name, NUMBERS[self.name][1], self.total)
        for at, count in enumerate(self.counts):
            start = sum(self.counts[:at])
            wanted = values[start:start + count]
            valid = not self.nullable or [1, 0, 1, 1, 0][at]
            scalar = column[at]
            assert scalar.is_valid == bool(valid), self.field
            if not valid:
                continue
            if self.name in BYTES:
                assert scalar.as_py() == wanted, (self.field, scalar, wanted)
            elif self.shape == "one":
                assert scalar == wanted[0], (self.field, scalar, wanted)
            else:
                assert scalar.values.equals(wanted), (self.field, scalar, wanted)


def dimension(low, high, extent):
    bounds, size = (ctypes.c_int32 * 2)(low, high), ctypes.c_int32(extent)
    return make("dimension_alloc", b"d", datatype("INT32"), bounds, ctypes.byref(size))


def open_array(uri, kind):
    array = make("array_alloc", uri)
    call("array_open", array, kind)
    return array


def stream(uri, batch=0, fields=None, layout=ROW_MAJOR, cells=CELLS):
    """Results as a reader of pyarrow, which the handles do not outlive."""
    array = open_array(uri, READ)
    query = make("query_alloc", array, READ)
    call("query_set_layout", query, layout)
    subarray = make("subarray_alloc", array)
    if cells:
        low, high = ctypes.c_int32(1), ctypes.c_int32(cells)
        call("subarray_add_range", subarray, 0, ctypes.byref(low), ctypes.byref(high), None)
    call("query_set_subarray_t", query, subarray)
    LIB.tiledb_subarray_free(ctypes.byref(subarray))
    room = ctypes.create_string_buffer(40)
    names = (ctypes.c_char_p * len(fields))(*fields) if fields else None
    call("rs_query_to_arrow", query, names, len(fields or []), batch, room)
    LIB.tiledb_query_free(ctypes.byref(query))
    LIB.tiledb_array_free(ctypes.byref(array))
    return pa.RecordBatchReader._import_from_c(ctypes.addressof(room))


def create(uri, kind, domain_of, cases):
    schema, domain = make("array_schema_alloc", kind), make("domain_alloc")
    call("domain_add_dimension", domain, domain_of)
    call("array_schema_set_domain", schema, domain)
    for case in cases:
        case.add(schema)
    return schema


def every_datatype(folder):
    uri = os.path.join(folder, "all").encode()
    cases = [Case(name, shape, nullable) for name in [*NUMBERS, *BYTES] for shape in ("one", "three", "var")
             for nullable in (False, True) if name != "ANY" or shape == "var"]
    schema = create(uri, DENSE, dimension(1, CELLS, CELLS), cases)
    call("array_create", uri, schema)
    array, kept = open_array(uri, WRITE), []
    query = make("query_alloc", array, WRITE)
    call("query_set_layout", query, ROW_MAJOR)
    for case in cases:
        case.attach(query, kept)
    call("query_submit", query)
    call("array_close", array)
    for batch in (0, 1, 3000):
        table = stream(uri, batch).read_all()
        assert table.num_rows == CELLS and table.column("d").to_pylist() == [1, 2, 3, 4, 5]
        assert (len(table.column("d").chunks) == 1) == (batch == 0), batch
        for case in cases:
            case.check(table.column(case.field).combine_chunks() if batch else table.column(case.field).chunk(0))
    print(f"{len(cases)} fields of {len(NUMBERS) + len(BYTES)} datatypes: equal")
    stream(uri, 1).read_next_batch()  # Released early.
    return uri, cases


def capsule_of(source):
    """The stream that an object of any program gives, and who owns it."""
    capsule = source.__arrow_c_stream__()
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return address(capsule, b"arrow_array_stream"), capsule


def write(uri, source, layout=ROW_MAJOR, batch=0, cells=CELLS):
    """Writes what an object of any program gives."""
    array = open_array(uri, WRITE)
    query = make("query_alloc", array, WRITE)
    call("query_set_layout", query, layout)
    address, owner = capsule_of(source)
    try:
        call("rs_query_from_arrow", query, ctypes.c_void_p(address), batch, None, None, None)
        call("query_finalize", query)
    finally:
        LIB.tiledb_query_free(ctypes.byref(query))
        LIB.tiledb_array_free(ctypes.byref(array))
        del owner


def plain(kind):
    """A type whose values may be null, as other programs have them."""
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_type)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(kind.value_type, kind.list_size)
    return kind


def same(found, wanted):
    """True if both have the same values, whatever types hold them."""
    found, wanted = (column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column for column in (found, wanted))
    kind = plain(wanted.type)
    return found.cast(kind).to_pylist() == wanted.cast(kind).to_pylist() if not has_nanoseconds(kind) else \
        found.cast(kind).equals(wanted.cast(kind))


def has_nanoseconds(kind):
    return "ns" in str(kind)


def copies(folder, uri, cases):
    """What pyarrow has, written in each order, sliced, in small batches, with the narrow types: equal again."""
    wanted = stream(uri).read_all().drop(["d"])
    twice = pa.concat_tables([wanted, wanted]).combine_chunks().slice(3, CELLS)
    narrow, views = [], []
    for field in wanted.schema:
        kind = field.type
        small = {pa.large_utf8(): pa.utf8(), pa.large_binary(): pa.binary()}.get(kind, kind)
        small = pa.list_(kind.value_field) if pa.types.is_large_list(kind) else small
        narrow.append(field.with_type(small))
        views.append(field.with_type({pa.large_utf8(): pa.string_view(), pa.large_binary(): pa.binary_view()}.get(kind, kind)))
    tables = {
        "as it is": wanted, "sliced": twice, "one row each": pa.Table.from_batches(wanted.to_batches(max_chunksize=1)),
        "32-bit offsets": wanted.cast(pa.schema(narrow)), "views": wanted.cast(pa.schema(views)),
        "32-bit offsets, sliced": twice.cast(pa.schema(narrow)), "views, sliced": twice.cast(pa.schema(views)),
        "decoded": dictionaries(wanted),
    }
    for at, (what, table) in enumerate(tables.items()):
        for layout in (ROW_MAJOR, GLOBAL):
            copy = os.path.join(folder, f"copy{at}_{layout}").encode()
            call("array_create", copy, create(copy, DENSE, dimension(1, CELLS, CELLS), cases))
            write(copy, table, layout, batch=1 if layout == GLOBAL else 0)
            found = stream(copy).read_all()
            for case in cases:
                against = twice if "sliced" in what else wanted
                assert found[case.field].combine_chunks().equals(against[case.field].combine_chunks()), (what, case.field)
    print(f"pyarrow writes {len(cases)} fields, {', '.join(tables)}: equal")


def dictionaries(table):
    """Single values and text as dictionaries."""
    def encoded(column):
        kind = column.type
        if pa.types.is_nested(kind) or pa.types.is_fixed_size_binary(kind) or pa.types.is_boolean(kind):
            return column
        return column.dictionary_encode()
    return pa.table({name: encoded(table[name]) for name in table.column_names})


def other_programs(folder, uri, cases):
    for name, load, back in (("polars", lambda m, reader: m.DataFrame(reader), lambda found: found.to_arrow()),
                             ("duckdb", lambda m, reader: m.from_arrow(reader), lambda found: found.to_arrow_table())):
        try:
            module = __import__(name)
        except ImportError:
            print(f"{name} is not there")
            continue
        reads, writes, lacking = 0, 0, {}
        for at, case in enumerate(cases):
            field = case.field.encode()
            wanted = stream(uri, fields=[field]).read_all()[case.field]
            try:
                found = load(module, stream(uri, fields=[field]))
                table = back(found)
                assert same(table[case.field], wanted), "other values"
                reads += 1
            except Exception as error:  # Whatever the program throws.
                lacking.setdefault(f"reading: {str(error).splitlines()[0][:150]}", []).append(case.field)
                continue
            copy = os.path.join(folder, f"{name}{at}").encode()
            call("array_create", copy, create(copy, DENSE, dimension(1, CELLS, CELLS), [case]))
            try:
                write(copy, load(module, stream(uri, fields=[field])))
            except RuntimeError as error:
                assert "cast the column to" in str(error), error
                lacking.setdefault(f"writing: it gives {table[case.field].type}", []).append(case.field)
                continue
            assert stream(copy, fields=[field]).read_all()[case.field].equals(wanted), (name, case.field)
            writes += 1
        print(f"{name} {module.__version__}: {reads} fields read, {writes} written, of {len(cases)}: equal")
        for reason, fields in lacking.items():
            print(f"  {reason}: {len(fields)}: {' '.join(fields)}")
        assert writes > len(cases) // 2


def errors(uri):
    for fields in ([b"nothing"], [b"d", b"d"]):
        try:
            stream(uri, fields=fields)
            raise SystemExit("a wrong field was taken")
        except RuntimeError:
            pass


def values_of(name):
    """64 MB of a datatype as an array of pyarrow."""
    if name == "FLOAT64":
        return pa.array(range(8 << 20), pa.float64())
    starts = pa.array(range(0, (64 << 20) + 1, 16), pa.int64())
    letters = pa.py_buffer(bytes(range(97, 113)) * (4 << 20))
    return pa.Array.from_buffers(pa.large_utf8(), 4 << 20, [None, starts.buffers()[1], letters])


def plain_buffers(uri, kind, field, cells, buffers):
    """One submit with buffers of the caller, given as pairs of address and bytes."""
    array = open_array(uri, kind)
    query = make("query_alloc", array, kind)
    call("query_set_layout", query, ROW_MAJOR)
    if kind == READ:
        subarray = make("subarray_alloc", array)
        low, high = ctypes.c_int32(1), ctypes.c_int32(cells)
        call("subarray_add_range", subarray, 0, ctypes.byref(low), ctypes.byref(high), None)
        call("query_set_subarray_t", query, subarray)
        LIB.tiledb_subarray_free(ctypes.byref(subarray))
    sizes = [ctypes.c_uint64(size) for _, size in buffers]
    call("query_set_data_buffer", query, field, ctypes.c_void_p(buffers[-1][0]), ctypes.byref(sizes[-1]))
    if len(buffers) == 2:
        call("query_set_offsets_buffer", query, field, ctypes.c_void_p(buffers[0][0]), ctypes.byref(sizes[0]))
    call("query_submit", query)
    LIB.tiledb_query_free(ctypes.byref(query))
    LIB.tiledb_array_free(ctypes.byref(array))


def measure(folder):
    for name, shape in (("FLOAT64", "one"), ("STRING_UTF8", "var")):
        case, values = Case(name, shape, False), values_of(name)
        cells, field = len(values), case.field.encode()
        uri = os.path.join(folder, f"large{name}").encode()
        call("array_create", uri, create(uri, DENSE, dimension(1, cells, 1 << 16), [case]))
        table = pa.table({case.field: values})
        own = [(buffer.address, buffer.size) for buffer in values.buffers()[1:]]
        sizes = [own[0][1] if shape == "one" else 8 * cells] + [size for _, size in own[1:]]
        given = [(address, size) for (address, _), size in zip(own, sizes)]

        def fresh():
            return [ctypes.create_string_buffer(size) for size in sizes]

        def copy():
            for room, (address, size) in zip(fresh(), given):
                ctypes.memmove(room, address, size)

        def read():
            rooms = fresh()
            plain_buffers(uri, READ, field, cells, [(ctypes.addressof(room), len(room)) for room in rooms])

        works = (("memcpy into fresh memory", copy), ("write from Arrow", lambda: write(uri, table)),
                 ("write from buffers", lambda: plain_buffers(uri, WRITE, field, cells, given)),
                 ("read to Arrow", lambda: stream(uri, fields=[field], cells=cells).read_all()),
                 ("read into fresh buffers", read))
        for what, work in works:
            times = []
            for _ in range(7):
                start = time.process_time()
                work()
                times.append(time.process_time() - start)
            print(f"{name}, {what}: {min(times) * 1000:.1f} ms CPU")


assert LIB.tiledb_ctx_alloc(None, ctypes.byref(ctx)) == 0
with tempfile.TemporaryDirectory() as folder:
    uri, cases = every_datatype(folder)
    copies(folder, uri, cases)
    other_programs(folder, uri, cases)
    errors(uri)
    if "measure" in sys.argv:
        measure(folder)
