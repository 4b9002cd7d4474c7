#!/usr/bin/env python3
"""Tests the look of the site that build.py wrote, in a headless Chromium, on a phone, a tablet and a desktop, and on paper.

usage: test_pages.py FOLDER SCREENSHOTS

Fails if a page is wider than the screen, if a table scrolls that could have been laid out otherwise, if code or a table is cut in print,
if the request of anything leaves the folder, if the search finds nothing, or if a text of the pages in PICTURED has too little contrast with what is behind it, light
or dark. Of those pages it writes screenshots, in both colour schemes at each width.
"""

import pathlib
import sys

from playwright.sync_api import sync_playwright

WIDTHS = (390, 768, 1280)
# The width of an A4 page between margins of 10 mm, in CSS pixels.
PAPER = 718
# Tables of numbers with at least so many columns may scroll on a phone.
SCROLLING_COLUMNS = 6
# The least contrast of text by WCAG 2.2, level AA.
CONTRAST = 4.5
PICTURED = (
    "index", "readme", "docs-tutorial", "docs-configuration", "docs-comparison", "docs-performance", "docs-platforms", "docs-python",
    "query", "examples-c-first_array-c",
)  # fmt: skip
ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
# The width of the page, and the boxes of tables and code that show less than they have: kind, columns, text.
MEASURE = """() => ({
  page: document.documentElement.scrollWidth,
  boxes: [...document.querySelectorAll('.wide, pre')].filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => {
    const table = box.querySelector('table');
    return [table ? 'table' : 'code', table ? table.rows[0].cells.length : 0, (table ?? box).textContent.trim().slice(0, 60)];
  }),
})"""
# The texts whose contrast is less than that of the argument.
FAINT = """(least) => {
  const light = (channel) => channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => 0.2126 * light(r / 255) + 0.7152 * light(g / 255) + 0.0722 * light(b / 255);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const faint = new Map();
  for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) || !element.checkVisibility()) continue;
    const both = [luminance(parts(getComputedStyle(element).color)), luminance(behind(element))].sort((a, b) => b - a);
    const contrast = (both[0] + 0.05) / (both[1] + 0.05);
    if (contrast < least) faint.set(element.tagName + '.' + element.className, `${contrast.toFixed(2)}: ${element.textContent.trim().slice(0, 40)}`);
  }
  return [...faint].map((pair) => pair.join(' '));
}"""
problems = []


def measure(page, name, width):
    """Checks a page at a width."""
    page.set_viewport_size({"width": width, "height": 900})
    result = page.evaluate(MEASURE)
    if result["page"] > width:
        problems.append(f"{name}: {result['page']} pixels wide on a screen of {width}")
    for kind, columns, text in result["boxes"]:
        if kind == "table" and (width > WIDTHS[0] or columns < SCROLLING_COLUMNS):
            problems.append(f"{name}: a table of {columns} columns scrolls on a screen of {width} pixels: {text}")


def measure_print(page, name):
    """Checks that a printed page shows all code and all tables."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": PAPER, "height": 1000})
    result = page.evaluate(MEASURE)
    problems.extend(f"{name}: {kind} is cut in print: {text}" for kind, _, text in result["boxes"])
    if result["page"] > PAPER:
        problems.append(f"{name}: {result['page']} pixels wide on paper of {PAPER}")
    page.emulate_media(media="screen")


def picture(page, file, screenshots):
    """Writes the screenshots of a page, and checks the contrast of its texts."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(file.resolve().as_uri())  # the script of the page opens or closes the menu by the width
            page.screenshot(path=screenshots / f"{file.stem}_{width}_{scheme}.png")
        problems.extend(f"{file.name}, {scheme}: contrast {text}" for text in page.evaluate(FAINT, CONTRAST))
    page.emulate_media(color_scheme="light")


def search(page, file):
    """Checks that the search finds a misspelled word on a phone."""
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    page.goto(file.resolve().as_uri())
    page.fill("#search", "vacum")
    page.locator("#results a").first.wait_for()
    if "acuum" not in page.locator("#results").inner_text():
        problems.append(f"{file.name}: the search for 'vacum' finds {page.locator('#results').inner_text()[:100]}")
    width = page.evaluate("document.documentElement.scrollWidth")
    if width > WIDTHS[0]:
        problems.append(f"{file.name}: results of the search make it {width} pixels wide on a screen of {WIDTHS[0]}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, screenshots = map(pathlib.Path, sys.argv[1:])
    screenshots.mkdir(parents=True, exist_ok=True)
    files = sorted(folder.glob("*.html"))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=[*ARGUMENTS])
        page = browser.new_page()
        page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
        page.on("request", lambda request: None if request.url.startswith("file:") else problems.append(f"{page.url} requests {request.url}"))
        for file in files:
            page.goto(file.resolve().as_uri())
            for width in WIDTHS:
                measure(page, file.name, width)
            measure_print(page, file.name)
        for name in PICTURED:
            picture(page, folder / f"{name}.html", screenshots)
        search(page, folder / "index.html")
        browser.close()
    if problems:
        sys.exit("\n".join(problems))
    print(f"{folder}: {len(files)} pages fit screens of {', '.join(map(str, WIDTHS))} pixels and paper, {len(PICTURED)} pictured in {screenshots}")


if __name__ == "__main__":
    main()
