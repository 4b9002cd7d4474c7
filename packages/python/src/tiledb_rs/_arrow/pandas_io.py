"""Record batches as a pandas.DataFrame, with or without pyarrow."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from .._native import capsule
from . import decode, numpy_io
from .._native.arrow_struct import Batch, Node, Stream, move
from .._native.errors import installed, require
from .._model.masked import is_masked

# The resolutions that pandas has.
_RESOLUTIONS = ("s", "ms", "us", "ns")


def frame(stream: Stream) -> Any:
    """A frame: nullable dtypes for integers and booleans with nulls, categories for enumerations, texts in the dtype that pandas has for them.

    pyarrow converts texts if it is installed, with the same result.
    """
    pandas = require("pandas", "to_pandas()")
    nodes = stream.node().children
    texts = [node.name for node in nodes if is_text(node)]
    series: Dict[str, Any] = {}
    if texts and installed("pyarrow") is not None:
        series, stream = _texts(stream, texts)
    others = [node for node in nodes if node.name not in texts or not series]
    batches = list(stream) if others else []
    plain = [at for at, node in enumerate(others) if node.dictionary is None]
    columns = numpy_io.columns([others[at] for at in plain], batches, plain)
    for at, values in zip(plain, columns):
        series[others[at].name] = _series(values, pandas, others[at])
    for at, node in enumerate(others):
        if node.dictionary is not None:
            series[node.name] = _categories(node, at, batches, pandas)
    return pandas.DataFrame({node.name: series[node.name] for node in nodes}, copy=False)


def is_text(node: Node) -> bool:
    """Whether a column has texts in UTF-8, which are no enumeration."""
    datatype = decode.datatype_of(node)
    return node.dictionary is None and node.format in ("U", "u") and datatype is not None and datatype.is_text and datatype.size == 1


def _texts(stream: Stream, names: List[str]) -> Tuple[Dict[str, Any], Stream]:
    """The columns of texts, which the library has found to be UTF-8, and a stream of the others."""
    pyarrow = require("pyarrow", "to_pandas()")
    table = pyarrow.RecordBatchReader._import_from_c_capsule(capsule.export(stream.detach(), capsule.STREAM)).read_all()
    series = {name: table[name].to_pandas() for name in names}
    exported = table.select([name for name in table.schema.names if name not in series]).__arrow_c_stream__()
    return series, Stream(move(capsule.struct_in(exported, capsule.STREAM)), exported)


def _series(values: Any, pandas: Any, node: Node) -> Any:
    numpy, name = require("numpy", "to_pandas()"), node.name
    mask = numpy.ma.getmaskarray(values) if is_masked(values) else None
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
        # Since version 3, pandas has a dtype for texts.
        return pandas.Series(data, dtype="str" if is_text(node) and int(pandas.__version__.partition(".")[0]) >= 3 else object)
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
        codes.append(numpy_io.codes(node, decode.children(batch)[at], batch))
    if batches:
        # All batches of a read have the same.
        known = numpy_io.column(node.dictionary, decode.children(batches[-1])[at].dictionary.contents, batches[-1])
    content = numpy.concatenate(codes) if codes else numpy.empty(0, "i8")
    return pandas.Series(pandas.Categorical.from_codes(content, categories=list(known), ordered=node.ordered))
