"""How arrays, schemas and results show themselves in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any, Iterable, List, Sequence

# Rows that a result shows.
_ROWS = 20


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """An HTML table."""
    lines = ["<table><thead><tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr></thead><tbody>"]
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{escape(_short(cell))}</td>" for cell in row) + "</tr>")
    return "".join(lines) + "</tbody></table>"


def _short(value: Any) -> str:
    if value is None:
        return ""
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def schema_html(schema: Any) -> str:
    """The fields of a schema."""
    rows: List[Sequence[Any]] = []
    for one in schema.dimensions:
        rows.append(
            (
                "dimension",
                one.name,
                one.dtype.name,
                "" if one.domain is None else f"{one.domain[0]} to {one.domain[1]}",
                "" if one.tile is None else one.tile,
                ", ".join(map(str, one.filters)),
            )
        )
    for one in schema.attributes:
        kind = one.dtype.name + (" (variable)" if one.var else f" x {one.values}" if one.values > 1 else "") + (", nullable" if one.nullable else "")
        rows.append(("attribute", one.name, kind, one.enumeration or "", "", ", ".join(map(str, one.filters))))
    kind = "sparse" if schema.sparse else "dense"
    return f"<p>{kind} array</p>" + table(("", "name", "datatype", "domain or enumeration", "tile", "filters"), rows)


def array_html(array: Any) -> str:
    """The URI, schema and fragments of an array."""
    if not array.is_open:
        return f"<p>{escape(repr(array))}</p>"
    fragments = array.fragments()
    size = sum(one.bytes for one in fragments)
    return f"<p><b>{escape(array.uri)}</b>: {len(fragments)} fragments, {size} bytes</p>" + schema_html(array.schema)


def result_html(result: Any) -> str:
    """The first rows of a result."""
    rows: List[Sequence[Any]] = []
    for row in result._replace_batch_bytes(1 << 20):
        if len(rows) == _ROWS:
            rows.append(["..." for _ in result.fields])
            break
        rows.append(list(row.values()))
    return table(result.fields, rows)


def advice_html(advice: Any) -> str:
    """The recommendations of an advice."""
    rows = [(one.property, one.field, one.current, one.recommended, one.current_bytes, one.recommended_bytes, one.reason) for one in advice.recommendations]
    return table(("property", "field", "current", "recommended", "bytes", "recommended bytes", "reason"), rows)
