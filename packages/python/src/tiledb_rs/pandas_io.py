"""Record batches as a pandas.DataFrame, without pyarrow."""

from __future__ import annotations

from typing import Any, Dict, List

from . import decode, numpy_io
from .arrow_struct import Batch, Node, Stream
from .errors import require

# The resolutions that pandas has.
_RESOLUTIONS = ("s", "ms", "us", "ns")


def frame(stream: Stream) -> Any:
    """A frame: nullable dtypes for integers and booleans with nulls, categories for enumerations, objects for texts."""
    pandas = require("pandas", "to_pandas()")
    nodes = stream.node().children
    batches = list(stream)
    plain = [at for at, node in enumerate(nodes) if node.dictionary is None]
    found: Dict[int, Any] = {}
    for at, values in enumerate(numpy_io.columns(nodes, batches)):
        if at in plain:
            found[at] = _series(values, pandas, nodes[at].name)
    for at, node in enumerate(nodes):
        if at not in found:
            found[at] = _categories(node, at, batches, pandas)
    return pandas.DataFrame({node.name: found[at] for at, node in enumerate(nodes)}, copy=False)


def _series(values: Any, pandas: Any, name: str) -> Any:
    numpy = require("numpy", "to_pandas()")
    mask = numpy.ma.getmaskarray(values) if isinstance(values, numpy.ma.MaskedArray) else None
    data = numpy.asarray(values.data) if mask is not None else values
    if data.ndim > 1 or data.dtype.kind in "SV":
        cells = list(data) if data.ndim > 1 else _strings(data)
        if mask is not None:
            hidden = mask.all(axis=1) if mask.ndim > 1 else mask
            cells = [None if gone else cell for cell, gone in zip(cells, hidden)]
        return pandas.Series(numpy_io.as_objects(cells), dtype=object)
    if data.dtype.kind in "mM":
        if mask is not None:
            data = data.copy()
            data[mask] = numpy.array("NaT", data.dtype)
        unit = numpy.datetime_data(data.dtype)[0]
        if unit not in _RESOLUTIONS:
            exact, wanted = data, f"{data.dtype.kind}8[{'s' if unit in 'YMWDhm' else 'ns'}]"
            try:
                data = exact.astype(wanted)
                changed = exact[(data.astype(exact.dtype) != exact) & ~numpy.isnat(exact)]
            except OverflowError:
                # Before 2.5 NumPy wraps around.
                changed = exact[numpy.argsort(numpy.abs(exact.view("i8")))[-1:]]
            if len(changed):
                raise ValueError(f"field {name!r} has {changed[0]}, which pandas cannot express: use to_numpy()")
        return pandas.Series(data)
    if data.dtype == object:
        return pandas.Series(data, dtype=object)
    if mask is None:
        return pandas.Series(data, copy=False)
    if data.dtype.kind == "f":
        return pandas.Series(values.filled(numpy.nan))
    kind = pandas.arrays.BooleanArray if data.dtype.kind == "b" else pandas.arrays.IntegerArray
    return pandas.Series(kind(data, mask.copy()), copy=False)


def _strings(data: Any) -> List[bytes]:
    """Strings of fixed length with their trailing zeros, which NumPy drops."""
    width, content = data.dtype.itemsize, data.tobytes()
    return [content[at : at + width] for at in range(0, len(content), width)]


def _categories(node: Node, at: int, batches: List[Batch], pandas: Any) -> Any:
    """The codes of an enumeration, which need not be decoded: -1 for nulls."""
    numpy = require("numpy", "to_pandas()")
    known: Any = []
    codes = []
    assert node.dictionary is not None
    for batch in batches:
        array = decode.children(batch)[at]
        known = numpy_io.column(node.dictionary, array.dictionary.contents, batch)
        codes.append(numpy_io.codes(node, array, batch))
    content = numpy.concatenate(codes) if codes else numpy.empty(0, "i8")
    return pandas.Series(pandas.Categorical.from_codes(content, categories=list(known), ordered=node.ordered))
