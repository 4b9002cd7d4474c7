"""Objects in storage: arrays and groups in folders."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_char_p, c_int32, c_uint32, c_void_p
from typing import Any, List, Mapping, Optional, Tuple

from .callbacks import Guard
from .context import ConfigValue, Context, choose_context, text, uri_of
from .group import TYPES

ObjectCallback = CFUNCTYPE(c_int32, c_char_p, c_uint32, c_void_p)
Config = Optional[Mapping[str, ConfigValue]]


def object_type(uri: Any, *, config: Config = None, context: Optional[Context] = None) -> Optional[str]:
    """``array``, ``group``, or None for anything else."""
    ctx, name = choose_context(context, config), uri_of(uri)
    found = TYPES.get(ctx.ask(c_uint32, "object_type", text(name, "a URI")), "invalid")
    return None if found == "invalid" else found


def exists(uri: Any, *, config: Config = None, context: Optional[Context] = None) -> bool:
    """Whether there is an array or a group."""
    return object_type(uri, config=config, context=context) is not None


def remove(uri: Any, *, config: Config = None, context: Optional[Context] = None) -> None:
    """Removes an array or a group with all its files."""
    ctx, name = choose_context(context, config), uri_of(uri)
    ctx.call("object_remove", text(name, "a URI"), about=name)


def move(source: Any, target: Any, *, config: Config = None, context: Optional[Context] = None) -> None:
    """Moves or renames an array or a group."""
    ctx, old, new = choose_context(context, config), uri_of(source), uri_of(target)
    ctx.call("object_move", text(old, "a URI"), text(new, "a URI"), about=f"{old} to {new}")


def copy(source: Any, target: Any, *, config: Config = None, context: Optional[Context] = None) -> None:
    """Copies the files of an array or a group within a store; ``tiledb-rs copy`` copies between stores, verifies and resumes."""
    ctx, old, new = choose_context(context, config), uri_of(source), uri_of(target)
    if not exists(old, context=ctx):
        raise FileNotFoundError(f"there is no array or group at {old}")
    if exists(new, context=ctx):
        raise FileExistsError(f"there is an array or a group at {new}")
    vfs = ctx.make("vfs", "vfs_alloc", None)
    ctx.call("vfs_copy_dir", vfs, text(old, "a URI"), text(new, "a URI"), about=f"{old} to {new}")


def ls(uri: Any, *, recursive: bool = False, config: Config = None, context: Optional[Context] = None) -> List[Tuple[str, str]]:
    """The arrays and groups in a folder or group: (URI, type) pairs."""
    ctx, name = choose_context(context, config), uri_of(uri)
    found: List[Tuple[str, str]] = []

    def add(child: bytes, kind: int, _: Any) -> None:
        found.append((child.decode("utf-8", "surrogateescape"), TYPES.get(kind, "invalid")))

    with Guard() as guard:
        callback = guard.callback(ObjectCallback, add)
        if recursive:
            guard.call(ctx, "object_walk", text(name, "a URI"), 0, callback, None, about=name)
        else:
            guard.call(ctx, "object_ls", text(name, "a URI"), callback, None, about=name)
    return found


__all__ = ["copy", "exists", "ls", "move", "object_type", "remove"]
