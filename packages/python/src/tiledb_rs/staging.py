"""Writes of many tasks as one transaction: every task stages fragments beside the array, and one commit makes all of them visible.

Engines run a task again when its worker is lost, and may run it twice at the same time. Each attempt therefore writes to an array of
its own, which has the schema of the target, and nobody reads it. The driver knows which attempts succeeded, one for each task. It moves
their fragments into the target, where a fragment without a commit file is invisible, and then moves one file to ``__commits`` that
names all of them (a consolidated commit, as ``sm.consolidation.mode=commits`` makes): readers see all rows of a job, once, or none.
That file is prepared in the staging folder before the first fragment moves. An abort removes it first, so that a driver which was
suspended meanwhile cannot commit any more. ``tests/test_staging_model.py`` explores these transitions.

Staged fragments are in the same store as the target: a move is a rename in a file system, and a copy within an object store.
"""

from __future__ import annotations

import contextlib
import json
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_int32
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from ._arrow import columns as arrow_columns
from ._model import moments
from ._arrays.array import Array
from ._native.context import ConfigValue, Context, choose_context, text, uri_of
from ._arrays.creation import from_arrow
from ._native.errors import TileDBError, require
from ._arrays.objects import exists
from ._arrays.vfs import list_files, open_file

# Fragments that are moved at the same time.
_MOVES = 8
# Seconds between attempts to remove a folder in which files appear meanwhile.
_PAUSES = (0.05, 0.2, 0.8)
_NAMES = uuid.UUID("5b3c1f0e-6a53-4c1c-9f6d-3d2a9d1c7e55")


class JobEndedError(TileDBError):
    """An attempt of a task was too late: its job has been committed or aborted."""


class StagedFragments(NamedTuple):
    """What one attempt of a task wrote: the array that holds it, the names of its fragments, and the number of cells."""

    uri: str
    names: Tuple[str, ...]
    cells: int


class WriteJob:
    """A write to one array by any number of tasks. It can be pickled, with the parameters of its configuration.

    The driver begins a job and commits it, or aborts it; tasks call :meth:`write`. ``timestamp`` is that of the fragments, the time of
    the commit if not given. ``staging`` is the folder in which jobs have their folders; by default a job's is beside the array,
    ``<array>.staging-<name>``.
    """

    def __init__(self, uri: Any, *, config: Optional[Mapping[str, ConfigValue]] = None, staging: Any = None, timestamp: Any = None, name: Optional[str] = None):
        self.uri = uri_of(uri).rstrip("/")
        scheme = self.uri.partition("://")[0] if "://" in self.uri else ""
        if scheme in ("mem", "tiledb"):
            raise ValueError(f"tasks cannot write to {self.uri}: {scheme}:// has no folder that other processes can move files to")
        self.config: Dict[str, ConfigValue] = dict(config or {})
        self.timestamp = None if timestamp is None else moments.milliseconds(timestamp, "timestamp")
        self.name = name or uuid.uuid4().hex
        self.folder = f"{self.uri}.staging-{self.name}" if staging is None else f"{uri_of(staging).rstrip('/')}/{self.name}"
        self._is_begun = False

    def __repr__(self) -> str:
        return f"<tiledb_rs.staging.WriteJob {self.name} to {self.uri}>"

    def _context(self, context: Optional[Context]) -> Context:
        return context if context is not None else choose_context(None, self.config or None)

    def begin(self, *, context: Optional[Context] = None) -> WriteJob:
        """Marks the job as running, before it is pickled to tasks, and returns it.

        Attempts that outlive the job, because a second attempt was faster or another task failed, find that it has ended: they remove
        what they wrote and raise :class:`JobEndedError`. Without ``begin`` their folders remain.
        """
        files = _Files(self._context(context))
        files.make_folder(self.folder)
        files.put(self._running(), b"")
        self._is_begun = True
        return self

    def write(self, data: Any, *, region: Any = None, order: Optional[str] = None, batch_bytes: int = 0, context: Optional[Context] = None) -> StagedFragments:
        """Writes the cells of a task, as :meth:`Array.write` does, to be committed later. Every call is an attempt of its own."""
        files = _Files(self._context(context))
        uri = f"{self.folder}/{uuid.uuid4().hex}"
        if not self._has_ended(files):
            try:
                staged = self._stage(files, uri, data, region, order, batch_bytes)
            except Exception:
                if not self._has_ended(files):
                    raise
            else:
                if not self._has_ended(files):
                    return staged
            # Other attempts do the same.
            with contextlib.suppress(TileDBError):
                files.remove_folder(uri)
                if not files.listed(self.folder):
                    files.remove_folder(self.folder)
        raise JobEndedError(f"the job {self.name} has been committed or aborted: the attempt is dropped", self.uri)

    def _running(self) -> str:
        return f"{self.folder}/running"

    def _has_ended(self, files: _Files) -> bool:
        return self._is_begun and not files.is_file(self._running())

    def _stage(self, files: _Files, uri: str, data: Any, region: Any, order: Optional[str], batch_bytes: int) -> StagedFragments:
        files.make_folder(uri)
        # The names of schemas are part of fragments: the copy has the same.
        files.copy_folder(f"{self.uri}/__schema", f"{uri}/__schema")
        for folder in ("__fragments", "__commits", "__meta"):
            files.make_folder(f"{uri}/{folder}")
        cells = Array(uri, context=files.ctx).write(data, region=region, order=order, batch_bytes=batch_bytes)
        names = tuple(sorted(map(_last, files.listed(f"{uri}/__fragments")))) if cells else ()
        if cells and not names:
            raise ValueError(f"{self.uri} has an old format version, whose fragments cannot be staged: upgrade it, see Array.upgrade()")
        if not names:
            files.remove_folder(uri)
        return StagedFragments(uri, names, cells)

    def commit(self, staged: Iterable[Optional[StagedFragments]], *, context: Optional[Context] = None) -> int:
        """Makes what these attempts wrote visible at once, and returns the number of cells. A second commit of a job does nothing.

        ``staged`` has the result of one attempt of each task. All other attempts are dropped. Raises :class:`JobEndedError` if the job is
        aborted meanwhile. Only one process at a time commits a job.
        """
        files = _Files(self._context(context))
        chosen = [one for one in staged if one is not None]
        cells = sum(one.cells for one in chosen)
        fragments = [(one.uri, name) for one in chosen for name in one.names]
        marks = {self._mark(), *(_parts(name)[2] for _, name in fragments)}
        if fragments and not any(_has_mark(name, marks) for name in files.listed(f"{self.uri}/__commits")):
            stamp, is_resumed = self._stamp(files)
            names = [_renamed(name, stamp) for _, name in fragments]
            targets = [f"{self.uri}/__fragments/{name}" for name in names]
            moves = [(f"{uri}/__fragments/{name}", target) for (uri, name), target in zip(fragments, targets)]
            if is_resumed:
                self._check_running(files, files.is_file(self._prepared()))
            else:
                self._check_running(files, files.is_folder(moves[0][0]))
                self._prepare(files, names, stamp)
            try:
                with ThreadPoolExecutor(min(_MOVES, len(moves))) as pool:
                    list(pool.map(lambda move: files.move_folder(move[0], move[1], is_resumed), moves))
                self._publish(files, names, stamp)
            except TileDBError:
                has_all = all(files.is_folder(source) or files.is_folder(target) for source, target in moves)
                self._check_running(files, has_all and files.is_file(self._prepared()))
                raise
        try:
            self._end(files)
        except TileDBError:
            # The rows are visible: an error would make the engine run the job again.
            pass
        return cells

    def abort(self, *, context: Optional[Context] = None) -> None:
        """Removes what the tasks have staged. Fragments in the array are not touched, also if the job was committed."""
        self._end(_Files(self._context(context)))

    def _end(self, files: _Files) -> None:
        """Removes the staging folder, into which attempts that have not noticed may be writing."""
        for file in (self._prepared(), self._running()):
            if files.is_file(file):
                with contextlib.suppress(TileDBError):
                    files.ctx.call("vfs_remove_file", files.vfs, text(file), about=self.folder)
                if files.is_file(file):
                    raise TileDBError(f"cannot remove {file}", self.folder)
        self._clean(files)

    def _clean(self, files: _Files) -> None:
        for pause in _PAUSES:
            try:
                return files.remove_folder(self.folder)
            except TileDBError:
                time.sleep(pause)
        files.remove_folder(self.folder)

    def _mark(self) -> str:
        """The UUID in the name of the commit of this job."""
        return uuid.uuid5(_NAMES, self.name).hex

    def _stamp(self, files: _Files) -> Tuple[int, bool]:
        """The timestamp of the fragments, and whether an earlier attempt to commit was interrupted, which has determined it."""
        uri = self._plan()
        if files.is_file(uri):
            with open_file(uri, context=files.ctx) as file:
                content = file.readall()
            try:
                return int(json.loads(content)["timestamp"]), True
            except ValueError:
                # It was interrupted while it wrote this file, before the first move.
                pass
        return int(time.time() * 1000) if self.timestamp is None else self.timestamp, False

    def _prepared(self) -> str:
        """The commit before it counts."""
        return f"{self.folder}/commit"

    def _plan(self) -> str:
        """The timestamp of the fragments, once the commit is prepared."""
        return f"{self.folder}/commit.json"

    def _prepare(self, files: _Files, names: List[str], stamp: int) -> None:
        # One fragment has a commit file of its own, which readers need not fetch.
        content = "".join(f"__commits/{name}.wrt\n" for name in names)
        files.put(self._prepared(), b"" if len(names) == 1 else content.encode())
        files.put(self._plan(), json.dumps({"timestamp": stamp}).encode())

    def _check_running(self, files: _Files, is_running: bool) -> None:
        if not is_running:
            self._clean(files)
            raise JobEndedError(f"the job {self.name} has been aborted: nothing was committed", self.uri) from None

    def _publish(self, files: _Files, names: List[str], stamp: int) -> None:
        version = _parts(names[0])[3]
        name = f"{names[0]}.wrt" if len(names) == 1 else f"__{stamp}_{stamp}_{self._mark()}_{version}.con"
        target = f"{self.uri}/__commits/{name}"
        # In a file system a reader could see half of a file that is being written, and sees all of one that is renamed.
        try:
            files.ctx.call("vfs_move_file", files.vfs, text(self._prepared()), text(target), about=self.uri)
        except TileDBError:
            # In an object store a move is a copy and a removal, which may fail by itself.
            if not files.is_file(target):
                raise


class _Files:
    """Files and folders of a store."""

    def __init__(self, ctx: Context):
        self.ctx = ctx
        self.vfs = ctx.make("vfs", "vfs_alloc", None)

    def listed(self, uri: str) -> List[str]:
        return list_files(uri, context=self.ctx) if self.is_folder(uri) else []

    def is_file(self, uri: str) -> bool:
        return bool(self.ctx.ask(c_int32, "vfs_is_file", self.vfs, text(uri)))

    def is_folder(self, uri: str) -> bool:
        return bool(self.ctx.ask(c_int32, "vfs_is_dir", self.vfs, text(uri)))

    def put(self, uri: str, content: bytes) -> None:
        with open_file(uri, "wb", context=self.ctx) as file:
            file.write(content)

    def make_folder(self, uri: str) -> None:
        """Creates a folder with its parents, which other tasks may be doing as well."""
        if self.is_folder(uri) or _last(uri).endswith(":"):
            return
        parent = uri.rstrip("/").rpartition("/")[0]
        if parent and "://" not in uri:
            self.make_folder(parent)
        try:
            self.ctx.call("vfs_create_dir", self.vfs, text(uri), about=uri)
        except TileDBError:
            if not self.is_folder(uri):
                raise

    def copy_folder(self, source: str, target: str) -> None:
        self.ctx.call("vfs_copy_dir", self.vfs, text(source), text(target), about=f"{source} to {target}")

    def remove_folder(self, uri: str) -> None:
        if self.is_folder(uri):
            self.ctx.call("vfs_remove_dir", self.vfs, text(uri), about=uri)

    def move_folder(self, source: str, target: str, is_resumed: bool) -> None:
        """Moves a folder of files; if it is resumed, what is left of it."""
        if not is_resumed or not self.is_folder(target):
            self.ctx.call("vfs_move_dir", self.vfs, text(source), text(target), about=f"{source} to {target}")
            return
        for file in self.listed(source):
            self.ctx.call("vfs_move_file", self.vfs, text(file), text(f"{target}/{_last(file)}"), about=file)


def _last(uri: str) -> str:
    return uri.rstrip("/").rpartition("/")[2]


def _parts(name: str) -> List[str]:
    """The timestamps, the UUID and the version in the name of a fragment."""
    return name[2:].split("_")


def _renamed(name: str, stamp: int) -> str:
    _, _, identity, version = _parts(name)
    return f"__{stamp}_{stamp}_{identity}_{version}"


def _has_mark(uri: str, marks: Iterable[str]) -> bool:
    parts = _parts(_last(uri))
    return len(parts) == 4 and parts[2] in marks


def create_target(uri: Any, arrow_schema: Any, dimensions: Optional[List[str]], *, config: Optional[Mapping[str, ConfigValue]] = None, capacity: int = 10_000) -> Array:
    """The array at a URI; a sparse one with these columns as dimensions is created if there is none. Jobs may do so at the same time."""
    ctx = choose_context(None, config or None)
    if not exists(uri, context=ctx):
        if not dimensions:
            raise ValueError(f"there is no array at {uri_of(uri)}: create it, or name the columns that become its dimensions")
        try:
            return from_arrow(uri, arrow_schema.empty_table(), index=dimensions, profile=None, capacity=capacity, context=ctx)
        except TileDBError:
            # Another job may have created it.
            if not exists(uri, context=ctx):
                raise
    return Array(uri, context=ctx)


def sparse_target(array: Array) -> Array:
    """The array, to which rows can be written: it must be sparse."""
    if not array.schema.sparse:
        raise ValueError(f"{array.uri} is dense: rows are written to sparse arrays, regions of a dense one by tiledb_rs.dask.write_array")
    return array


def stage_batches(job: WriteJob, batches: Iterator[Any]) -> StagedFragments:
    """Stages record batches or tables."""
    pyarrow = require("pyarrow", "an engine")
    array = Array(job.uri, config=job.config or None)
    schema = array.schema
    target = arrow_columns.schema_of(array.read())
    made = (arrow_columns.writable(one, target, schema) for one in batches if one.num_rows)
    first = next(made, None)
    if first is None:
        return StagedFragments("", (), 0)

    def stream() -> Iterator[Any]:
        yield from _batches(first)
        for one in made:
            yield from _batches(one.cast(first.schema) if one.schema != first.schema else one)

    return job.write(pyarrow.RecordBatchReader.from_batches(first.schema, stream()))


def _batches(data: Any) -> List[Any]:
    return data.to_batches() if hasattr(data, "to_batches") else [data]
