"""Maintenance of arrays: verification, consolidation, vacuum, recommended schemas, rewriting."""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int32, c_uint32, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Optional

from .._model import moments, schema_io
from .._native.callbacks import Guard, Progress, progress_callback
from .._native.context import ConfigValue, Context, Handle, make_config, text, uri_of
from .._native.errors import in_python
from .query import OpenArray
from .._model.schema import Schema, load

if TYPE_CHECKING:
    from .._model.reports import Advice, Compatibility, Finding, Recommendation, Step, Verification

Config = Optional[Mapping[str, ConfigValue]]
_UNKNOWN = (1 << 64) - 1
OBJECTIVES = {"smallest": 0, "balanced": 1, "fastest": 2}


class _Finding(Structure):
    _fields_ = [
        ("severity", c_uint32),
        ("code", c_uint32),
        ("file", c_char_p),
        ("field", c_char_p),
        ("fragment", c_char_p),
        ("tile", c_uint64),
        ("offset", c_uint64),
        ("text", c_char_p),
        ("remedy", c_char_p),
    ]


class _Verified(Structure):
    _fields_ = [(name, c_uint64) for name in ("files", "tiles", "bytes", "notes", "warnings", "errors")]


class _Step(Structure):
    _fields_ = [
        ("kind", c_uint32),
        ("is_planned", c_uint32),
        ("sources", c_uint64),
        ("results", c_uint64),
        ("bytes_read", c_uint64),
        ("bytes_written", c_uint64),
        ("reason", c_char_p),
    ]


class _Advice(Structure):
    _fields_ = [
        ("property", c_uint32),
        ("reason", c_uint32),
        ("is_applied", c_uint32),
        ("field", c_char_p),
        ("current", c_char_p),
        ("recommended", c_char_p),
        ("sampled_bytes", c_uint64),
        ("current_bytes", c_uint64),
        ("recommended_bytes", c_uint64),
        ("current_nanoseconds", c_uint64),
        ("recommended_nanoseconds", c_uint64),
    ]


FindingCallback = CFUNCTYPE(c_int32, POINTER(_Finding), c_void_p)
StepCallback = CFUNCTYPE(c_int32, POINTER(_Step), c_void_p)
AdviceCallback = CFUNCTYPE(c_int32, POINTER(_Advice), c_void_p)
UriCallback = CFUNCTYPE(c_int32, c_char_p, c_void_p)


def _decoded(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8", "replace")


class Maintenance:
    """Methods of arrays that verify, describe or change how their cells are stored."""

    _ctx: Context
    _uri: str
    _source: Callable[[], OpenArray]
    _changed: Callable[[], None]

    def verify(self, *, config: Config = None, progress: Progress = None) -> Verification:
        """Reads every byte and reports what is wrong; nothing is changed.

        ``progress`` is called with the bytes verified and to verify, and stops the verification by returning False.

        Args:
            config: Parameters of the verification.
            progress: Called with what is done and to do; returning False stops the operation.

        Returns:
            A :class:`Verification` with each :class:`Finding`.

        Examples:
            >>> array.verify().ok
            True
        """
        from .._model import reports

        findings: List[Finding] = []

        def add(pointer: Any, _: Any) -> None:
            one = pointer.contents
            findings.append(
                reports.Finding(
                    reports.SEVERITIES.get(one.severity, str(one.severity)),
                    reports.KINDS.get(one.code, str(one.code)),
                    _decoded(one.file) or "",
                    _decoded(one.field),
                    _decoded(one.fragment),
                    None if one.tile == _UNKNOWN else one.tile,
                    None if one.offset == _UNKNOWN else one.offset,
                    _decoded(one.text) or "",
                    in_python(_decoded(one.remedy) or ""),
                )
            )

        verified = _Verified()
        with Guard(self._ctx) as guard:
            callbacks = guard.callback(FindingCallback, add), progress_callback(guard, progress)
            guard.call(
                "rs_array_verify",
                text(self._uri),
                make_config(config),
                *callbacks,
                None,
                byref(verified),
                about=self._uri,
            )
        return reports.Verification(self._uri, verified.files, verified.tiles, verified.bytes, tuple(findings))

    def consolidate(self, *, mode: Optional[str] = None, config: Config = None, progress: Progress = None) -> None:
        """Consolidates fragments, or what ``mode`` says: ``fragment_meta``, ``commits``, ``array_meta``.

        ``progress`` is called with the cells done and to do, and stops the consolidation by returning False.

        Args:
            mode: What is consolidated, as in ``sm.consolidation.mode``; fragments by default.
            config: Parameters of the consolidation, such as ``sm.consolidation.buffer_size``.
            progress: Called with what is done and to do; returning False stops the operation.

        Examples:
            >>> array.write({"time": [7], "value": [3.5]})
            1
            >>> array.consolidate()
            >>> len(array.reopen().fragments())
            1
        """
        self._watched("rs_array_consolidate", _with_mode("consolidation", mode, config), progress)

    def vacuum(self, *, mode: Optional[str] = None, config: Config = None, progress: Progress = None) -> None:
        """Removes what consolidation replaced; no process may be reading at earlier times.

        Args:
            mode: What is removed, as in ``sm.vacuum.mode``; fragments by default.
            config: Parameters of the vacuum.
            progress: Called with what is done and to do; returning False stops the operation.

        Examples:
            >>> array.consolidate()
            >>> array.vacuum()
        """
        self._watched("rs_array_vacuum", _with_mode("vacuum", mode, config), progress)

    def _watched(self, name: str, config: Config, progress: Progress) -> None:
        with Guard(self._ctx) as guard:
            guard.call(name, text(self._uri), make_config(config), progress_callback(guard, progress), None, about=self._uri)
        self._changed()

    def maintain(self, *, dry_run: bool = False, config: Config = None, on_step: Optional[Callable[[Step], Any]] = None) -> List[Step]:
        """Maintains the array by a policy (``sm.maintenance.*``), and returns the steps; a dry run returns those that are planned.

        ``on_step`` is called after each step, and stops the maintenance by returning False.

        Args:
            dry_run: Whether the steps are planned only.
            config: Parameters of the policy, ``sm.maintenance.*``.
            on_step: Called with each :class:`Step`; returning False stops.

        Returns:
            A list with each :class:`Step`.

        Examples:
            >>> array.maintain(dry_run=True)
            []
        """
        from .._model import reports

        steps: List[Step] = []

        def add(pointer: Any, _: Any) -> Any:
            one = pointer.contents
            steps.append(
                reports.Step(
                    reports.STEPS.get(one.kind, str(one.kind)),
                    bool(one.is_planned),
                    one.sources,
                    one.results,
                    one.bytes_read,
                    one.bytes_written,
                    _decoded(one.reason) or "",
                )
            )
            return on_step(steps[-1]) if on_step else None

        with Guard(self._ctx) as guard:
            arguments = text(self._uri), make_config(config), int(bool(dry_run)), guard.callback(StepCallback, add), None
            guard.call("rs_array_maintain", *arguments, about=self._uri)
        if not dry_run:
            self._changed()
        return steps

    def advise(self, objective: str = "balanced", *, config: Config = None) -> Advice:
        """Recommends a schema by encoding a sample of the cells: ``smallest``, ``balanced`` or ``fastest``. Nothing is written.

        Args:
            objective: ``smallest``, ``balanced`` or ``fastest``.
            config: Parameters of the library.

        Returns:
            An :class:`Advice` with the recommended schema and the reasons.

        Examples:
            >>> array.advise("smallest").schema.names
            ['time', 'value']
        """
        if objective not in OBJECTIVES:
            raise ValueError(f"there is no objective {objective!r}; there are {', '.join(OBJECTIVES)}")
        from .._model import reports

        found: List[Recommendation] = []

        def add(pointer: Any, _: Any) -> None:
            one = pointer.contents
            found.append(
                reports.Recommendation(
                    reports.ADVISED.get(one.property, str(one.property)),
                    _decoded(one.field),
                    reports.REASONS.get(one.reason, str(one.reason)),
                    bool(one.is_applied),
                    _decoded(one.current) or "",
                    _decoded(one.recommended) or "",
                    one.current_bytes,
                    one.recommended_bytes,
                    one.current_nanoseconds,
                    one.recommended_nanoseconds,
                    one.sampled_bytes,
                )
            )

        out = c_void_p()
        with Guard(self._ctx) as guard:
            arguments = (
                text(self._uri),
                make_config(config),
                OBJECTIVES[objective],
                guard.callback(AdviceCallback, add),
                None,
                byref(out),
            )
            guard.call("rs_schema_advise", *arguments, about=self._uri)
        schema = load(self._ctx, Handle(out.value, "array_schema"))
        return reports.Advice(self._uri, objective, schema, tuple(found))

    def rewrite(
        self,
        target: Any,
        schema: Optional[Schema] = None,
        *,
        merge_fragments: bool = False,
        resume: bool = False,
        progress: Progress = None,
    ) -> Any:
        """Copies the array with the filters and the capacity of another schema, compares all cells, and returns the copy.

        Args:
            target: The URI of the copy.
            schema: The schema whose filters and capacity the copy has; by default those of the array.
            merge_fragments: Whether the copy has one fragment; otherwise it has those of the array.
            resume: Whether an interrupted copy at the target is completed.
            progress: Called with what is done and to do; returning False stops the operation.

        Returns:
            The copy as an :class:`Array`.

        Examples:
            >>> array.rewrite("copy").count()
            3
        """
        name = uri_of(target)
        if schema is not None and not isinstance(schema, Schema):
            raise TypeError(f"schema must be a tiledb_rs.Schema, such as that of advise(), not {type(schema).__name__}")
        handle = None if schema is None else schema_io.build(self._ctx, schema)
        with Guard(self._ctx) as guard:
            arguments = text(self._uri), text(name), handle, int(merge_fragments), int(resume), progress_callback(guard, progress), None
            guard.call("rs_array_rewrite", *arguments, about=name)
        return type(self)(name, context=self._ctx)  # type: ignore[call-arg]

    def downgrade(self, target: Any, version: int, *, progress: Progress = None) -> Any:
        """Copies the array to an older format version (18 to 23), for older readers, and returns the copy.

        Args:
            target: The URI of the copy.
            version: The format version, 18 to 23.
            progress: Called with what is done and to do; returning False stops the operation.

        Returns:
            The copy as an :class:`Array`.

        Examples:
            >>> array.downgrade("old", 20).count()
            3
        """
        name = uri_of(target)
        if isinstance(version, bool) or not isinstance(version, int) or not 0 <= version < 1 << 32:
            raise ValueError(f"version must be a format version, not {version!r}")
        with Guard(self._ctx) as guard:
            guard.call(
                "rs_array_downgrade",
                text(self._uri),
                text(name),
                version,
                progress_callback(guard, progress),
                None,
                about=name,
            )
        return type(self)(name, context=self._ctx)  # type: ignore[call-arg]

    def upgrade(self, *, config: Config = None) -> None:
        """Writes the schema in the latest format version, which new fragments then have.

        Args:
            config: Parameters of the library.

        Examples:
            >>> array.upgrade()
        """
        self._ctx.call("array_upgrade_version", text(self._uri), make_config(config), about=self._uri)
        self._changed()

    def compatibility(self) -> Compatibility:
        """Which releases of libtiledb can read the array, and why.

        Returns:
            A :class:`Compatibility`.

        Examples:
            >>> array.compatibility().version
            22
        """
        from .._model import reports

        version, required, out = c_uint32(), c_uint32(), c_void_p()
        self._ctx.call("rs_array_compatibility", text(self._uri), byref(version), byref(required), byref(out), about=self._uri)
        return reports.Compatibility(version.value, required.value, self._ctx.string(Handle(out.value, "string")))

    def orphans(self) -> List[str]:
        """The folders of fragments that killed writers left.

        Returns:
            The URIs of the folders.

        Examples:
            >>> array.orphans()
            []
        """
        return self._uris("rs_array_orphans")

    def sweep(self, *, progress: Progress = None) -> int:
        """Removes the orphans, and returns their number; no writer may be active.

        Args:
            progress: Called with what is done and to do; returning False stops the operation.

        Returns:
            The number of folders that were removed.

        Examples:
            >>> array.sweep()
            0
        """
        count = 0

        def counted(done: int, total: int) -> Any:
            nonlocal count
            count = done
            return progress(done, total) if progress else None

        with Guard(self._ctx) as guard:
            guard.call("rs_array_sweep_watched", text(self._uri), progress_callback(guard, counted), None, about=self._uri)
        return count

    def _uris(self, name: str) -> List[str]:
        found: List[str] = []
        with Guard(self._ctx) as guard:
            callback = guard.callback(UriCallback, lambda uri, _: found.append(_decoded(uri) or ""))
            guard.call(name, text(self._uri), callback, None, about=self._uri)
        return found

    def delete_fragments(self, start: Any, end: Any) -> None:
        """Deletes the fragments whose timestamps are between two, both included: milliseconds since 1970, datetimes, or texts of them.

        Args:
            start: The first timestamp.
            end: The last timestamp.

        Examples:
            >>> array.delete_fragments(0, "2001-01-01")
            >>> len(array.reopen().fragments())
            1
        """
        start, end = moments.milliseconds(start, "the first timestamp"), moments.milliseconds(end, "the last timestamp")
        if start > end:
            raise ValueError(f"the timestamps begin after their end: {start} > {end}")
        self._ctx.call("array_delete_fragments_v2", text(self._uri), start, end, about=self._uri)
        self._changed()


def _with_mode(area: str, mode: Optional[str], config: Config) -> Config:
    if mode is None:
        return config
    if not isinstance(mode, str):
        raise TypeError(f"mode must be a str, not {type(mode).__name__}")
    # The tool writes them with hyphens.
    return {**(config or {}), f"sm.{area}.mode": mode.replace("-", "_")}
