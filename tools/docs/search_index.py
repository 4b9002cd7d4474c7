"""Search index: `[title, URL, kind, description, text]` of every page, section, term, parameter, option and symbol."""

import json
import pathlib
import re

import book
import frame
import markdown


def of_guide(name, text):
    """Entries of a guide: page, sections with their full text, glossary terms, and the parameters or options that its tables define."""
    page, guide = frame.page_of(name), book.name_of(name)
    for title, anchor, words in markdown.sections(text):
        if title:
            yield [title, f"{page}#{anchor}", "change" if name == "CHANGELOG.md" else "section", guide, words]
        else:
            yield [guide, page, "guide", words[:160], words]
    if name == book.GLOSSARY:
        yield from ([term, f"{page}#{anchor}", "term", about, ""] for terms, anchor, about in markdown.terms(text) for term in terms)
    if name in book.DEFINING:
        for kind, heading, line, names in markdown.definitions(text):
            cells = [markdown.plain(cell) for cell in markdown.cells(line)]
            for defined, anchor in names:
                if kind == "option" and not defined.startswith("-"):
                    continue  # an argument: its command's section has it
                yield [title_of(kind, heading, defined), f"{page}#{anchor}", kind, cells[-1], " ".join(cells)]


def title_of(kind, heading, name):
    """Title of an entry: the parameter, or command and option."""
    if kind == "parameter":
        return name
    command = heading if re.fullmatch(r"[a-z]+", heading) else "tiledb-rs"
    return f"{command} {name}"


def of_symbols(site):
    """Entries of the C interface: symbols, and constants of enumerations."""
    for symbol in site.symbols.values():
        yield [symbol.name, site.address(symbol.name), symbol.kind, symbol.brief, ""]
    for name, symbol in site.constants.items():
        yield [name, site.address(name), "constant", f"in {symbol.name}", ""]


def libraries():
    """The scripts of tools/docs/vendor, as scripts that are not modules: those a page opened from a folder (file://) may not load."""
    vendor = pathlib.Path(__file__).parent / "vendor"
    licences = (vendor / "LICENSES.txt").read_text().rstrip()
    scripts = [(vendor / name).read_text() for name in ("minisearch.js", "stemmer.js")]
    return f"/*\n{licences}\n*/\n" + "\n".join(scripts).replace("\nexport function", "\nfunction")


def build(site, guides, examples):
    """The libraries of the search and the index, as a script since pages opened from a folder may load scripts but not data."""
    entries = [*of_symbols(site), *site.members]
    for name in guides:
        entries += of_guide(name, (book.ROOT / name).read_text())
    entries += [[pathlib.PurePosixPath(name).name, frame.page_of(name), "example", about, ""] for name, about in examples.items()]
    return libraries() + "const INDEX = " + json.dumps(sorted(entries), separators=(",", ":"), ensure_ascii=False) + ";\n"
