"""Deletion of cells by a condition."""

from __future__ import annotations

from typing import Any, Optional

from .._model.condition import condition_of
from .query import DELETE, OpenArray, open_handle


def delete_cells(source: OpenArray, where: Any, at: Optional[int]) -> None:
    """Deletes the cells that meet a condition, as of a timestamp."""
    ctx, condition = source.ctx, condition_of(where, source)
    assert condition is not None
    array = open_handle(ctx, source.uri, DELETE, end=at)
    query = ctx.make("query", "query_alloc", array, DELETE, about=source.uri)
    ctx.call("query_set_condition", query, condition.make(source), about="query condition")
    ctx.call("query_submit", query, about=source.uri)
    query.free()
    array.free()
