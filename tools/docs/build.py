#!/usr/bin/env python3
"""Builds the documentation site: guides (README.md, docs/), examples, and the reference of the C and C++ interfaces from the
headers' comments. The site is static, has a search, and works without a network.

usage: build.py FOLDER

Fails where a function has no description, a parameter is described that does not exist, a guide is in no chapter, code that
a guide quotes is in no example, or a link is broken, in the pages or in the Markdown files of the project.

Why it is own code: docs/architecture.md, "Development tools of our own".
"""

import functools
import html
import html.parser
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
import search_index  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE = ROOT / "include" / "tiledb"
HERE = pathlib.Path(__file__).resolve().parent
GUIDES = book.guides()
# Subjects without a folder of headers.
MORE_SUBJECTS = ["query_condition", "consolidation_plan", "filestore", "stats", "serialization", "library"]
WORDS = {"serialize": "serialization", "deserialize": "serialization", "handle": "serialization"}
problems = []


def c_headers():
    """The headers of the C interface, without those of C++."""
    return sorted(path for path in INCLUDE.rglob("*.h") if path.name.startswith("tiledb") or "c_api" in path.parts)


def subject_of(symbol, folders):
    """The subject of a symbol: the folder of its header, or the longest subject that is a prefix of its name."""
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
    """Checks that a function has a description and that described parameters exist."""
    if symbol.kind not in ("function", "member"):
        return
    if not symbol.paragraphs:
        problems.append(f"{symbol.header}: {symbol.name} is not described")
    for name, _ in symbol.parameters:
        if not re.search(rf"\b{name}\b", symbol.code):
            problems.append(f"{symbol.header}: {symbol.name} has no parameter {name}")


class Site:
    """The pages by file name, and the data to resolve links."""

    def __init__(self, symbols):
        self.symbols = symbols
        self.subjects = sorted({symbol.subject for symbol in symbols.values()})
        self.pages = {}
        self.cplusplus = cpp_headers()
        self.constants = {}
        self.members = []
        self.files = set()
        self.pictures = set()
        for symbol in symbols.values():
            for constant, _ in headers.CONSTANT.findall(symbol.code):
                self.constants[constant] = symbol

    def address(self, name):
        """The URL of a symbol, or of the enumeration of a constant."""
        symbol = self.symbols.get(name) or self.constants.get(name)
        return f"{symbol.subject}.html#{symbol.name}" if symbol else None

    def link_from(self, source):
        """A function that maps link targets of a Markdown file to URLs of the site."""
        folder = pathlib.PurePosixPath(source).parent

        def link(target):
            if target.startswith("symbol:"):
                return self.address(target.removeprefix("symbol:"))
            if re.match(r"[a-z]+://|#|mailto:", target):
                return target
            path, _, anchor = target.partition("#")
            file = (ROOT / folder / path).resolve()
            if not file.exists():
                problems.append(f"{source}: the link to {target} is broken")
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
        """The file names of the pages of guides and examples."""
        return {frame.page_of(name) for name in [*GUIDES, *examples(), "examples-c"]}

    def add(self, name, title, body, headings=()):
        """Adds a page with navigation and, for several headings, a table of contents."""
        self.pages[name] = frame.page(self, name, title, body, headings)


def suffix(name):
    """The file name extension, which selects the highlighting."""
    return pathlib.PurePosixPath(name).suffix.removeprefix(".")


def program(name):
    """The source of an example, without the line for the script that runs it."""
    return (ROOT / name).read_text().removeprefix("/* arguments: DATA */\n")


def about_of(name):
    """The comment at the beginning of an example."""
    about = re.search(r"(?:/\*|//) *(.+?)(?:\*/|\n *\*?\n|\n[^ /*])", program(name), re.DOTALL)
    return " ".join(re.sub(r"^\s*(//|\*)", "", line).strip() for line in about[1].splitlines()) if about else ""


@functools.cache
def examples():
    """The example programs, in C and C++, with what they show."""
    files = [*(ROOT / "examples-c").glob("*.c"), *(ROOT / "examples-c" / "cpp").glob("*.cpp")]
    names = sorted(file.relative_to(ROOT).as_posix() for file in files)
    return {name: about_of(name) for name in names}


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
    out.append(markdown.code_block(headers.signature(symbol, site.address)))
    text = "\n\n".join("\n".join(paragraph) for paragraph in symbol.paragraphs)
    out.append(markdown.render(text, lambda target: site.address(target.removeprefix("symbol:"))))
    if symbol.parameters:
        rows = "".join(f"<tr><th>{name}</th><td>{markdown.breakable(inline(' '.join(text)))}</td></tr>" for name, text in symbol.parameters)
        out.append(markdown.wide(rows))
    out.extend(f"<p><strong>{what}</strong> {inline(' '.join(text))}</p>" for what, text in symbol.results)
    out.append(f'<p class="header">tiledb/{symbol.header}</p></section>')
    return "\n".join(out)


def add_reference(site):
    """A page per subject, functions after types."""
    order = ["macro", "constant", "type", "function"]
    for subject in site.subjects:
        of = [symbol for symbol in site.symbols.values() if symbol.subject == subject]
        of.sort(key=lambda symbol: (order.index(symbol.kind), symbol.deprecated, symbol.name))
        rows = "".join(f'<tr><td><a href="#{s.name}">{markdown.breakable(s.name)}</a></td><td>{markdown.inline(s.brief, lambda _: None)}</td></tr>' for s in of)
        body = [f"<h1>{frame.title_of(subject).capitalize()}</h1>{markdown.wide(rows)}"]
        body.extend(described(site, symbol) for symbol in of)
        site.add(f"{subject}.html", frame.title_of(subject), "\n".join(body))


def add_cplusplus(site):
    """A page for each C++ header with public declarations: classes with their members, and free functions."""
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
                shown = markdown.breakable(html.escape(own))
                shown = f"<strong>{shown}</strong>" if symbol.kind == "class" else shown
                rows.append(f'<tr><td><a href="#{anchor}">{shown}</a></td><td>{markdown.inline(symbol.brief, lambda _: None)}</td></tr>')
                site.members.append([f"tiledb::{own}", f"{frame.page_of('cpp-' + header)}#{anchor}", symbol.kind, symbol.brief, ""])
        body = f"<h1>&lt;tiledb/{header}&gt;</h1>{markdown.wide(''.join(rows))}" + "\n".join(sections)
        site.add(frame.page_of("cpp-" + header), header, body)


def cpp_headers():
    """The C++ headers with public declarations."""
    c_names = {path.name for path in c_headers()}
    names = sorted(path.name for path in INCLUDE.glob("*.h") if path.name not in c_names)
    return [name for name in names if cplusplus.read(INCLUDE / name, name)]


def add_guides(site):
    """Pages of the guides, of files that they link to, and of the examples."""
    for name in GUIDES:
        text = (ROOT / name).read_text()
        body = markdown.render(text, site.link_from(name)) + frame.onward(name)
        site.add(frame.page_of(name), book.name_of(name), body, markdown.headings(text))
    for name in sorted(site.files):
        lines = (ROOT / name).read_text().splitlines()
        site.add(frame.page_of(name), name, f"<h1>{name}</h1>" + markdown.code(lines, language=suffix(name)))
    rows = []
    for name, about in examples().items():
        body = f"<h1>{name}</h1>" + markdown.code(program(name).splitlines(), site.link_from(name), suffix(name))
        expected = ROOT / pathlib.PurePosixPath(name).parent / "expected" / (pathlib.PurePosixPath(name).stem + ".txt")
        if expected.exists():
            body += "<h2>Output</h2>" + markdown.code(expected.read_text().splitlines())
        site.add(frame.page_of(name), name, body)
        rows.append(f'<tr><td><a href="{frame.page_of(name)}">{markdown.breakable(name)}</a></td><td>{html.escape(about)}</td></tr>')
    body = f"<h1>Examples</h1>{markdown.wide(''.join(rows))}" + frame.onward("examples-c")
    site.add("examples-c.html", "Examples", body)


def add_index(site):
    """The start page: chapters, and the reference by subject."""
    rows = []
    for subject in site.subjects:
        of = [symbol for symbol in site.symbols.values() if symbol.subject == subject]
        functions = sum(symbol.kind == "function" for symbol in of)
        rows.append(f'<tr><td><a href="{subject}.html">{frame.title_of(subject)}</a></td><td>{functions} functions</td></tr>')
    count = sum(symbol.kind == "function" for symbol in site.symbols.values())
    body = f"""<h1>libtiledb-rs</h1>
<p class="lead">Dense and sparse arrays in files and object stores, for programs in C, C++, Python, Rust and other languages. Begin with the
<a href="docs-tutorial.html">tutorial</a>; the search covers the text of all guides, configuration parameters, options of the
command-line tool, functions, types and constants.</p>
<div class="chapters">{frame.chapters()}</div>
<h2 id="functions">The C interface</h2>
<p>{count} functions by subject. The classes of C++, one header each, are in the menu.</p>
{markdown.wide(''.join(rows))}"""
    site.add("index.html", "The book", body)


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
    """Checks that every link between pages resolves; the number of links."""
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
                problems.append(f"{name}: the link to {target} is broken")
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
    assets = {name: (HERE / name).read_text() for name in ("style.css", "search.js", "site.js")}
    assets["index.js"] = search_index.build(site, GUIDES, examples())
    assets.update((pathlib.PurePosixPath(name).name, (ROOT / name).read_text()) for name in sorted(site.pictures))
    problems.extend(f"{name} is in no chapter of tools/docs/book.py" for name in book.missing())
    problems.extend(book.restated_platforms())
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
    print(f"{folder}/index.html: {len(site.pages)} pages, {len(site.symbols)} symbols, {count} links, none broken")


if __name__ == "__main__":
    main()
