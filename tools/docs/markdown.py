"""Turns the Markdown of this project into HTML: headings, paragraphs, lists, tables, code, links and images."""

import html
import re


def slug(title):
    """The anchor of a heading, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def inline(text, link):
    """Code, emphasis and links within a line; `link` turns a target into an address."""
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
    """Code that is a function's name leads to its description."""
    target = link("symbol:" + code.removesuffix("()"))
    return f'<a href="{target}">{code}</a>' if target else code


def table(lines, link):
    """A table of a heading, a line of dashes and rows."""
    def row(line, tag):
        cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
        return "<tr>" + "".join(f"<{tag}>{inline(cell.strip(), link)}</{tag}>" for cell in cells) + "</tr>"

    rows = row(lines[0], "th") + "".join(row(line, "td") for line in lines[2:])
    return f'<div class="wide"><table>{rows}</table></div>'


def items(lines, link):
    """A list, whose items may go on over indented lines."""
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


def code(lines, link=None):
    """A block of code; with `link`, names of functions and types lead to their descriptions."""
    text = html.escape("\n".join(lines), quote=False)
    if link:
        text = re.sub(r"\btiledb_\w+", lambda word: link_code(word[0], link), text)
    return f"<pre><code>{text}</code></pre>"


def blocks(text):
    """The blocks of a text: code whole, everything else divided at empty lines and headings."""
    block, fenced = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            if fenced:
                yield "code", block
            elif block:
                yield "text", block
            block, fenced = [], not fenced
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
    """The headings of the second level, as plain text, with their anchors."""
    titles = [lines[0].lstrip("# ") for kind, lines in blocks(text) if kind == "heading" and lines[0].startswith("## ")]
    return [(re.sub(r"[`*]", "", title), slug(title)) for title in titles]


def render(text, link):
    """The HTML of a text."""
    out = []
    for kind, lines in blocks(text):
        first = lines[0] if lines else ""
        if kind == "code":
            out.append(code(lines, link))
        elif kind == "heading":
            depth, title = len(first) - len(first.lstrip("#")), first.lstrip("# ")
            out.append(f'<h{depth} id="{slug(title)}">{inline(title, link)}</h{depth}>')
        elif all(line.startswith("    ") for line in lines):
            out.append(code([line[4:] for line in lines]))
        elif first.startswith("|"):
            out.append(table(lines, link))
        elif re.match(r"(?:[-*]|\d+\.) ", first):
            out.append(items(lines, link))
        else:
            start = next((n for n, line in enumerate(lines) if re.match(r"[-*] ", line)), len(lines))
            out.append("<p>" + inline(" ".join(lines[:start]), link) + "</p>")
            if start < len(lines):
                out.append(items(lines[start:], link))
    return "\n".join(out)
