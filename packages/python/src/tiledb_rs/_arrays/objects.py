"""Objects in storage: arrays and groups in folders."""

from __future__ import annotations

import json
from ctypes import CFUNCTYPE, byref, c_char_p, c_int32, c_uint32, c_void_p
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from .._native.callbacks import Guard, Progress, progress_callback
from .._native.context import ConfigValue, Context, Handle, choose_context, text, uri_of
from .group import TYPES

ObjectCallback = CFUNCTYPE(c_int32, c_char_p, c_uint32, c_void_p)
Config = Optional[Mapping[str, ConfigValue]]


def object_type(uri: Any, *, config: Config = None, context: Optional[Context] = None) -> Optional[str]:
    """``array``, ``group``, or None for anything else.

    Args:
        uri: The path or URI.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        The type, or None.

    Examples:
        >>> object_type("readings"), object_type(".")
        ('array', None)
    """
    ctx, name = choose_context(context, config), uri_of(uri)
    found = TYPES.get(ctx.ask(c_uint32, "object_type", text(name, "a URI")), "invalid")
    return None if found == "invalid" else found


def exists(uri: Any, *, config: Config = None, context: Optional[Context] = None) -> bool:
    """Whether there is an array or a group.

    Args:
        uri: The path or URI.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        True if there is.

    Examples:
        >>> exists("readings"), exists("nothing")
        (True, False)
    """
    return object_type(uri, config=config, context=context) is not None


def remove(uri: Any, *, config: Config = None, context: Optional[Context] = None) -> None:
    """Removes an array or a group with all its files.

    Args:
        uri: The path or URI.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Examples:
        >>> remove("readings")
        >>> exists("readings")
        False
    """
    ctx, name = choose_context(context, config), uri_of(uri)
    ctx.call("object_remove", text(name, "a URI"), about=name)


def move(source: Any, target: Any, *, config: Config = None, context: Optional[Context] = None) -> None:
    """Moves or renames an array or a group.

    Args:
        source: The array, the group, or its URI.
        target: The new URI, at which there must be nothing.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Examples:
        >>> move("readings", "moved")
        >>> exists("moved")
        True
    """
    ctx, old, new = choose_context(context, config), uri_of(source), uri_of(target)
    ctx.call("object_move", text(old, "a URI"), text(new, "a URI"), about=f"{old} to {new}")


class CopySummary(NamedTuple):
    """What :func:`copy` copied.

    Examples:
        >>> tiledb_rs.copy(array, "backup").arrays
        1
    """

    arrays: int
    groups: int
    #: Files that were copied, or would be, and their size.
    files: int
    bytes: int
    #: Files that the target had already.
    already_there: int
    #: Files of the target that had other contents.
    differing: int
    #: Whether the copy has all that was committed at one moment; a later write may be there without an earlier one otherwise.
    is_snapshot: bool
    #: Folders, below the source, of groups whose members lead into the copy.
    rewritten_groups: Tuple[str, ...]
    #: Members of groups that lie elsewhere and are not copied.
    members_elsewhere: Tuple[str, ...]
    #: Incomplete uploads of a killed copy that were aborted; None if the store does not list them.
    aborted_uploads: Optional[int]


# A named tuple has no other place to say so.
CopySummary.__module__ = "tiledb_rs"


def copy(
    source: Any,
    target: Any,
    *,
    resume: bool = False,
    check: bool = False,
    dry_run: bool = False,
    progress: Progress = None,
    config: Config = None,
    context: Optional[Context] = None,
) -> CopySummary:
    """Copies an array, or a group with all that its folder contains, to any store, while it may be written to.

    With ``resume`` the target may be an earlier copy, which is completed: what was interrupted, and what was written since. ``check``
    compares the contents of the files that are there, and copies those that differ; ``dry_run`` changes nothing. ``progress`` is called
    with the bytes done and to do, and stops the copy by returning False.

    Args:
        source: The array, the group, or its URI.
        target: The URI of the copy.
        resume: Whether the target may be an earlier copy.
        check: Whether the contents of files that are there are compared.
        dry_run: Whether nothing is changed.
        progress: Called with the bytes done and to do; returning False stops the copy.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        What was copied.

    Examples:
        >>> tiledb_rs.copy(array, "backup").files > 0
        True
    """
    ctx, old, new = choose_context(context, config), uri_of(source), uri_of(target)
    if not exists(old, context=ctx):
        raise FileNotFoundError(f"there is no array or group at {old}")
    if not resume and exists(new, context=ctx):
        raise FileExistsError(f"there is an array or a group at {new}: pass resume=True if it is an earlier copy")
    out, about = c_void_p(), f"{old} to {new}"
    with Guard(ctx) as guard:
        watched = progress_callback(guard, progress)
        arguments = text(old, "a URI"), text(new, "a URI"), int(check), int(dry_run), watched, None, byref(out)
        guard.call("rs_object_copy", *arguments, about=about)
    summary: Dict[str, Any] = json.loads(ctx.string(Handle(out.value, "string")))
    summary.update((name, tuple(one)) for name, one in summary.items() if isinstance(one, list))
    return CopySummary(**summary)


def ls(uri: Any, *, recursive: bool = False, config: Config = None, context: Optional[Context] = None) -> List[Tuple[str, str]]:
    """The arrays and groups in a folder or group: (URI, type) pairs.

    Args:
        uri: The path or URI.
        recursive: Whether the contents of groups are listed, too.
        config: Parameters of the library by name, for which a context is made.
        context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

    Returns:
        Pairs of URI and type, ``array`` or ``group``.

    Examples:
        >>> [kind for _, kind in ls(".")]
        ['array']
    """
    ctx, name = choose_context(context, config), uri_of(uri)
    found: List[Tuple[str, str]] = []

    def add(child: bytes, kind: int, _: Any) -> None:
        found.append((child.decode("utf-8", "surrogateescape"), TYPES.get(kind, "invalid")))

    with Guard(ctx) as guard:
        callback = guard.callback(ObjectCallback, add)
        if recursive:
            guard.call("object_walk", text(name, "a URI"), 0, callback, None, about=name)
        else:
            guard.call("object_ls", text(name, "a URI"), callback, None, about=name)
    return found


__all__ = ["CopySummary", "copy", "exists", "ls", "move", "object_type", "remove"]
