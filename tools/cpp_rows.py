#!/usr/bin/env python3
"""Counts how much of the C++ interface the tests in capi-tests/cpp call.

usage: cpp_rows.py LIBRARY [-H HEADER]... [PROGRAM]...

Builds every program (or those named) with coverage, runs it, and asks gcov which functions ran. A row of
capi-tests/abi/cpp.tsv is found in include/tiledb by its signature; it counts as called when a function that begins on
its lines ran. What has no code of its own (types, constants, fields, trivial or deleted members) counts when the
programs name it. Prints `rows called / total` and what is missing, per header; -H restricts the rows to a header.
Ends with 1 when a row is missing or declared otherwise than the table says.
"""
import argparse
import collections
import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "cpp_rows"
INCLUDE = (ROOT / "include" / "tiledb").resolve()
FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "--coverage", "-O0"]
FUNCTIONS = {"method", "static", "ctor", "dtor", "operator", "free"}
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\d[\w.]*|::|->|<<|[^\s\w]')


class Declaration(collections.namedtuple("Declaration", "scope tokens file first last")):
    """One declaration: the names around it, its words up to the body, its lines in the header."""


def without_comments(text):
    """The code with comments and preprocessor lines blanked, so that lines stay where they are."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0)) if match.group(0)[0] in "/#" else match.group(0)
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", blank, text, flags=re.M | re.S)


def words(text):
    """The words of the code, each with its line."""
    line, at = 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield match.group(0), line


def declarations(path):
    """All declarations of a header, at the level of namespaces and classes."""
    stream = list(words(without_comments(path.read_text())))
    found, scopes, at = [], [], 0

    def skip(position):
        """The position after the bracket that closes the one here."""
        depth = 0
        while True:
            depth += {"{": 1, "}": -1}.get(stream[position][0], 0)
            position += 1
            if depth == 0:
                return position

    while at < len(stream):
        start, depth, initialisers = at, 0, None
        if stream[at][0] == "}":
            scopes.pop()
            at += 1
            continue
        if stream[at][0] == ";":
            at += 1
            continue
        if stream[at][0] in ("public", "protected", "private") and stream[at + 1][0] == ":":
            at += 2
            continue
        while True:
            word = stream[at][0]
            head = [token for token, _ in stream[start:at]]
            if word in "([":
                depth += 1
            elif word in ")]":
                depth -= 1
            elif word == "{" and depth:
                at = skip(at)
                continue
            elif word == ";" and not depth:
                break
            elif word == ":" and not depth and ")" in head and initialisers is None:
                initialisers = len(head)
            elif word == "{" and not depth:
                kind = kind_of(head)
                if kind == "enum" or kind and "(" not in named(head):
                    break
                if ")" not in head and "operator" not in head or initialisers and head[-1] not in (")", "}"):
                    at = skip(at)
                    continue
                break
            at += 1
        tokens = [token for token, _ in stream[start:at]]
        lines = stream[start][1], stream[at][1]
        if stream[at][0] == "{":
            kind = kind_of(tokens)
            if kind and kind != "enum" and "(" not in named(tokens):
                found.append(Declaration(tuple(scopes), tokens, path.name, *lines))
                scopes.append("" if kind == "extern" else scope_name(named(tokens), kind))
                at += 1
                continue
            if kind == "enum":
                name = scope_name(named(tokens), kind)
                found.append(Declaration(tuple(scopes), tokens, path.name, *lines))
                end = skip(at)
                body = [token for token, _ in stream[at + 1:end - 1]]
                for enumerator in " ".join(body).split(","):
                    found.append(Declaration(tuple(scopes) + (name,), enumerator.split(), path.name, *lines))
                at = end
                continue
            end = skip(at)
            lines = lines[0], stream[end - 1][1]
            at = end
        else:
            at += 1
        if initialisers:
            tokens = tokens[:initialisers]
        found.append(Declaration(tuple(scopes), tokens, path.name, *lines))
    return found


def kind_of(tokens):
    """What a declaration with a body opens, if it is not a function."""
    return next((word for word in ("enum", "namespace", "class", "struct", "extern") if word in named(tokens)), None)


def parts(name, headers):
    """The files of a header: itself, and what it includes of the C++ interface that no row names."""
    included = re.findall(r'#include "(\w+\.h)"', (INCLUDE / name).read_text())
    return [INCLUDE / part for part in [name] + included
            if part == name or part not in headers and not part.startswith("tiledb")]


def named(tokens):
    """The words after `template <...>` and attributes."""
    while tokens[:1] == ["template"]:
        depth, end = 0, 1
        while True:
            depth += {"<": 1, ">": -1}.get(tokens[end], 0)
            end += 1
            if depth == 0:
                break
        tokens = tokens[end:]
    return tokens


def scope_name(tokens, kind):
    """The name of a class or namespace, with the arguments of a specialisation."""
    name = tokens[tokens.index(kind) + 1:]
    if kind == "enum" and name[:1] == ["class"]:
        name = name[1:]
    depth = 0
    for end, word in enumerate(name):
        depth += {"<": 1, ">": -1}.get(word, 0)
        if depth == 0 and (word == ":" or word == "final"):
            name = name[:end]
            break
    return joined(name)


def joined(tokens):
    """The words as they are written, with spaces only between names."""
    return re.sub(r"(?<!\w) | (?!\w)", "", " ".join(tokens))


def plain(tokens):
    """The words that make a signature: no attributes, no deprecation, no `= default`."""
    tokens = [token for token in tokens if not token.startswith("TILEDB_DEPRECATED")]
    text = re.sub(r"\[ \[ .*? \] \] ?", "", " ".join(tokens))
    text = re.sub(r"\b(tiledb ::|inline|typename std :: vector|std :: vector) ", lambda m: {
        "tiledb :: ": "", "inline ": ""}.get(m.group(0), "std :: vector "), text)
    return re.sub(r"( override)?( = default)?$", "", text).split()


def signature(row):
    return plain([token for token, _ in words(row["signature"])])


def scope_of(row):
    """The names around what a row declares, each with the arguments of a specialisation."""
    names, depth = [""], 0
    for token, _ in words(row["class"]):
        depth += {"<": 1, ">": -1}.get(token, 0)
        if token == "::" and not depth:
            names.append("")
        else:
            names[-1] += " " + token
    return [joined(name.split()) for name in names if name]


def find(row, declared):
    """The declarations that a row of functions means, by signature, else by name and number of parameters."""
    scope, wanted = scope_of(row), signature(row)
    inside = [d for d in declared if inner(d.scope) == scope or "template <> inline" in row["signature"]]
    exact = [d for d in inside if plain(d.tokens) == wanted]
    out_of_class = [d for d in declared if inner(d.scope) in ([], ["impl"])]
    defined = [d for d in out_of_class if scope and scope[-1] + "::" + row["member"] + "(" in joined(d.tokens)
               and parameters(d.tokens) == parameters(wanted)]
    return exact, defined


def inner(scope):
    """The names around a declaration below the namespace `tiledb`."""
    names = [re.sub(r"^tiledb(::|$)", "", name) for name in scope]
    return [name for name in names if name]


def parameters(tokens):
    """The parameters without names and defaults, roughly: the words inside the outermost parentheses."""
    text = " ".join(named(tokens))
    start = text.find("( )  (") + 5 if "operator ( ) (" in text else text.find("(")
    inner, depth, parts, part = text[start + 1:].split(), 0, [], []
    for word in inner:
        if word == ")" and depth == 0:
            break
        depth += {"(": 1, "<": 1, ")": -1, ">": -1}.get(word, 0)
        if word == "," and depth == 0:
            parts.append(part)
            part = []
        else:
            part.append(word)
    parts.append(part)

    def shorn(part):
        part = part[:part.index("=")] if "=" in part else part
        return " ".join(part[:-1] if len(part) > 1 and re.match(r"\w+$", part[-1]) else part)
    return [shorn(part) for part in parts]


def build(program, library):
    """Compiles a program with coverage unless that was done, and runs it."""
    folder = BUILD / program.stem
    folder.mkdir(parents=True, exist_ok=True)
    binary = folder / program.stem
    newest = max(f.stat().st_mtime for f in [program, program.with_name("common.hpp"), *INCLUDE.iterdir()])
    if not binary.exists() or binary.stat().st_mtime < newest:
        for old in folder.glob("*.gc*"):
            old.unlink()
        subprocess.run(["c++", *FLAGS, f"-I{ROOT}/include", str(program), "-o", str(binary), str(library),
                        f"-Wl,-rpath,{BUILD}", "-lpthread"], check=True, cwd=folder)
    for old in folder.glob("*.gcda"):
        old.unlink()
    run = folder / "run"
    subprocess.run(["rm", "-rf", str(run)], check=True)
    run.mkdir()
    if subprocess.run([str(binary)], cwd=run, stdout=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"{program.name} failed")
    return folder


def executed(folder, ran):
    """Adds the first lines of the functions that ran, by header."""
    for data in folder.glob("*.gcda"):
        output = subprocess.run(["gcov", "--json-format", "--stdout", data.name], cwd=folder, check=True,
                                capture_output=True).stdout
        for file in json.loads(output)["files"]:
            path = Path(os.path.join(folder, file["file"])).resolve()
            if path.parent == INCLUDE:
                for function in file["functions"]:
                    known = ran.setdefault((path.name, function["start_line"]), 0)
                    ran[path.name, function["start_line"]] = known + function["execution_count"]


def is_named(row, text):
    """True when the programs name what the row declares."""
    names = [name for name in scope_of(row)[-1:] + [row["member"].lstrip("~")] if name]
    if row["kind"] == "enumerator":
        return "".join(names[0].split("<")[0]) + "::" + row["member"] in text
    for name in names:
        generic = re.search(r"<(?:[A-Z]|T\[N\]|std::\w+<[A-Z],?.*>)(?:,.*)?>$", name)
        name = name.split("<")[0] if generic else name
        if not re.search(r"(?<!\w)" + re.escape(name) + r"(?!\w)", text):
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("-H", "--header", action="append", help="count the rows of this header only")
    parser.add_argument("program", nargs="*")
    arguments = parser.parse_intermixed_args()

    BUILD.mkdir(parents=True, exist_ok=True)
    for name in ("libtiledb_rs.so.2.30", "libtiledb.so.2.30"):
        (BUILD / name).unlink(missing_ok=True)
        (BUILD / name).symlink_to(arguments.library.resolve())
    programs = sorted((ROOT / "capi-tests" / "cpp").glob("*.cpp"))
    if arguments.program:
        programs = [program for program in programs if program.stem in arguments.program]
    ran = {}
    for program in programs:
        executed(build(program, arguments.library.resolve()), ran)
    spaced = " ".join(word for program in programs for word, _ in words(without_comments(program.read_text())))
    text = joined(spaced.split())

    with open(ROOT / "capi-tests" / "abi" / "cpp.tsv", newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    headers = {row["header"] for row in rows}
    rows = [row for row in rows if not arguments.header or row["header"] in arguments.header]
    declared = {name: sum((declarations(part) for part in parts(name, headers)), [])
                for name in {row["header"] for row in rows} if (INCLUDE / name).exists()}
    missing, called = collections.defaultdict(list), 0
    for row in rows:
        problem = judge(row, declared, ran, text, spaced)
        if problem:
            missing[row["header"]].append((problem, row))
        else:
            called += 1
    for header, list_ in sorted(missing.items()):
        print(f"{header}: {len(list_)} of {sum(row['header'] == header for row in rows)} rows missing")
        for problem, row in list_:
            print(f"    {problem}: {'::'.join(filter(None, [row['class'], row['member']]))}    {row['signature']}")
    print(f"{called} rows called / {len(rows)}")
    sys.exit(1 if missing else 0)


def judge(row, declared, ran, text, spaced):
    """What is wrong with a row; nothing when it is declared and called."""
    header = row["header"]
    if header not in declared:
        return "no header"
    if row["kind"] not in FUNCTIONS:
        exact, _ = find(row, declared[header])
        wanted = row["member"] or scope_of(row)[-1].split("<")[0]
        if not exact and not any(wanted in d.tokens for d in declared[header]):
            return "not declared"
        return None if is_named(row, text) else "not used"
    exact, defined = find(row, declared[header])
    if not exact:
        return "not declared so"
    lines = {(d.file, line) for d in exact + defined for line in range(d.first, d.last + 1)}
    if any(ran.get(line) for line in lines):
        return None
    tokens = exact[0].tokens
    if tokens[-2:] == ["=", "0"]:
        others = [d for d in sum(declared.values(), []) if row["member"] in d.tokens and "override" in d.tokens]
        return None if any(ran.get((d.file, d.first)) for d in others) else "not called"
    if tokens[-2:] == ["=", "delete"]:
        name = row["class"].split("::")[-1]
        return None if re.search(r"is_\w+_v < [\w: ]*\b" + name + r"\b", spaced) else "deletion not tested"
    if tokens[-2:] == ["=", "default"] and not any(line in ran for line in lines):
        # Trivial: the compiler makes no function of it.
        return None if is_named(row, text) else "not used"
    return "not called"


if __name__ == "__main__":
    main()
