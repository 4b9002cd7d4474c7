"""Reports of maintenance: findings, steps, recommendations."""

from __future__ import annotations

import dataclasses
from typing import List, Optional, Tuple

from .schema import Schema

SEVERITIES = {0: "note", 1: "warning", 2: "error"}
KINDS = {
    1: "storage",
    2: "missing file",
    3: "stray file",
    4: "schema",
    5: "enumeration",
    6: "metadata",
    7: "delete",
    8: "commit",
    9: "orphan",
    10: "consolidated metadata",
    11: "footer",
    12: "metadata table",
    13: "file size",
    14: "tile offset",
    15: "tile",
    16: "offsets",
    17: "validity",
    18: "statistics",
    19: "bounding box",
    20: "domain",
    21: "order",
    22: "duplicate",
    23: "timestamp",
    24: "unverified",
}
STEPS = {0: "fragments", 1: "commits", 2: "fragment metadata", 3: "vacuum", 4: "recovery"}
ADVISED = {
    0: "values",
    1: "offsets",
    2: "validity",
    3: "capacity",
    4: "cell order",
    5: "tile extents",
    6: "array type",
    7: "enumeration",
    8: "nullability",
}
REASONS = {0: "better", 1: "current", 2: "chosen", 3: "no cells", 4: "no nulls"}


@dataclasses.dataclass(frozen=True)
class Finding:
    """What a verification found: severity (note, warning, error), kind, where, what is wrong, and the remedy.

    Examples:
        >>> array.verify().findings
        ()
    """

    __module__ = "tiledb_rs"

    severity: str
    kind: str
    file: str
    field: Optional[str]
    fragment: Optional[str]
    tile: Optional[int]
    offset: Optional[int]
    text: str
    remedy: str


@dataclasses.dataclass(frozen=True)
class Verification:
    """The report of a verification.

    Examples:
        >>> array.verify().ok
        True
    """

    __module__ = "tiledb_rs"

    uri: str
    files: int
    tiles: int
    bytes: int
    findings: Tuple[Finding, ...]

    def _of(self, severity: str) -> List[Finding]:
        return [finding for finding in self.findings if finding.severity == severity]

    @property
    def errors(self) -> List[Finding]:
        """Cells, metadata or a schema that are lost or wrong."""
        return self._of("error")

    @property
    def warnings(self) -> List[Finding]:
        """What may make some reads wrong or slow."""
        return self._of("warning")

    @property
    def notes(self) -> List[Finding]:
        """What wastes space, or was not verified."""
        return self._of("note")

    @property
    def ok(self) -> bool:
        """True if there are no errors and no warnings."""
        return not self.errors and not self.warnings

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        head = f"{self.uri}: {len(self.errors)} errors, {len(self.warnings)} warnings, {len(self.notes)} notes in {self.files} files"
        return "\n".join([head, *(f"{one.severity}: {one.file}: {one.text} {one.remedy}" for one in self.findings)])


@dataclasses.dataclass(frozen=True)
class Step:
    """A step of maintenance: what was consolidated or removed, and why.

    Examples:
        >>> array.maintain(dry_run=True)
        []
    """

    __module__ = "tiledb_rs"

    kind: str
    planned: bool
    sources: int
    results: int
    bytes_read: int
    bytes_written: int
    reason: str


@dataclasses.dataclass(frozen=True)
class Recommendation:
    """A recommended property: filters of a field, capacity, order, extents.

    Examples:
        >>> {one.field for one in array.advise().recommendations} <= {None, "time", "value"}
        True
    """

    __module__ = "tiledb_rs"

    property: str
    field: Optional[str]
    reason: str
    applied: bool
    current: str
    recommended: str
    current_bytes: int
    recommended_bytes: int
    current_nanoseconds: int
    recommended_nanoseconds: int
    sampled_bytes: int


@dataclasses.dataclass(frozen=True)
class Advice:
    """A recommended schema, with which an array can be created or rewritten, and the reasons.

    Examples:
        >>> advice = array.advise()
        >>> advice.objective
        'balanced'
    """

    __module__ = "tiledb_rs"

    uri: str
    objective: str
    schema: Schema
    recommendations: Tuple[Recommendation, ...]

    @property
    def current_bytes(self) -> int:
        """The size of all cells now."""
        return sum(one.current_bytes for one in self.recommendations if one.property in ("values", "offsets", "validity"))

    @property
    def recommended_bytes(self) -> int:
        """The size of all cells with the recommended filters."""
        return sum(one.recommended_bytes for one in self.recommendations if one.property in ("values", "offsets", "validity"))

    def __str__(self) -> str:
        lines = [f"{self.uri}: {self.current_bytes} bytes, {self.recommended_bytes} with the recommended filters ({self.objective})"]
        for one in self.recommendations:
            name = f"{one.property} of {one.field}" if one.field else one.property
            lines.append(f"{name}: {one.current or 'none'} -> {one.recommended or 'none'} ({one.reason})")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from .notebook import advice_html

        return advice_html(self)


@dataclasses.dataclass(frozen=True)
class Compatibility:
    """Format versions, and the releases of libtiledb that can read an array.

    Examples:
        >>> isinstance(array.compatibility().version, int)
        True
    """

    __module__ = "tiledb_rs"

    version: int
    required: int
    readers: str
