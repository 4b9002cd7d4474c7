#!/usr/bin/env python3
"""Builds the book: guides (README.md, docs/), examples, and the reference of the C and C++ interfaces from the headers' comments:
a static site with search, which needs no network.

usage: build.py FOLDER

Fails where a function has no description, a parameter is described that does not exist, a guide is in no chapter, code that
a guide quotes stands in no example, or a link leads nowhere, in the pages or in the Markdown files of the project.
"""

import html
import html.parser
import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import book  # noqa: E402
import cplusplus  # noqa: E402
import frame  # noqa: E402
import headers  # noqa: E402
import markdown  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE = ROOT / "include" / "tiledb"
HERE = pathlib.Path(__file__).resolve().parent
GUIDES = book.guides()
# Subjects of functions that no header of their own declares; else the folder of the header is the subject.
MORE_SUBJECTS = ["query_condition", "consolidation_plan", "filestore", "stats", "serialization", "library"]
WORDS = {"serialize": "serialization", "deserialize": "serialization", "handle": "serialization"}
problems = []


def c_headers():
    """The C headers: those that C++ does not need."""
    return sorted(path for path in INCLUDE.rglob("*.h") if path.name.startswith("tiledb") or "c_api" in path.parts)


def subject_of(symbol, folders):
    """What a symbol is about: the folder of its header, or the longest subject that its name begins with."""
    parts = pathlib.PurePath(symbol.header).parts
    if len(parts) > 3:
        return parts[2]
    words = symbol.name.lower().removeprefix("tiledb_").removeprefix("experimental_")
    if words.split("_")[0] in WORDS or "serialization" in symbol.header:
        return "serialization"
    fitting = [subject for subject in [*folders, *MORE_SUBJECTS] if words.startswith(subject)]
    return max(fitting, key=len, default="library")


def read_symbols():
    """All symbols of the C headers, described and checked."""
    found = {}
    for path in c_headers():
        name = path.relative_to(INCLUDE).as_posix()
        for symbol in headers.read(path, name):
            found.setdefault(symbol.name, symbol)
    folders = sorted({path.parent.name for path in c_headers() if path.parent.parent.name == "c_api"})
    for symbol in found.values():
        symbol.subject = subject_of(symbol, folders)
        check(symbol)
    return found


def check(symbol):
    """A function has a description, and the parameters that are described are there."""
    if symbol.kind not in ("function", "member"):
        return
    if not symbol.paragraphs:
        problems.append(f"{symbol.header}: {symbol.name} is not described")
    for name, _ in symbol.parameters:
        if not re.search(rf"\b{name}\b", symbol.code):
            problems.append(f"{symbol.header}: {symbol.name} has no parameter {name}")


class Site:
    """The pages, by file name, and what links need to know."""

    def __init__(self, symbols):
        self.symbols = symbols
        self.subjects = sorted({symbol.subject for symbol in symbols.values()})
        self.pages = {}
        self.cplusplus = cpp_headers()
        self.constants = {}
        self.more = []
        self.files = set()
        self.pictures = set()
        for symbol in symbols.values():
            for constant, _ in headers.CONSTANT.findall(symbol.code):
                self.constants[constant] = symbol

    def address(self, name):
        """The place of a symbol, or of the enumeration that has this constant."""
        symbol = self.symbols.get(name) or self.constants.get(name)
        return f"{symbol.subject}.html#{symbol.name}" if symbol else None

    def link_from(self, source):
        """Turns the links of a Markdown file into addresses of the site."""
        folder = pathlib.PurePosixPath(source).parent

        def link(target):
            if target.startswith("symbol:"):
                return self.address(target.removeprefix("symbol:"))
            if re.match(r"[a-z]+://|#|mailto:", target):
                return target
            path, _, anchor = target.partition("#")
            file = (ROOT / folder / path).resolve()
            if not file.exists():
                problems.append(f"{source}: the link to {target} leads nowhere")
                return "#"
            name = file.relative_to(ROOT).as_posix() if file != ROOT else ""
            if file.suffix == ".svg":
                self.pictures.add(name)
                return file.name
            if file.is_file() and frame.page_of(name) not in self.known_pages():
                self.files.add(name)
            return (frame.page_of(name) if file.is_file() or name == "examples-c" else "index.html") + (f"#{anchor}" if anchor else "")

        return link

    def known_pages(self):
        """The pages that guides and examples become."""
        return {frame.page_of(name) for name in [*GUIDES, *examples(), "examples-c"]}

    def add(self, name, title, body, headings=()):
        """Adds a page with the frame that all have, and a table of contents where there are several headings."""
        self.pages[name] = frame.page(self, name, title, body, headings)


def examples():
    """The example programs, in C and C++."""
    files = [*(ROOT / "examples-c").glob("*.c"), *(ROOT / "examples-c" / "cpp").glob("*.cpp")]
    return sorted(file.relative_to(ROOT).as_posix() for file in files)


def described(site, symbol, anchor=None):
    """A symbol's description."""
    anchor = anchor or symbol.name
    def inline(text):
        return markdown.inline(text, lambda target: site.address(target.removeprefix("symbol:")))

    out = [f'<section id="{anchor}"><h2><a href="#{anchor}">{html.escape(symbol.name)}</a></h2>']
    if symbol.deprecated:
        out.append('<p class="note">Deprecated.</p>')
    elif "experimental" in symbol.header:
        out.append('<p class="note">May still change.</p>')
    out.append(f"<pre><code>{headers.signature(symbol, site.address)}</code></pre>")
    text = "\n\n".join("\n".join(paragraph) for paragraph in symbol.paragraphs)
    out.append(markdown.render(text, lambda target: site.address(target.removeprefix("symbol:"))))
    if symbol.parameters:
        rows = "".join(f"<tr><th>{name}</th><td>{inline(' '.join(text))}</td></tr>" for name, text in symbol.parameters)
        out.append(f"<table>{rows}</table>")
    out.extend(f"<p><strong>{what}</strong> {inline(' '.join(text))}</p>" for what, text in symbol.results)
    out.append(f'<p class="header">tiledb/{symbol.header}</p></section>')
    return "\n".join(out)


def add_reference(site):
    """A page per subject, functions after types."""
    order = ["macro", "constant", "type", "function"]
    for subject in site.subjects:
        of = [symbol for symbol in site.symbols.values() if symbol.subject == subject]
        of.sort(key=lambda symbol: (order.index(symbol.kind), symbol.deprecated, symbol.name))
        rows = "".join(f'<tr><td><a href="#{s.name}">{s.name}</a></td><td>{markdown.inline(s.brief, lambda _: None)}</td></tr>' for s in of)
        body = [f"<h1>{frame.title_of(subject).capitalize()}</h1><table>{rows}</table>"]
        body.extend(described(site, symbol) for symbol in of)
        site.add(f"{subject}.html", frame.title_of(subject), "\n".join(body))


def add_cplusplus(site):
    """A page per C++ header that has something to say: its classes with their members, and free functions."""
    for header in cpp_headers():
        symbols = cplusplus.read(INCLUDE / header, header)
        rows, sections, used = [], [], {}
        for symbol in symbols:
            own = symbol.name if symbol.kind == "class" or not symbol.subject else f"{symbol.subject}::{symbol.name}"
            used[own] = used.get(own, 0) + 1
            anchor = re.sub(r"\s+", "", own) + (f"-{used[own]}" if used[own] > 1 else "")
            symbol.name = own
            check(symbol)
            sections.append(described(site, symbol, anchor))
            if used[own] == 1:
                shown = f"<strong>{html.escape(own)}</strong>" if symbol.kind == "class" else html.escape(own)
                rows.append(f'<tr><td><a href="#{anchor}">{shown}</a></td><td>{markdown.inline(symbol.brief, lambda _: None)}</td></tr>')
                site.more.append([f"tiledb::{own}", f"{frame.page_of('cpp-' + header)}#{anchor}", symbol.brief])
        body = f"<h1>&lt;tiledb/{header}&gt;</h1><table>{''.join(rows)}</table>" + "\n".join(sections)
        site.add(frame.page_of("cpp-" + header), header, body)


def cpp_headers():
    """The C++ headers, but for those that only serve others."""
    c_names = {path.name for path in c_headers()}
    names = sorted(path.name for path in INCLUDE.glob("*.h") if path.name not in c_names)
    return [name for name in names if cplusplus.read(INCLUDE / name, name)]


def add_guides(site):
    """The Markdown files, the files that they link to, and a page with all examples."""
    for name in GUIDES:
        text, page = (ROOT / name).read_text(), frame.page_of(name)
        body = markdown.render(text, site.link_from(name)) + frame.onward(name)
        headings = markdown.headings(text)
        site.add(page, book.name_of(name), body, headings)
        site.more += [[title, f"{page}#{anchor}", f"in {book.name_of(name)}"] for title, anchor in headings]
        site.more.append([book.name_of(name), page, "guide"])
    for name in sorted(site.files):
        site.add(frame.page_of(name), name, f"<h1>{name}</h1>" + markdown.code((ROOT / name).read_text().splitlines()))
    rows = []
    for name in examples():
        source = (ROOT / name).read_text().removeprefix("/* arguments: DATA */\n")
        about = re.search(r"(?:/\*|//) *(.+?)(?:\*/|\n *\*?\n|\n[^ /*])", source, re.DOTALL)
        about = " ".join(re.sub(r"^\s*(//|\*)", "", line).strip() for line in about[1].splitlines()) if about else ""
        expected = ROOT / pathlib.PurePosixPath(name).parent / "expected" / (pathlib.PurePosixPath(name).stem + ".txt")
        body = f"<h1>{name}</h1>" + markdown.code(source.splitlines(), site.link_from(name))
        if expected.exists():
            body += "<h2>Output</h2>" + markdown.code(expected.read_text().splitlines())
        site.add(frame.page_of(name), name, body)
        rows.append(f'<tr><td><a href="{frame.page_of(name)}">{name}</a></td><td>{html.escape(about)}</td></tr>')
    body = f"<h1>Examples</h1><table>{''.join(rows)}</table>" + frame.onward("examples-c")
    site.add("examples-c.html", "Examples", body)


def add_index(site):
    """The first page: the chapters, and the reference by subject."""
    rows = []
    for subject in site.subjects:
        of = [symbol for symbol in site.symbols.values() if symbol.subject == subject]
        functions = sum(symbol.kind == "function" for symbol in of)
        rows.append(f'<tr><td><a href="{subject}.html">{frame.title_of(subject)}</a></td><td>{functions} functions</td></tr>')
    count = sum(symbol.kind == "function" for symbol in site.symbols.values())
    body = f"""<h1>libtiledb-rs</h1>
<p class="lead">Dense and sparse arrays in files and object stores, for C, C++ and every language that calls them. Begin with the
<a href="docs-tutorial.html">tutorial</a>; the search finds headings of guides, functions, types, constants and words of their
descriptions.</p>
<div class="chapters">{frame.chapters()}</div>
<h2 id="functions">The C interface</h2>
<p>{count} functions by subject. The classes of C++, one header each, are in the menu.</p>
<table>{''.join(rows)}</table>"""
    site.add("index.html", "The book", body)


def search_index(site):
    """What the search knows: name, address and first sentence."""
    entries = [[s.name, site.address(s.name), s.brief] for s in site.symbols.values()]
    entries += [[name, site.address(name), f"in {symbol.name}"] for name, symbol in site.constants.items()]
    entries += site.more
    entries += [[name, frame.page_of(name), "example"] for name in examples()]
    return "const INDEX = " + json.dumps(sorted(entries), separators=(",", ":")) + ";\n"


class Links(html.parser.HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, page):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        if "id" in attributes:
            self.anchors.add(attributes["id"])


def check_links(site, others):
    """Every link between the pages leads somewhere."""
    parsed = {name: Links(page) for name, page in site.pages.items()}
    count = 0
    for name, page in parsed.items():
        for target in page.links:
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            path = path or name
            if path not in parsed and path not in others:
                problems.append(f"{name}: the link to {target} leads nowhere")
            elif anchor and anchor not in parsed[path].anchors:
                problems.append(f"{name}: {path} has no #{anchor}")
    return count


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    site = Site(read_symbols())
    add_reference(site)
    add_cplusplus(site)
    add_guides(site)
    add_index(site)
    assets = {"style.css": (HERE / "style.css").read_text(), "search.js": (HERE / "search.js").read_text()}
    assets["index.js"] = search_index(site)
    assets.update((pathlib.PurePosixPath(name).name, (ROOT / name).read_text()) for name in sorted(site.pictures))
    problems.extend(f"{name} is in no chapter of tools/docs/book.py" for name in book.missing())
    problems.extend(message for name in book.QUOTING for message in book.unfounded(name))
    count = check_links(site, assets)
    functions = {row.split("\t")[0] for row in (ROOT / "capi-tests/abi/functions.tsv").read_text().splitlines()[1:]}
    problems.extend(f"{name} is not in the reference" for name in sorted(functions - set(site.symbols)))
    if problems:
        sys.exit("\n".join(dict.fromkeys(problems)))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in {**site.pages, **assets}.items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"{folder}/index.html: {len(site.pages)} pages, {len(site.symbols)} symbols, {count} links, all lead somewhere")


if __name__ == "__main__":
    main()
