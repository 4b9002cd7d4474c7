"""Groups: named members, which are arrays and groups, and metadata."""

from __future__ import annotations

import dataclasses
import os
from ctypes import byref, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple

from .._native.context import ConfigValue, Context, Handle, choose_context, make_config, text, uri_of
from .._native.errors import TileDBError
from .._model.metadata import Metadata
from .query import READ, WRITE

TYPES = {0: "invalid", 1: "group", 2: "array"}


@dataclasses.dataclass(frozen=True)
class Member:
    """A member of a group: URI, type (array or group), name, and whether its URI is relative to the group.

    Examples:
        >>> group = Group.create("experiment")
        >>> group.add(array, "readings")
        >>> group.members[0].type
        'array'
    """

    __module__ = "tiledb_rs"

    uri: str
    type: str
    name: Optional[str]
    relative: Optional[bool] = None


def _is_relative(uri: str) -> bool:
    return "://" not in uri and not uri.startswith("/") and uri[1:2] != ":"


class Group:
    """A group. Each change opens it for writing, and is committed at once.

    ``group[name]`` opens a member, ``for member in group`` iterates over the members.

    Examples:
        >>> group = Group.create("experiment")
        >>> group.add(array, "readings")
        >>> group["readings"].count()
        3
    """

    __module__ = "tiledb_rs"

    def __init__(self, uri: Any, *, at: Any = None, config: Optional[Mapping[str, ConfigValue]] = None, context: Optional[Context] = None):
        from .array import window_of

        self._uri = uri_of(uri)
        self._at = at
        self._window = window_of(at)
        self._ctx = choose_context(context, config)
        self._open(READ)

    @classmethod
    def create(cls, uri: Any, *, config: Optional[Mapping[str, ConfigValue]] = None, context: Optional[Context] = None) -> Group:
        """Creates a group, and returns it.

        Args:
            uri: The path or URI.
            config: Parameters of the library by name, for which a context is made.
            context: The context to use; :func:`default_context` if neither it nor ``config`` is given.

        Returns:
            The group.

        Examples:
            >>> len(Group.create("experiment"))
            0
        """
        ctx, name = choose_context(context, config), uri_of(uri)
        ctx.call("group_create", text(name, "a URI"), about=name)
        return cls(name, context=ctx)

    def _open(self, mode: int) -> Handle:
        handle = self._ctx.make("group", "group_alloc", text(self._uri), about=self._uri)
        window = {name: moment for name, moment in zip(("start", "end"), self._window) if moment is not None}
        if window:
            parameters = {f"sm.group.timestamp_{name}": moment for name, moment in window.items()}
            self._ctx.call("group_set_config", handle, make_config({**self._ctx.config, **parameters}), about=self._uri)
        self._ctx.open("group_open", handle, mode, self._uri)
        return handle

    @property
    def uri(self) -> str:
        """The URI."""
        return self._uri

    @property
    def metadata(self) -> Metadata:
        """The metadata, a mutable mapping."""
        return Metadata(self._ctx, "group", self._open, lambda: None)

    @property
    def members(self) -> Tuple[Member, ...]:
        """The members."""
        handle, found = self._open(READ), []
        for at in range(self._ctx.ask(c_uint64, "group_get_member_count", handle)):
            uri, kind, name = c_void_p(), c_uint32(), c_void_p()
            self._ctx.call("group_get_member_by_index_v2", handle, at, byref(uri), byref(kind), byref(name))
            label = self._ctx.string(Handle(name.value, "string")) if name.value else None
            relative = None
            if label:
                relative = bool(self._ctx.ask(c_uint8, "group_get_is_relative_uri_by_name", handle, text(label)))
            found.append(Member(self._ctx.string(Handle(uri.value, "string")), TYPES.get(kind.value, "invalid"), label or None, relative))
        return tuple(found)

    def add(self, member: Any, name: Optional[str] = None, *, relative: Optional[bool] = None) -> None:
        """Adds a member: a URI, an array or a group.

        A URI without a scheme that is no absolute path is relative to the group: ``"flights"`` is the array ``flights`` in its folder.
        Of an array or a group, the path by which it was opened is relative to the working directory, and its absolute path is stored.

        Args:
            member: A URI, an array or a group.
            name: The name in the group.
            relative: Whether the URI is relative to the group; by default if it is neither absolute nor has a scheme.

        Examples:
            >>> group = Group.create("experiment")
            >>> group.add(array, "readings")
            >>> "readings" in group
            True
        """
        handle = self._open(WRITE)
        self._add(handle, member, name, relative)
        self._commit(handle)

    def add_all(self, members: Mapping[str, Any], *, relative: Optional[bool] = None) -> None:
        """Adds members by their names at once, which takes one write for all of them; the members are those of :meth:`add`.

        Readers see either all of them or none.

        Args:
            members: The members by their names.
            relative: As in :meth:`add`.

        Examples:
            >>> group = Group.create("experiment")
            >>> group.add_all({"a": array, "b": array})
            >>> len(group)
            2
        """
        if not isinstance(members, Mapping):
            raise TypeError(f"members must be a dict from names to URIs, arrays or groups, not {type(members).__name__}")
        if not members:
            return
        handle = self._open(WRITE)
        for name, member in members.items():
            self._add(handle, member, name, relative)
        self._commit(handle)

    def _add(self, handle: Handle, member: Any, name: Optional[str], relative: Optional[bool]) -> None:
        uri = uri_of(member)
        if relative is None and not isinstance(member, (str, os.PathLike)) and _is_relative(uri):
            # The path by which an object was opened is relative to the working directory, not to the group.
            uri = os.path.abspath(uri)
        if relative is None:
            relative = _is_relative(uri)
        label = None if name is None else text(name)
        self._ctx.call("group_add_member", handle, text(uri), int(bool(relative)), label, about=uri)

    def remove(self, name: str) -> None:
        """Removes a member by its name or URI; the object itself remains.

        Args:
            name: The name or the URI of the member.

        Examples:
            >>> group = Group.create("experiment")
            >>> group.add(array, "readings")
            >>> group.remove("readings")
            >>> len(group)
            0
        """
        handle = self._open(WRITE)
        self._ctx.call("group_remove_member", handle, text(name), about=name)
        self._commit(handle)

    def delete(self, *, recursive: bool = False) -> None:
        """Deletes the group, and with ``recursive`` its members.

        Args:
            recursive: Whether the members are deleted, too.

        Examples:
            >>> Group.create("experiment").delete()
            >>> tiledb_rs.exists("experiment")
            False
        """
        if self._window != (None, None):
            raise ValueError("a group that was opened at an earlier time cannot be deleted")
        handle = self._ctx.make("group", "group_alloc", text(self._uri), about=self._uri)
        self._ctx.open("group_open", handle, 4, self._uri)
        self._ctx.call("group_delete_group", handle, text(self._uri), int(bool(recursive)), about=self._uri)

    def _commit(self, handle: Handle) -> None:
        self._ctx.call("group_close", handle, about=self._uri)
        handle.free()

    def __getitem__(self, name: str) -> Any:
        """Opens the member with a name."""
        from .array import Array

        handle, uri, kind = self._open(READ), c_void_p(), c_uint32()
        known = {member.name for member in self.members}
        if name not in known:
            raise KeyError(name)
        self._ctx.call("group_get_member_by_name_v2", handle, text(name), byref(uri), byref(kind), about=name)
        found = self._ctx.string(Handle(uri.value, "string"))
        kinds: Dict[int, Any] = {1: Group, 2: Array}
        if kind.value not in kinds:
            raise TileDBError(f"member {name!r} of the group is neither an array nor a group: there is nothing at {found}", self._uri)
        return kinds[kind.value](found, at=self._at, context=self._ctx)

    def __contains__(self, name: object) -> bool:
        return any(name in (member.name, member.uri) for member in self.members)

    def __len__(self) -> int:
        return self._ctx.ask(c_uint64, "group_get_member_count", self._open(READ))

    def __iter__(self) -> Iterator[Member]:
        return iter(self.members)

    def __reduce__(self) -> Any:
        raise TypeError("a Group cannot be pickled: open it by its URI")

    def __repr__(self) -> str:
        return f"<tiledb_rs.Group: {self._uri}>"
