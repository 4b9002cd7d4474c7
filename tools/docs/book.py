"""Structure of the documentation site: chapters, navigation order, and the check that code quoted in guides exists in the examples."""

import pathlib
import re
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Chapters and their guides, in navigation order; examples-c is the list of all examples.
CHAPTERS = {
    "Start": ["README.md", "docs/tutorial.md", "docs/concepts.md"],
    "How to": ["docs/howto_write.md", "docs/howto_read.md", "docs/howto_keep.md", "docs/howto_publish.md", "docs/viewer.md", "docs/web.md", "examples-c"],
    "Reference": [
        "docs/configuration.md", "docs/filters.md", "docs/incomplete.md", "docs/messages.md", "docs/statistics.md",
        "docs/troubleshooting.md", "docs/differences.md", "docs/stability.md",
    ],
    "The format": ["docs/format.md", "docs/durability.md"],
    "Tools, languages, stores": [
        "docs/tool.md", "docs/tool_options.md", "docs/sql.md", "docs/packages.md", "docs/platforms.md", "docs/clients.md", "docs/languages.md",
        "docs/rust.md", "docs/arrow.md", "docs/partition.md", "docs/distributed.md",
        "docs/verify.md", "docs/object_stores.md", "docs/credentials.md", "docs/rest.md",
    ],
    "Python": ["docs/python.md", "docs/frames.md", "docs/engines.md", "docs/coming_from.md"],
    "Performance": ["docs/performance.md", "docs/object_store_costs.md", "docs/comparison.md"],
    "Project": ["docs/architecture.md", "docs/testing.md", "docs/model.md", "docs/rejected_optimizations.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"],
}  # fmt: skip
# Menu titles that are not derived from the file name.
NAMES = {
    "README": "Introduction", "concepts": "Concepts and glossary", "examples-c": "Examples", "incomplete": "Incomplete queries",
    "frames": "DuckDB, polars, xarray, files", "coming_from": "Coming from HDF5, Parquet, ...",
    "rest": "TileDB servers", "messages": "Serialization",
    "howto_write": "Write arrays", "howto_read": "Read arrays", "howto_keep": "Operate and share arrays", "howto_publish": "Publish arrays on the web", "viewer": "Viewer", "web": "Arrays in browsers and Node.js", "format": "File format",
    "tool": "Command-line tool", "tool_options": "Tool options",
    "distributed": "Distributed jobs", "engines": "Spark, Ray Data and Dask", "partition": "Partitioned reads", "object_store_costs": "Object store costs",
    "clients": "Which clients run on it", "languages": "Other languages", "verify": "Verification", "CHANGELOG": "Changelog", "CONTRIBUTING": "Contributing",
    "differences": "Differences from libtiledb", "SECURITY": "Security",
}  # fmt: skip
# Pages whose tables define parameters and options, which the search finds by name.
DEFINING = ["docs/configuration.md", "docs/tool_options.md"]
GLOSSARY = "docs/concepts.md"
# The table of platforms, and the pages that refer to it and state nothing that is in it.
PLATFORMS = "docs/platforms.md"
PLATFORM_PAGES = ["README.md", "docs/packages.md", "docs/stability.md", "docs/troubleshooting.md", "docs/comparison.md"]
PLATFORM_FACTS = [
    "glibc 2.28 or later", "Debian 10", "RHEL 8", "Ubuntu 20.04", "musl 1.2.4", "Alpine 3.18", "macOS 11", "Windows 10 or later", "qemu", "wine on Linux",
]  # fmt: skip
# Pages whose code in C and Rust must occur in examples.
QUOTING = [
    "README.md", "docs/tutorial.md", "docs/filters.md", "docs/messages.md", "docs/howto_write.md", "docs/howto_read.md",
    "docs/howto_keep.md", "docs/rust.md",
]  # fmt: skip


def guides():
    """The Markdown files of all chapters, in navigation order."""
    return [name for names in CHAPTERS.values() for name in names if name.endswith(".md")]


def missing():
    """Guides in docs/ that are in no chapter."""
    return sorted({f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md")} - set(guides()))


def restated_platforms():
    """Problems: facts of the table of platforms that another page states, too, or that the table does not have; pages without a link to it."""
    table = (ROOT / PLATFORMS).read_text()
    problems = [f"{PLATFORMS} does not say '{fact}'" for fact in PLATFORM_FACTS if fact not in table]
    for name in PLATFORM_PAGES:
        text = " ".join((ROOT / name).read_text().split())
        problems += [f"{name} says '{fact}', which {PLATFORMS} does: refer to it" for fact in PLATFORM_FACTS if fact in text]
        problems += [] if "platforms.md)" in text else [f"{name} does not refer to {PLATFORMS}"]
        # Lists of platforms in prose, which soon contradict the table.
        problems += [f"{name} lists platforms ('{phrase}'): refer to {PLATFORMS}" for phrase in re.findall(r"Linux,? (?:on )?x86-64,? (?:or|and)[^|.]{0,20}aarch64", text)]
    return problems


def name_of(file):
    """Menu title of a guide."""
    stem = pathlib.PurePosixPath(file).stem
    return NAMES.get(stem, stem.replace("_", " ").capitalize())


def neighbours(file):
    """The previous and the next guide, or None."""
    order = [name for names in CHAPTERS.values() for name in names]
    place = order.index(file)
    return order[place - 1] if place > 0 else None, order[place + 1] if place + 1 < len(order) else None


def sections(text):
    """The introduction and the second-level sections of a text."""
    return re.split(r"^(?=## )", text, flags=re.MULTILINE)


def quoted(text):
    """The fenced blocks in C and Rust of a text."""
    return re.findall(r"^```(?:c|rust)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def lines(code):
    """The non-empty lines of code, without indentation."""
    return [line.strip() for line in code.splitlines() if line.strip()]


def stands_in(block, program):
    """Whether the lines of a block are consecutive lines of a program; the line `// ...` stands for any lines between."""
    place = 0
    for part in re.split(r"^ *// \.\.\.\n", block, flags=re.MULTILINE):
        part = lines(textwrap.dedent(part))
        starts = range(place, len(program) - len(part) + 1)
        start = next((start for start in starts if program[start : start + len(part)] == part), None)
        if start is None:
            return False
        place = start + len(part)
    return True


def unfounded(file):
    """Problems: code of a guide that is in no example linked from its section or from the introduction of the page."""
    parts = sections((ROOT / file).read_text())
    found = []
    for part in parts:
        links = re.findall(r"\((?:\.\./)*((?:examples-c|crates/tiledb/examples)/[\w/]+\.(?:c|cpp|rs))\)", parts[0] + part)
        programs = [lines((ROOT / link).read_text()) for link in links if (ROOT / link).is_file()]
        for block in quoted(part):
            if not any(stands_in(block, program) for program in programs):
                found.append(f"{file}: no example that is linked there has these lines:\n{textwrap.indent(block, '    ')}")
    return found
