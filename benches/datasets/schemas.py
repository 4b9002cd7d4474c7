"""Schemas of data sets: the default one, and random ones that are legal and sensible.

A schema is a dictionary: dense, dimensions, attributes (each with name, type, filters; dimensions with domain and extent, enumerated
attributes with values), offsets, validity (filters), cell_order, tile_order, capacity, duplicates."""

import itertools

import numpy

from data import is_text

ZSTD = [("ZSTD", None)]
CODECS = [[("LZ4", None)], [("ZSTD", 1)], [("ZSTD", 3)], [("ZSTD", 9)], [("GZIP", 6)], [("BZIP2", 9)]]
CODEC_WEIGHTS = [5, 3, 5, 4, 2, 1]
INTEGERS = [[], [], ["BYTESHUFFLE"], ["BITSHUFFLE"], ["DELTA"], ["DELTA", "BYTESHUFFLE"], ["DELTA", "BITSHUFFLE"], ["DOUBLE_DELTA"],
            ["BIT_WIDTH_REDUCTION"], ["RLE"]]
BYTES = [[], [], ["BITSHUFFLE"], ["DELTA"], ["RLE"]]
FLOATS = [[], [], ["BYTESHUFFLE"], ["BITSHUFFLE"], ["XOR"], ["XOR", "BYTESHUFFLE"], ["XOR", "BITSHUFFLE"], ["RLE"]]
TEXTS = [[], [], ["RLE"], ["DICTIONARY_ENCODING"]]
OFFSETS = [[], ["DOUBLE_DELTA"], ["DELTA"], ["DELTA", "BYTESHUFFLE"], ["BYTESHUFFLE"], ["POSITIVE_DELTA", "BIT_WIDTH_REDUCTION"]]
CAPACITIES = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000]
# A dense array instead of a sparse one is sensible if cells fill at least this share of the box around them.
DENSE_SHARE = 0.2
# Values of an enumeration, and cells for each.
VALUES, REPEATED = 65_000, 8


def has_duplicates(dataset):
    if dataset.dense:
        return False
    codes = numpy.zeros(dataset.cells, "int64")
    for values in dataset.dimensions.values():
        _, inverse = numpy.unique(values, return_inverse=True)
        codes = codes * (int(inverse.max()) + 1) + inverse
    return len(numpy.unique(codes)) < dataset.cells


def box(dataset):
    """The lengths of the box around all cells."""
    return [int(values.max()) - int(values.min()) + 1 for values in dataset.dimensions.values()]


def can_be_dense(dataset):
    if dataset.dense:
        return True
    if any(is_text(values) for values in dataset.dimensions.values()) or has_duplicates(dataset):
        return False
    return dataset.cells >= DENSE_SHARE * numpy.prod([float(side) for side in box(dataset)])


def cube(sides, cells):
    """The sides of a cube of about this many cells in a box."""
    extents, left = [1] * len(sides), float(cells)
    for position, index in enumerate(sorted(range(len(sides)), key=lambda index: sides[index])):
        extents[index] = max(1, min(sides[index], round(left ** (1 / (len(sides) - position)))))
        left = max(1.0, left / extents[index])
    return extents


def assembled(dataset, dense, extents, filters, enumerated, **properties):
    dimensions = []
    for (name, values), extent in zip(dataset.dimensions.items(), extents):
        low, high = int(values.min()), int(values.max())
        # The last tile is in the range of the type.
        dimensions.append({"name": name, "type": values.dtype.name, "domain": [low, high], "extent": max(1, min(extent, high - low + 1)),
                           "filters": filters(name, values.dtype.name)})
    attributes = []
    for name, values in dataset.attributes.items():
        attribute = {"name": name, "type": "text" if is_text(values) else values.dtype.name}
        if name in enumerated:
            attribute |= {"type": "uint8" if len(enumerated[name]) <= 250 else "uint16", "values": enumerated[name]}
        attribute["filters"] = filters(name, attribute["type"])
        attributes.append(attribute)
    return {"dense": dense, "dimensions": dimensions, "attributes": attributes, "offsets": filters("", "offsets"),
            "validity": [("RLE", None)], "duplicates": True, **properties}


def default(dataset):
    """All filters ZSTD at its default level, 10,000 cells in a tile of a sparse array, about 64 Ki in one of a dense array."""
    sides = box(dataset)
    if dataset.dense:
        extents = cube(sides, 1 << 16)
    else:
        tiles = max(1.0, dataset.cells / 10_000) ** (1 / len(sides))
        extents = [int(numpy.ceil(side / tiles)) for side in sides]
    filters = lambda _, kind: [("DOUBLE_DELTA", None), *ZSTD] if kind == "offsets" else ZSTD
    return assembled(dataset, dataset.dense, extents, filters, {}, cell_order="row-major", tile_order="row-major", capacity=10_000)


def repeated(dataset):
    """The values of attributes whose texts are repeated."""
    values = {name: sorted(set(texts.tolist())) for name, texts in dataset.attributes.items() if is_text(texts)}
    return {name: all for name, all in values.items() if len(all) <= min(VALUES, dataset.cells / REPEATED)}


class Random:
    """Draws schemas of a data set."""

    def __init__(self, dataset, seed):
        self.dataset, self.random = dataset, numpy.random.default_rng(seed)
        self.repeated, self.may_be_dense = repeated(dataset), can_be_dense(dataset)

    def one_of(self, choices, weights=None):
        share = None if weights is None else numpy.array(weights) / sum(weights)
        return choices[int(self.random.choice(len(choices), p=share))]

    def filters(self, _, kind):
        encodings = {"text": TEXTS, "offsets": OFFSETS, "int8": BYTES, "uint8": BYTES, "float32": FLOATS, "float64": FLOATS}.get(kind, INTEGERS)
        encoding = [(name, None) for name in self.one_of(encodings)]
        codec = [] if self.random.random() < 0.1 else self.one_of(CODECS, CODEC_WEIGHTS)
        return encoding + codec

    def schema(self):
        dataset, random = self.dataset, self.random
        dense = dataset.dense
        if self.may_be_dense and random.random() < 0.25:
            dense = not dense
        sides = box(dataset)
        if dense:
            shape = [2 ** random.uniform(0, numpy.log2(side) if side > 1 else 0) for side in sides]
            scale = (2 ** random.uniform(10, 20) / numpy.prod(shape)) ** (1 / len(sides))
            extents = [max(1, min(side, round(one * scale))) for one, side in zip(shape, sides)]
        else:
            extents = [max(1, int(side / 2 ** random.uniform(0, 8))) for side in sides]
        enumerated = {name: values for name, values in self.repeated.items() if random.random() < 0.5}
        orders = ["row-major", "col-major"] + ([] if dense or len(sides) < 2 else ["hilbert"])
        return assembled(dataset, dense, extents, self.filters, enumerated, cell_order=self.one_of(orders),
                         tile_order=self.one_of(["row-major", "col-major"]), capacity=self.one_of(CAPACITIES))


def text(schema):
    """A schema as a line of text."""
    filters = lambda pipeline: "+".join(name.replace("DICTIONARY_ENCODING", "DICTIONARY") + (str(level) if level else "") for name, level in pipeline) or "none"
    fields = [f"{one['name']}{'*' if 'values' in one else ''}:{filters(one['filters'])}"
              for one in itertools.chain(schema["dimensions"], schema["attributes"])]
    extents = "x".join(str(one["extent"]) for one in schema["dimensions"])
    kind = f"dense {extents}" if schema["dense"] else f"sparse {schema['capacity']} {extents}"
    return f"{kind} {schema['cell_order']} {' '.join(fields)} offsets:{filters(schema['offsets'])}"
