"""Renderer of the Markdown subset of this project: headings, paragraphs, lists, tables, code, links and images."""

import html
import re

import highlight

# Headings of first columns whose rows define names, which get anchors.
DEFINING = ("parameter", "option")
# Words in tables of at least so many characters may wrap inside.
LONG_WORD = 14
# Tables of at least so many columns have smaller letters.
MANY_COLUMNS = 8
# A table of at most so many columns is stacked on narrow screens if its cells have sentences, of at least so many characters, or long names.
STACKED_COLUMNS, SENTENCE = 6, 30


def slug(title):
    """The anchor of a heading, in the format of GitHub."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def inline(text, link):
    """Renders inline code, emphasis and links; `link` maps targets to URLs."""
    parts = re.split(r"(`[^`]+`)", text)
    for number, part in enumerate(parts):
        if part.startswith("`") and part.endswith("`") and len(part) > 1:
            parts[number] = f"<code>{link_code(html.escape(part[1:-1]), link)}</code>"
            continue
        part = html.escape(part, quote=False)
        part = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", part)
        part = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?!\w)", r"<em>\1</em>", part)
        parts[number] = part
    joined = "".join(parts)
    joined = re.sub(r"!\[([^\[\]]*)\]\(([^)\s]+)\)", lambda m: f'<img alt="{html.escape(m[1])}" src="{link(m[2])}">', joined)
    return re.sub(r"\[((?:[^\[\]])+)\]\(([^)\s]+)\)", lambda m: f'<a href="{link(m[2])}">{m[1]}</a>', joined)


def link_code(code, link):
    """Inline code; a function name is linked to its reference."""
    target = link("symbol:" + code.removesuffix("()"))
    return f'<a href="{target}">{code}</a>' if target else code


def breakable(cell):
    """A cell whose long words may wrap at the joints of names and paths."""
    parts = re.split(r"(<[^>]+>|&\w+;|\s+)", cell)
    for number, part in enumerate(parts):
        if len(part) >= LONG_WORD and not part.startswith("<"):
            parts[number] = re.sub(r"(?<=[\w*])(_+|::|[./,:=+-])(?=[\w*<])|(?<=[a-z])(?=[A-Z])", r"\1<wbr>", part)
    return "".join(parts)


def wide(rows, columns=2, stacked=True):
    """A table in a container that scrolls, so that the page does not. On narrow screens a stacked table shows the cells of a row below
    each other; one of many columns has smaller letters."""
    classes = (["stacked"] if stacked else []) + (["many"] if columns >= MANY_COLUMNS else [])
    return f'<div class="wide"><table class="{" ".join(classes)}">{rows}</table></div>'


def cells(line):
    """The cells of a table row."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def table(lines, link, anchors):
    """A table; `anchors` returns the anchors that a row defines."""
    titles = [re.sub(r"[`*]", "", cell) for cell in cells(lines[0])]

    def row(line, tag):
        ids = "".join(f'<span id="{html.escape(anchor)}"></span>' for anchor in (anchors(line) if tag == "td" else ()))
        inner = [breakable(inline(cell, link)) for cell in cells(line)]
        inner[0] = ids + inner[0]
        # A stacked cell shows the title of its column, which its row does not have.
        labels = [f' data-label="{html.escape(title)}"' if tag == "td" and number else "" for number, title in enumerate(titles)]
        return "<tr>" + "".join(f"<{tag}{label}>{cell}</{tag}>" for label, cell in zip(labels, inner, strict=False)) + "</tr>"

    longest = max(len(plain(cell)) for line in lines[2:] for cell in cells(line))
    stacked = len(titles) <= STACKED_COLUMNS and longest >= SENTENCE
    return wide(row(lines[0], "th") + "".join(row(line, "td") for line in lines[2:]), len(titles), stacked)


def defined(line, kind, heading):
    """Names defined by a row, with anchors: the parameter name; for options the section's anchor and the option."""
    names = [code.split()[0] for code in re.findall(r"`([^`]+)`", cells(line)[0])]
    return [(name, name if kind == "parameter" else f"{slug(heading)}{'' if name[0] == '-' else '-'}{name}") for name in names]


def definitions(text):
    """Rows of tables that define parameters or options: kind, section heading, row, names with anchors (each anchor once)."""
    used, heading = set(), ""
    for kind, lines in blocks(text):
        if kind == "heading":
            heading = lines[0].lstrip("# ")
        elif kind == "text" and lines[0].startswith("|") and cells(lines[0])[0] in DEFINING:
            for line in lines[2:]:
                names = [(name, anchor) for name, anchor in defined(line, cells(lines[0])[0], heading) if anchor not in used]
                used.update(anchor for _, anchor in names)
                yield cells(lines[0])[0], heading, line, names


def items(lines, link):
    """A list; indented lines continue an item."""
    ordered = re.match(r"\d+\.", lines[0])
    entries = []
    for line in lines:
        start = re.match(r"(?:[-*]|\d+\.) +(.*)", line)
        if start:
            entries.append(start[1])
        else:
            entries[-1] += " " + line.strip()
    tag = "ol" if ordered else "ul"
    return f"<{tag}>" + "".join(f"<li>{inline(entry, link)}</li>" for entry in entries) + f"</{tag}>"


def code(lines, link=None, language=""):
    """A highlighted code block; with `link`, functions and types are linked to the reference."""
    address = (lambda name: link("symbol:" + name)) if link else (lambda name: None)
    return code_block(highlight.render("\n".join(lines), language, address))


def code_block(shown):
    """The scrolling container of code, to which site.js adds a copy button."""
    return f'<div class="code"><pre><code>{shown}</code></pre></div>'


def blocks(text):
    """Splits a text into blocks: fenced code with its fence, headings, and paragraphs separated by empty lines."""
    block, fenced = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            if fenced:
                yield "code", block
            elif block:
                yield "text", block
            block, fenced = [] if fenced else [line], not fenced
        elif fenced:
            block.append(line)
        elif not line.strip() or line.startswith("#"):
            if block:
                yield "text", block
            block = []
            if line.startswith("#"):
                yield "heading", [line]
        else:
            block.append(line)
    if block:
        yield "text", block


def headings(text):
    """Second-level headings as plain text, with anchors."""
    titles = [lines[0].lstrip("# ") for kind, lines in blocks(text) if kind == "heading" and lines[0].startswith("## ")]
    return [(re.sub(r"[`*]", "", title), slug(title)) for title in titles]


def render(text, link):
    """Renders a text as HTML."""
    out = []
    anchors = {line: [anchor for _, anchor in names] for _, _, line, names in definitions(text)}
    for kind, lines in blocks(text):
        first = lines[0]
        if kind == "code":
            out.append(code(lines[1:], link, first.strip("` ")))
        elif kind == "heading":
            depth, title = len(first) - len(first.lstrip("#")), first.lstrip("# ")
            out.append(f'<h{depth} id="{slug(title)}">{inline(title, link)}</h{depth}>')
        elif all(line.startswith("    ") for line in lines):
            out.append(code([line[4:] for line in lines]))
        elif first.startswith("|"):
            out.append(table(lines, link, lambda line: anchors.pop(line, [])))
        elif re.match(r"(?:[-*]|\d+\.) ", first):
            out.append(items(lines, link))
        else:
            start = next((n for n, line in enumerate(lines) if re.match(r"[-*] ", line)), len(lines))
            out.append("<p>" + inline(" ".join(lines[:start]), link) + "</p>")
            if start < len(lines):
                out.append(items(lines[start:], link))
    return "\n".join(out)


def plain(text):
    """A text without markup, for the search index."""
    text = re.sub(r"!?\[([^\[\]]*)\]\([^)\s]+\)", r"\1", text)
    text = re.sub(r"^\|[-:| ]+\|$|^```\w*$|^#+ ", "", text, flags=re.MULTILINE)
    return " ".join(re.sub(r"[`*|]+", " ", text).split())


def sections(text):
    """Introduction and sections of a text as (title, anchor, plain text); the introduction has no title."""
    parts = [["", "", []]]
    for kind, lines in blocks(text):
        if kind == "heading" and re.match(r"##+ ", lines[0]):
            title = lines[0].lstrip("# ")
            parts.append([re.sub(r"[`*]", "", title), slug(title), []])
        elif kind != "heading":
            parts[-1][2].append(plain("\n".join(lines)))
    return [(title, anchor, " ".join(texts)) for title, anchor, texts in parts]


def terms(text):
    """Glossary entries, `- **Term**: definition`, as (terms, section anchor, definition)."""
    anchor = ""
    for kind, lines in blocks(text):
        if kind == "heading":
            anchor = slug(lines[0].lstrip("# "))
        elif kind == "text" and lines[0].startswith("- **"):
            for entry in re.split(r"^- ", "\n".join(lines), flags=re.MULTILINE)[1:]:
                names, _, definition = entry.partition(":")
                yield re.findall(r"\*\*([^*]+)\*\*", names), anchor, plain(definition)
