"""Parser of the C headers: declarations with their documentation comments."""

import dataclasses
import re

import highlight

# A documentation comment, and the declaration after it up to its end.
ITEM = re.compile(
    r"(?P<comment>/\*\*(?:[^*]|\*(?!/))*\*/)\s*"
    r"(?P<code>#define[^\n]*|typedef (?:enum|struct)[^;{]*\{.*?\n\}[^;]*;|[^;{}]*;)",
    re.DOTALL,
)
DEFINE = re.compile(r"^#define (?P<name>TILEDB_\w+)(?P<rest>[^\n]*)", re.MULTILINE)
CONSTANT = re.compile(r"^  (TILEDB_\w+) = ([^,]+),", re.MULTILINE)
NOT_DEFINES = ("_H", "_EXPORT", "NOEXCEPT", "TILEDB_DEPRECATED")


@dataclasses.dataclass
class Symbol:
    """A function, type, constant or macro of the interface."""

    name: str
    kind: str
    code: str
    header: str
    paragraphs: list = dataclasses.field(default_factory=list)
    parameters: list = dataclasses.field(default_factory=list)
    results: list = dataclasses.field(default_factory=list)
    deprecated: bool = False
    subject: str = ""

    @property
    def brief(self):
        """The first sentence."""
        whole = " ".join(self.paragraphs[0]) if self.paragraphs else ""
        return re.split(r"(?<=[.;:]) (?=[A-Z])", whole, maxsplit=1)[0] if whole else ""


def comment_lines(comment):
    """The lines of a comment without its stars."""
    return [re.sub(r"^\s*\*? ?", "", line) for line in comment[3:-2].strip("\n").splitlines()]


def describe(symbol, comment):
    """Puts a comment's paragraphs (Markdown, code in fences), parameters, results and exceptions into the symbol."""
    paragraph, fenced = None, False
    for line in comment_lines(comment):
        if fenced or line.startswith("```"):
            if not fenced:
                paragraph = []
                symbol.paragraphs.append(paragraph)
            paragraph.append(line)
            fenced ^= line.startswith("```")
            continue
        tag = re.match(r"@(t?param \w+|return|throws)\s+(.*)", line)
        if tag and "param" in tag[1]:
            paragraph = [tag[2]]
            symbol.parameters.append((tag[1].split()[1], paragraph))
        elif tag:
            paragraph = [tag[2]]
            symbol.results.append((tag[1].capitalize() + ("s" if tag[1] == "return" else ""), paragraph))
        elif not line.strip():
            paragraph = None
        elif paragraph is None:
            paragraph = [line.strip()]
            symbol.paragraphs.append(paragraph)
        else:
            paragraph.append(line.strip())


def name_of(code):
    """Name and kind of a declaration."""
    if code.startswith("#define"):
        return code.split()[1].split("(")[0], "macro"
    if code.startswith("typedef"):
        pointer = re.search(r"\(\*(\w+)\)", code)
        return (pointer or re.search(r"(\w+);$", code)).group(1), "type"
    head = code.split("(")[0]
    kind = "function" if "(" in code.replace("extern", "") else "constant"
    name = re.search(r"(\w+)\s*;?\s*$", head)
    return name.group(1) if name else "", kind


def read(path, header):
    """The symbols of a header, in source order."""
    source = path.read_text(encoding="utf-8")
    found = []
    for match in ITEM.finditer(source):
        code = match["code"].strip()
        name, kind = name_of(code)
        if not name.lower().startswith(("tiledb_", "capi_")):
            continue
        symbol = Symbol(name, kind, code, header, deprecated="TILEDB_DEPRECATED" in code)
        describe(symbol, match["comment"])
        symbol.code = re.sub(r"^(TILEDB_DEPRECATED_EXPORT|TILEDB_EXPORT) |\s*TILEDB_NOEXCEPT", "", code)
        found.append(symbol)
    known = {symbol.name for symbol in found}
    for match in DEFINE.finditer(source):
        if match["name"] not in known and not match["name"].endswith(NOT_DEFINES) and "_ENUM" not in match["name"]:
            known.add(match["name"])
            found.append(Symbol(match["name"], "macro", match[0], header))
    return found


def signature(symbol, address):
    """The declaration as HTML, with links to the types that `address` knows."""
    return highlight.render(symbol.code, "c", lambda name: address(name) if name != symbol.name else None)
