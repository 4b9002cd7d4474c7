"""The C interface of the library through ctypes, as far as the benchmark of recommended schemas needs it."""

import ctypes
import time

import numpy

OBJECTIVES = ("small", "balanced", "fast")
READ, WRITE, MODIFY = 0, 1, 2
DENSE, SPARSE = 0, 1
LAYOUTS = {"row-major": 0, "col-major": 1, "hilbert": 4}
ROW_MAJOR, UNORDERED = 0, 3
LEVEL, BZIP2_LEVEL = 0, 0
FILTERS = {"GZIP": 1, "ZSTD": 2, "LZ4": 3, "RLE": 4, "BZIP2": 5, "DOUBLE_DELTA": 6, "BIT_WIDTH_REDUCTION": 7, "BITSHUFFLE": 8,
           "BYTESHUFFLE": 9, "POSITIVE_DELTA": 10, "DICTIONARY_ENCODING": 14, "XOR": 16, "DELTA": 19}
# TileDB's number of each datatype, by that of numpy.
DATATYPES = {"int32": 0, "int64": 1, "float32": 2, "float64": 3, "int8": 5, "uint8": 6, "int16": 7, "uint16": 8, "uint32": 9,
             "uint64": 10}
NUMPY = {number: name for name, number in DATATYPES.items()}
ASCII, UTF8 = 11, 12
VAR = 2**32 - 1
LT, LE, GT, GE, EQ, NE = range(6)


class Engine:
    """A library, and a context whose operations use one thread."""

    def __init__(self, path, config=()):
        self.lib = ctypes.CDLL(path)
        self.config = dict({"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1"}, **dict(config))
        self.ctx = self.context()

    def context(self):
        error, config, ctx = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.lib.tiledb_config_alloc(ctypes.byref(config), ctypes.byref(error))
        for name, value in self.config.items():
            self.lib.tiledb_config_set(config, name.encode(), value.encode(), ctypes.byref(error))
        if self.lib.tiledb_ctx_alloc(config, ctypes.byref(ctx)) != 0:
            raise RuntimeError("no context")
        self.lib.tiledb_config_free(ctypes.byref(config))
        return ctx

    def new_context(self):
        """Replaces the context: nothing is cached."""
        self.lib.tiledb_ctx_free(ctypes.byref(self.ctx))
        self.ctx = self.context()

    def call(self, name, *arguments):
        """Calls a function of the context."""
        code = getattr(self.lib, "tiledb_" + name)(self.ctx, *arguments)
        if code != 0:
            error, text = ctypes.c_void_p(), ctypes.c_char_p()
            self.lib.tiledb_ctx_get_last_error(self.ctx, ctypes.byref(error))
            self.lib.tiledb_error_message(error, ctypes.byref(text))
            raise RuntimeError((text.value or b"unknown error").decode(errors="replace"))

    def new(self, name, *arguments):
        """Calls a function whose last argument receives a handle."""
        handle = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(handle))
        return handle

    def free(self, kind, handle):
        getattr(self.lib, f"tiledb_{kind}_free")(ctypes.byref(handle))

    # Schemas

    def filters(self, pipeline):
        """A filter list of pairs of names and levels."""
        handle = self.new("filter_list_alloc")
        for name, level in pipeline:
            one = self.new("filter_alloc", FILTERS[name])
            if level is not None:
                self.call("filter_set_option", one, LEVEL, ctypes.byref(ctypes.c_int32(level)))
            self.call("filter_list_add_filter", handle, one)
            self.free("filter", one)
        return handle

    def set_filters(self, function, owner, pipeline):
        handle = self.filters(pipeline)
        self.call(function, owner, handle)
        self.free("filter_list", handle)

    def schema(self, spec):
        """A schema of a dictionary, see schemas.py."""
        schema = self.new("array_schema_alloc", DENSE if spec["dense"] else SPARSE)
        domain = self.new("domain_alloc")
        for one in spec["dimensions"]:
            if one["type"] == "text":
                dimension = self.new("dimension_alloc", one["name"].encode(), ASCII, None, None)
            else:
                bounds = numpy.array(one["domain"], one["type"])
                extent = numpy.array([one["extent"]], one["type"])
                dimension = self.new("dimension_alloc", one["name"].encode(), DATATYPES[one["type"]],
                                     ctypes.c_void_p(bounds.ctypes.data), ctypes.c_void_p(extent.ctypes.data))
            self.set_filters("dimension_set_filter_list", dimension, one["filters"])
            self.call("domain_add_dimension", domain, dimension)
            self.free("dimension", dimension)
        self.call("array_schema_set_domain", schema, domain)
        self.free("domain", domain)
        for one in spec["attributes"]:
            datatype = UTF8 if one["type"] == "text" else DATATYPES[one["type"]]
            attribute = self.new("attribute_alloc", one["name"].encode(), datatype)
            if one["type"] == "text":
                self.call("attribute_set_cell_val_num", attribute, ctypes.c_uint32(VAR))
            if one.get("nullable"):
                self.call("attribute_set_nullable", attribute, ctypes.c_uint8(1))
            if "values" in one:
                ends, data = packed(one["values"])
                values = self.new("enumeration_alloc", one["name"].encode(), UTF8, ctypes.c_uint32(VAR), 0, data.ctypes.data_as(ctypes.c_void_p),
                                  ctypes.c_uint64(data.nbytes), ends.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(ends.nbytes))
                self.call("array_schema_add_enumeration", schema, values)
                self.call("attribute_set_enumeration_name", attribute, one["name"].encode())
                self.free("enumeration", values)
            self.set_filters("attribute_set_filter_list", attribute, one["filters"])
            self.call("array_schema_add_attribute", schema, attribute)
            self.free("attribute", attribute)
        self.set_filters("array_schema_set_offsets_filter_list", schema, spec["offsets"])
        self.set_filters("array_schema_set_validity_filter_list", schema, spec["validity"])
        self.call("array_schema_set_cell_order", schema, LAYOUTS[spec["cell_order"]])
        self.call("array_schema_set_tile_order", schema, LAYOUTS[spec["tile_order"]])
        if not spec["dense"]:
            self.call("array_schema_set_capacity", schema, ctypes.c_uint64(spec["capacity"]))
            self.call("array_schema_set_allows_dups", schema, int(spec["duplicates"]))
        return schema

    def create(self, uri, schema):
        self.call("array_create", uri.encode(), schema)
        self.free("array_schema", schema)

    def advise(self, uri, objective, properties):
        """The recommended schema of an array."""
        config, error = ctypes.c_void_p(), ctypes.c_void_p()
        self.lib.tiledb_config_alloc(ctypes.byref(config), ctypes.byref(error))
        self.lib.tiledb_config_set(config, b"sm.advise.properties", properties.encode(), ctypes.byref(error))
        number = {"small": 0, "balanced": 1, "fast": 2}[objective]
        schema = self.new("rs_schema_advise", uri.encode(), config, number, None, None)
        self.lib.tiledb_config_free(ctypes.byref(config))
        return schema

    # Arrays

    def open(self, uri, mode):
        array = self.new("array_alloc", uri.encode())
        self.call("array_open", array, mode)
        return array

    def close(self, array):
        self.call("array_close", array)
        self.free("array", array)

    def enumeration(self, array, name):
        """The values of the enumeration of an attribute; None if it has none."""
        schema = self.new("array_get_schema", array)
        attribute = self.new("array_schema_get_attribute_from_name", schema, name.encode())
        text = ctypes.c_void_p()
        self.call("attribute_get_enumeration_name", attribute, ctypes.byref(text))
        self.free("attribute", attribute)
        self.free("array_schema", schema)
        if not text:
            return None
        self.lib.tiledb_string_free(ctypes.byref(text))
        handle = self.new("array_get_enumeration", array, name.encode())
        parts = []
        for part in ("data", "offsets"):
            start, size = ctypes.c_void_p(), ctypes.c_uint64()
            self.call("enumeration_get_" + part, handle, ctypes.byref(start), ctypes.byref(size))
            parts.append(ctypes.string_at(start, size.value) if size.value else b"")
        self.free("enumeration", handle)
        starts = numpy.frombuffer(parts[1], "uint64").tolist() + [len(parts[0])]
        return [parts[0][low:high] for low, high in zip(starts, starts[1:])]

    def extend(self, uri, name, values):
        """Adds values to an enumeration that lacks them."""
        array = self.open(uri, READ)
        old = self.new("array_get_enumeration", array, name.encode())
        starts, data = packed(values)
        new = self.new("enumeration_extend", old, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(data.nbytes),
                       starts.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(starts.nbytes))
        self.close(array)
        change = self.new("array_schema_evolution_alloc")
        self.call("array_schema_evolution_extend_enumeration", change, new)
        self.call("array_evolve", uri.encode(), change)
        self.free("array_schema_evolution", change)
        for handle in (old, new):
            self.free("enumeration", handle)

    def is_dense(self, array):
        schema = self.new("array_get_schema", array)
        kind = ctypes.c_int()
        self.call("array_schema_get_array_type", schema, ctypes.byref(kind))
        self.free("array_schema", schema)
        return kind.value == DENSE

    def datatype(self, array, name):
        schema = self.new("array_get_schema", array)
        attribute = self.new("array_schema_get_attribute_from_name", schema, name.encode())
        number = ctypes.c_int()
        self.call("attribute_get_type", attribute, ctypes.byref(number))
        self.free("attribute", attribute)
        self.free("array_schema", schema)
        return NUMPY.get(number.value)

    def describe(self, uri):
        """The properties of an array as a line of text."""
        array = self.open(uri, READ)
        schema = self.new("array_get_schema", array)
        order, capacity = ctypes.c_int(), ctypes.c_uint64()
        self.call("array_schema_get_cell_order", schema, ctypes.byref(order))
        self.call("array_schema_get_capacity", schema, ctypes.byref(capacity))
        names = {number: name for name, number in LAYOUTS.items()}
        text = "dense" if self.is_dense(array) else f"sparse {capacity.value} {names[order.value]}"
        self.free("array_schema", schema)
        self.close(array)
        return text

    def submit(self, array, mode, layout, columns, box=(), condition=None):
        """Submits a query. `columns`: name to (values, starts, validity); returns the bytes of each after a read.

        `box`: a pair of numbers, with their type, per dimension; None for all of it."""
        query = self.new("query_alloc", array, mode)
        self.call("query_set_layout", query, layout)
        subarray = self.new("subarray_alloc", array)
        for number, side in enumerate(box):
            if side is not None:
                bounds = numpy.array(side[:2], side[2])
                low, high = (ctypes.c_void_p(bounds.ctypes.data + index * bounds.itemsize) for index in range(2))
                self.call("subarray_add_range", subarray, ctypes.c_uint32(number), low, high, None)
        if box:
            self.call("query_set_subarray_t", query, subarray)
        sizes = {}
        for name, (values, starts, validity) in columns.items():
            sizes[name] = [ctypes.c_uint64(part.nbytes if part is not None else 0) for part in (values, starts, validity)]
            key = name.encode()
            self.call("query_set_data_buffer", query, key, pointer(values), ctypes.byref(sizes[name][0]))
            if starts is not None:
                self.call("query_set_offsets_buffer", query, key, pointer(starts), ctypes.byref(sizes[name][1]))
            if validity is not None:
                self.call("query_set_validity_buffer", query, key, pointer(validity), ctypes.byref(sizes[name][2]))
        if condition is not None:
            name, operator, value = condition
            handle = self.new("query_condition_alloc")
            self.call("query_condition_init", handle, name.encode(), value, ctypes.c_uint64(len(value)), operator)
            self.call("query_set_condition", query, handle)
            self.free("query_condition", handle)
        self.call("query_submit", query)
        status = ctypes.c_int()
        self.call("query_get_status", query, ctypes.byref(status))
        if status.value != 1:
            raise RuntimeError(f"the query ends with status {status.value}")
        self.free("subarray", subarray)
        self.free("query", query)
        return {name: parts[0].value for name, parts in sizes.items()}


def pointer(values):
    return ctypes.c_void_p(values.ctypes.data)


def packed(values):
    """Byte strings as starts and bytes."""
    lengths = numpy.fromiter((len(value) for value in values), "uint64", len(values))
    starts = numpy.zeros(len(values), "uint64")
    starts[1:] = numpy.cumsum(lengths)[:-1]
    return starts, numpy.frombuffer(b"".join(values), "uint8").copy()


def processor_time(work):
    """Seconds of processor time of all threads, and the result."""
    begun = time.process_time_ns()
    result = work()
    return (time.process_time_ns() - begun) / 1e9, result
