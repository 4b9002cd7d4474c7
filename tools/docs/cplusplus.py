"""Reads the C++ headers: the public classes of namespace tiledb, their members and free functions, with their comments."""

import re

import headers

TOKEN = re.compile(
    r"""(?P<comment>/\*\*(?:[^*]|\*(?!/))*\*/)
      | (?P<skipped>/\*(?:[^*]|\*(?!/))*\*/ | //[^\n]* | ^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
      | (?P<text>"(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*')
      | (?P<access>\b(?:public|private|protected)\s*:(?!:))
      | (?P<mark>[{};()])
      | (?P<other>[^{};()/"'#pP\n]+ | .|\n)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
CLASS = re.compile(r"(?:^|\s)(class|struct|union)\s+(?:[A-Z_]+\s+)?([\w:]+(?:<[^{}]*>)?)\s*(?:final\s*)?(?::[^:].*)?$", re.DOTALL)
INITIALISED = re.compile(r"\)\s*(?:const\s*|noexcept\s*|override\s*)*:(?!:).*[\w>]\s*$", re.DOTALL)
HIDDEN = ("impl", "detail", "internal")


class Reader:
    """Parser of a header that tracks the current scope."""

    def __init__(self, path, header):
        self.header = header
        self.tokens = list(TOKEN.finditer(path.read_text(encoding="utf-8")))
        self.place = 0
        self.found = []

    def skip(self, opening="{", closing="}"):
        """Skips to the matching closing bracket; returns the text in between."""
        depth, text = 1, ""
        while depth and self.place < len(self.tokens):
            token = self.tokens[self.place]
            self.place += 1
            if token["mark"] == opening:
                depth += 1
            elif token["mark"] == closing:
                depth -= 1
            if not token["comment"] and not token["skipped"]:
                text += token[0]
        return text

    def scope(self, name, visible):
        """Reads to the end of a namespace or class."""
        head, comment = "", None
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            self.place += 1
            if token["comment"]:
                head, comment = "", token[0]
            elif token["skipped"]:
                continue
            elif token["access"]:
                head, comment, visible = "", None, token[0].startswith("public")
            elif token[0] == "(":
                head += "(" + self.skip("(", ")")
            elif token[0] == ";":
                self.record(name, head, comment, visible)
                head, comment = "", None
            elif token[0] == "}":
                return
            elif token[0] == "{":
                if self.block(name, head, comment, visible):
                    head, comment = "", None
            else:
                head += token[0]

    def block(self, name, head, comment, visible):
        """Reads a braced block: a scope or a body (True), or a member initializer before the body (False)."""
        head = head.strip()
        space = re.match(r"(?:inline )?namespace\s+([\w:]+)", head)
        kind = None if "(" in re.sub(r"template\s*<.*?>\s*(?=class|struct)", "", head, flags=re.DOTALL) else CLASS.search(head)
        if space or head.startswith("extern"):
            self.scope(name, not space or space[1].split("::")[-1] not in HIDDEN)
        elif kind and not head.startswith("enum"):
            if comment:
                self.record(kind[2], head, comment, visible)
            self.scope(kind[2] if name == "" else f"{name}::{kind[2]}", visible and kind[1] != "class")
        elif INITIALISED.search(head):
            self.skip()
            return False
        else:
            body = self.skip()
            self.record(name, head + (" {" + body if head.startswith("enum") else ""), comment, visible)
        return True

    def record(self, name, head, comment, visible):
        """Records a declaration that is public and has a comment."""
        if not comment or not visible or not head.strip():
            return
        code = re.sub(r"\)\s*((?:const\s*|noexcept\s*)*):(?!:).*", r") \1", head, flags=re.DOTALL)
        code = re.sub(r"\s+", " ", re.sub(r"\b(inline|friend) ", "", code)).strip()
        symbol = headers.Symbol(name_of(code), "class" if CLASS.search(without_template(code)) else "member", code, self.header)
        headers.describe(symbol, comment)
        symbol.subject = name
        self.found.append(symbol)


def without_template(code):
    """A declaration without the `template <...>` before it."""
    while code.startswith("template"):
        depth, place = 0, code.index("<")
        for place in range(place, len(code)):
            depth += {"<": 1, ">": -1}.get(code[place], 0)
            if depth == 0:
                break
        code = code[place + 1 :].strip()
    return code


def name_of(code):
    """The name that a declaration declares."""
    code = without_template(code)
    kind = None if "(" in code else CLASS.search(code)
    if kind:
        return kind[2]
    for pattern in (r"^enum (?:class |struct )?(\w+)", r"^using (\w+)", r"(operator\s*(?:\(\)|[^(]+?))\s*\(", r"(~?\w+)\s*\(", r"(\w+)\s*(?:=.*)?$"):
        word = re.search(pattern, code)
        if word:
            return word[1]
    return code


def read(path, header):
    """The symbols of a header, in its order; `subject` is the class they are in."""
    reader = Reader(path, header)
    while reader.place < len(reader.tokens):
        reader.scope("", True)
    return reader.found
