"""The guides as a book: which chapters it has, what stands before and behind a page, and that quoted code is in the examples."""

import pathlib
import re
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Chapters and their guides, in the order in which one reads them; examples-c is the page of all examples.
CHAPTERS = {
    "Start": ["README.md", "docs/tutorial.md", "docs/concepts.md"],
    "How to": ["docs/howto_write.md", "docs/howto_read.md", "docs/howto_keep.md", "examples-c"],
    "Reference": [
        "docs/configuration.md", "docs/filters.md", "docs/incomplete.md", "docs/messages.md", "docs/statistics.md",
        "docs/troubleshooting.md", "docs/differences.md", "docs/stability.md",
    ],
    "The format": ["docs/format.md", "docs/durability.md"],
    "Tools, languages, stores": [
        "docs/tool.md", "docs/tool_options.md", "docs/packages.md", "docs/languages.md", "docs/arrow.md", "docs/partition.md", "docs/distributed.md",
        "docs/verify.md", "docs/object_stores.md", "docs/credentials.md", "docs/rest.md",
    ],
    "Performance": ["docs/performance.md", "docs/object_store_costs.md", "docs/comparison.md"],
    "Project": ["docs/architecture.md", "docs/testing.md", "docs/rejected_optimizations.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"],
}  # fmt: skip
# What the menu says where it is not the name of the file.
NAMES = {
    "README": "Introduction", "concepts": "Concepts and glossary", "examples-c": "Examples", "incomplete": "Incomplete queries",
    "rest": "TileDB servers",
    "howto_write": "Write arrays", "howto_read": "Read arrays", "howto_keep": "Operate and share arrays", "format": "Files on disk",
    "tool": "Command-line tool", "tool_options": "Tool options",
    "distributed": "Distributed jobs", "partition": "Partitioned reads", "object_store_costs": "Object store costs",
    "languages": "Other languages", "verify": "Verification", "CHANGELOG": "Changelog", "CONTRIBUTING": "Contributing",
    "differences": "Differences from libtiledb", "SECURITY": "Security",
}  # fmt: skip
# Pages whose tables define parameters and options, which the search finds by name.
DEFINING = ["docs/configuration.md", "docs/tool_options.md"]
GLOSSARY = "docs/concepts.md"
# Pages whose C code must be that of examples.
QUOTING = ["docs/tutorial.md", "docs/howto_write.md", "docs/howto_read.md", "docs/howto_keep.md"]


def guides():
    """The Markdown files of the book, in its order."""
    return [name for names in CHAPTERS.values() for name in names if name.endswith(".md")]


def missing():
    """Guides that no chapter has."""
    return sorted({f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md")} - set(guides()))


def name_of(file):
    """How a guide is called in the menu."""
    stem = pathlib.PurePosixPath(file).stem
    return NAMES.get(stem, stem.replace("_", " ").capitalize())


def neighbours(file):
    """The guides before and behind one, or None."""
    order = [name for names in CHAPTERS.values() for name in names]
    place = order.index(file)
    return order[place - 1] if place > 0 else None, order[place + 1] if place + 1 < len(order) else None


def sections(text):
    """The sections of a text that begin with a heading of the second level, and what stands before them."""
    return re.split(r"^(?=## )", text, flags=re.MULTILINE)


def quoted(text):
    """The blocks of C in a text."""
    return re.findall(r"^```c\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def lines(code):
    """The lines of code that say something, without their indentation."""
    return [line.strip() for line in code.splitlines() if line.strip()]


def stands_in(block, program):
    """Whether the lines of a block stand in a program, one behind the other."""
    block = lines(textwrap.dedent(block))
    return any(program[start : start + len(block)] == block for start in range(len(program) - len(block) + 1))


def unfounded(file):
    """Messages about C code of a guide that stands in no example to which its section, or the page's beginning, links."""
    parts = sections((ROOT / file).read_text())
    found = []
    for part in parts:
        links = re.findall(r"\((?:\.\./)*(examples-c/[\w/]+\.c(?:pp)?)\)", parts[0] + part)
        programs = [lines((ROOT / link).read_text()) for link in links if (ROOT / link).is_file()]
        for block in quoted(part):
            if not any(stands_in(block, program) for program in programs):
                found.append(f"{file}: no example that is linked there has these lines:\n{textwrap.indent(block, '    ')}")
    return found
