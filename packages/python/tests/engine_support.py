"""Common to the tests of engines: rows of all types, and tasks whose process is killed once. Workers import it, too."""

from __future__ import annotations

import datetime
import os
import signal
import time
from pathlib import Path
from typing import Any, Callable, Dict, List

DAY = datetime.date(2024, 2, 28)
COLORS = ["red", "green", "blue"]


BUCKET = os.environ.get("ENGINES_S3", "")


class Stored:
    """Arrays of a test in its folder, which also has the marks of processes that were killed."""

    def names(self) -> List[str]:
        """What is in the folder."""
        return sorted(os.listdir(self.folder))  # type: ignore[attr-defined]

    def wait_for_names(self, names: List[str]) -> None:
        """Waits for attempts of a failed job, which engines do not interrupt: they remove what they write when they notice."""
        deadline = time.monotonic() + 60
        while self.names() != names and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(self.names(), names)  # type: ignore[attr-defined]


class OnS3(Stored):
    """The same in a bucket that ENGINES_S3 names, on a server that the environment describes; marks are local files."""

    def path(self, name: str = "array") -> str:
        return f"{BUCKET}/{self.folder.name}/{name}"  # type: ignore[attr-defined]

    def names(self) -> List[str]:
        from tiledb_rs._arrays.vfs import list_files

        return sorted([*super().names(), *(uri.rstrip("/").rpartition("/")[2] for uri in list_files(self.path("").rstrip("/")))])


def once(marks: str, name: str) -> bool:
    """Whether this is the first call under this name, in any process."""
    try:
        (Path(marks) / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def killed_once(marks: str, name: str) -> None:
    """Kills the process, the first time."""
    if once(marks, name):
        os.kill(os.getpid(), signal.SIGKILL)


def killed_executor_once(marks: str, name: str) -> None:
    """Kills the JVM of a Spark executor with its Python workers: the parent of the daemon that forks them."""
    if once(marks, name):
        parent = int(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(parent, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)


def typed_schema() -> Any:
    """A schema with fields of many types."""
    from tiledb_rs import Attribute, Dimension, Enumeration, Schema

    attributes = [
        Attribute("i8", "INT8"),
        Attribute("u8", "UINT8"),
        Attribute("u16", "UINT16", nullable=True),
        Attribute("u32", "UINT32"),
        Attribute("u64", "UINT64", nullable=True),
        Attribute("i64", "INT64", nullable=True),
        Attribute("f32", "FLOAT32"),
        Attribute("f64", "FLOAT64", nullable=True),
        Attribute("flag", "BOOL", nullable=True),
        Attribute("text", str, nullable=True),
        Attribute("blob", "BLOB", nullable=True),
        Attribute("day", "DATETIME_DAY", nullable=True),
        Attribute("ms", "DATETIME_MS"),
        Attribute("us", "DATETIME_US", nullable=True),
        Attribute("ns", "DATETIME_NS"),
        Attribute("color", "UINT8", nullable=True, enumeration=Enumeration("colors", COLORS)),
    ]
    return Schema([Dimension("d", (0, 1_000_000), tile=1000)], attributes, sparse=True, allows_duplicates=True, capacity=64)


def typed_rows(count: int = 200) -> Dict[str, List[Any]]:
    """Rows for this schema, with the extremes of the types, NaN, nulls and strings that are easily mistaken."""
    texts = ["a", "A", "", "ä", "a ", "it's", 'quo"te', "\U0001f600", "a\0b", None]
    floats = [0.0, -0.0, 1.5, float("nan"), float("inf"), float("-inf"), -2.25]
    base = datetime.datetime(2024, 2, 28, 23, 59, 59, 250_000)
    every: Callable[[List[Any]], List[Any]] = lambda values: [values[at % len(values)] for at in range(count)]
    return {
        "d": list(range(count)),
        "i8": every([-128, 0, 127]),
        "u8": every([0, 127, 128, 255]),
        "u16": every([0, 65_535, None, 40_000]),
        "u32": every([0, 4_294_967_295, 3_000_000_000]),
        "u64": every([0, (1 << 64) - 1, None, 1 << 63, 5]),
        "i64": every([-(1 << 63), (1 << 63) - 1, None, 0, 1 << 53, (1 << 53) + 1]),
        "f32": every(floats[:3] + floats[4:]),
        "f64": every(floats + [None]),
        "flag": every([True, False, None]),
        "text": every(texts),
        "blob": every([b"", b"\0\xff", None, b"a"]),
        "day": every([DAY, DAY + datetime.timedelta(days=1), None, datetime.date(1969, 12, 31)]),
        "ms": [base + datetime.timedelta(milliseconds=at) for at in range(count)],
        "us": every([base, base + datetime.timedelta(microseconds=1), None, datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999)]),
        "ns": [1_709_164_799_000_000_000 + 1_500 * at for at in range(count)],
        "color": every(COLORS + [None]),
    }
