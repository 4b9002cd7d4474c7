#!/usr/bin/env python3
"""Regions of the engine that tests reach: a table by crate, and the lines of regions that none reaches (tools/coverage.sh).

usage: coverage_report.py EXPORT.json LIST

EXPORT.json is what `llvm-cov export --skip-functions` prints. A region counts as reached if any copy of its code in any program was
executed. Of the others, `?` are those that pass on the error of another function. LIST is a file for the lines of the rest, by file and
function: the places that none reaches, and functions that nobody calls. Code of tests does not count.
"""

import collections
import json
import pathlib
import re
import sys

FUNCTION = re.compile(r"^\s*(?:pub(?:\([a-z: ]+\))? )?(?:const )?(?:unsafe )?(?:extern \"C\" )?fn (\w+)")
TEST_MODULE = re.compile(
    r"^#\[cfg\([^\]]*\btest\b[^\]]*\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([a-z: ]+\))? )?mod (\w+)( \{|;)", re.MULTILINE
)


def test_modules():
    """Files and folders of modules that are compiled for tests only."""
    for path in pathlib.Path("crates").glob("*/src/**/*.rs"):
        folder = path.parent if path.name in ("lib.rs", "mod.rs") else path.with_suffix("")
        for match in TEST_MODULE.finditer(path.read_text()):
            if match[2] == ";":
                yield folder / f"{match[1]}.rs"
                yield folder / match[1]


def end_of_code(text):
    """The line at which the module of tests begins."""
    starts = [match.start() for match in TEST_MODULE.finditer(text) if match[2] == " {"]
    return text.count("\n", 0, min(starts, default=len(text))) + 1


def regions(segments):
    """Place and count of each region; segments are the places at which the count of executions changes."""
    for line, column, count, has_count, is_entry, is_gap in segments:
        if is_entry and has_count and not is_gap:
            yield line, column, count


def functions(lines):
    """The name and the first line of the function of each line."""
    current = ("", 0)
    yield current
    for number, line in enumerate(lines, 1):
        if match := FUNCTION.match(line):
            current = (match[1], number)
        yield current


class Crate:
    """Numbers of regions."""

    def __init__(self):
        self.total = self.reached = self.passed_on = 0
        self.lines, self.uncalled = 0, 0

    def __iadd__(self, other):
        for name, count in vars(other).items():
            setattr(self, name, getattr(self, name) + count)
        return self

    def row(self, name):
        """A line of the table."""
        share = 100 * self.reached / max(self.total, 1)
        return f"| {name} | {self.total:,} | {self.reached:,} | {share:.1f} % | {self.passed_on:,} | {self.lines:,} | {self.uncalled:,} |"


def main():
    export = json.loads(pathlib.Path(sys.argv[1]).read_text())
    crates, tests = collections.defaultdict(Crate), set(test_modules())
    unreached = []
    for file in export["data"][0]["files"]:
        path = pathlib.Path(file["filename"])
        if path.parts[:1] != ("crates",) or not tests.isdisjoint([path, *path.parents]) or not path.exists():
            continue
        text = path.read_text()
        lines, last, crate = text.splitlines(), end_of_code(text), crates[path.parts[1]]
        function_of, parts = list(functions(lines)), collections.defaultdict(list)
        for line, column, count in regions(file["segments"]):
            if line >= last:
                continue
            crate.total += 1
            crate.reached += count > 0
            parts[function_of[line]].append((line, count, lines[line - 1][column - 1 : column] == "?"))
        for (name, start), found in parts.items():
            missing = [(line, is_error) for line, count, is_error in found if count == 0]
            crate.passed_on += sum(is_error for _, is_error in missing)
            places = sorted({line for line, is_error in missing if not is_error and lines[line - 1].strip(" }")})
            crate.lines += len(places)
            if len(missing) == len(found):
                crate.uncalled += 1
                unreached.append(f"{path}:{start}\t{name}\tnot called, {len(places)} lines")
            else:
                unreached.extend(f"{path}:{line}\t{name}\t{lines[line - 1].strip()[:120]}" for line in places)
    print("| crate | regions | reached | share | `?` not reached | other lines not reached | functions not called |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    everything = Crate()
    for name in sorted(crates):
        print(crates[name].row(name))
        everything += crates[name]
    print(everything.row("all"))
    pathlib.Path(sys.argv[2]).write_text("".join(line + "\n" for line in unreached))


main()
