"""Page template: menu, table of contents, links to the previous and next page."""

import html
import re

import book

# Minimum number of headings for a table of contents.
FEW = 4


def page_of(name):
    """The HTML file name for a file of the project."""
    return re.sub(r"[^\w]+", "-", name.lower().removesuffix(".md")).strip("-") + ".html"


def title_of(subject):
    """Title of a subject of the C interface."""
    return subject.replace("_", " ").replace("vfs", "virtual file system")


def entries(links, current):
    """A list of links that marks the current page."""
    mark = {current: ' aria-current="page"'}
    return "<ul>" + "".join(f'<li><a href="{page}"{mark.get(page, "")}>{text}</a></li>' for page, text in links) + "</ul>"


def folded(title, links, current):
    """A collapsible list of links, expanded if it contains the current page."""
    shown = " open" if current in [page for page, _ in links] else ""
    return f"<details{shown}><summary>{title}</summary>{entries(links, current)}</details>"


def guides_of(names):
    """File names and titles of guides."""
    return [(page_of(name), book.name_of(name)) for name in names]


def menu(site, current):
    """The menu: chapters; the reference also lists subjects of C and headers of C++."""
    c = [(f"{subject}.html", title_of(subject)) for subject in site.subjects]
    cplusplus = [(page_of("cpp-" + name), name.removesuffix(".h")) for name in site.cplusplus]
    out = []
    for chapter, names in book.CHAPTERS.items():
        out.append(f"<h2>{chapter}</h2>")
        if chapter == "Reference":
            out.append(folded("C functions", c, current) + folded("C++ classes", cplusplus, current))
        out.append(entries(guides_of(names), current))
    return "\n".join(out)


def chapters():
    """The chapters on the start page."""
    return "".join(f"<section><h3>{chapter}</h3>{entries(guides_of(names), None)}</section>" for chapter, names in book.CHAPTERS.items())


def onward(name):
    """Links to the previous and the next guide."""
    before, behind = book.neighbours(name)
    out = [f'<a rel="prev" href="{page_of(before)}"><span>Previous</span>{book.name_of(before)}</a>'] if before else []
    out += [f'<a rel="next" href="{page_of(behind)}"><span>Next</span>{book.name_of(behind)}</a>'] if behind else []
    return f'<div class="onward">{"".join(out)}</div>'


def contents(headings):
    """The table of contents of a long page."""
    if len(headings) < FEW:
        return ""
    links = "".join(f'<li><a href="#{anchor}">{html.escape(title)}</a></li>' for title, anchor in headings)
    return f'<aside><details open><summary>On this page</summary><ul>{links}</ul></details></aside>'


def page(site, name, title, body, headings):
    """The HTML of a page."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)} - libtiledb-rs</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav>
<a class="home" href="index.html">libtiledb-rs</a>
<input id="search" type="search" placeholder="Search (press /)" autocomplete="off" aria-label="Search">
<ul id="results" aria-live="polite"></ul>
<details id="menu" open><summary>Contents</summary>
{menu(site, name)}
</details>
</nav>
<main>
{contents(headings)}
<article>
{body}
</article>
</main>
<script src="search.js"></script>
<script src="site.js"></script>
</body>
</html>
"""
