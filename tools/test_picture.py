"""Opens pictures in a headless Chromium: no error in its console, drawn in time, keys and pointer answer.

Usage: test_picture.py TOOL ARRAYS FOLDER: of each array in ARRAYS, which tools/picture_arrays.py writes, a picture and its
screenshots go to FOLDER.
"""

import pathlib
import subprocess
import sys

from playwright.sync_api import sync_playwright

LIMIT = 2000  # milliseconds until all is drawn


def picture(tool, array, file, *arguments):
    subprocess.run([tool, "picture", str(array), "-o", str(file), *arguments], check=True, stdout=subprocess.DEVNULL)


# What the panel of cells and values must show.
SHOWN = {"points": ["number of cells", "height", "id"], "image": ["v"], "line": ["number of cells", "a"],
         "clusters": ["number of cells", "heat"]}
# Labels of drawings that reach out of them.
CLIPPED = """[...document.querySelectorAll('svg text')].filter((text) => {
  const inner = text.getBoundingClientRect(), outer = text.ownerSVGElement.getBoundingClientRect();
  return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
}).map((text) => text.textContent)"""


def look(browser, file, folder, dark):
    page = browser.new_page(viewport={"width": 1360, "height": 1000}, color_scheme="dark" if dark else "light")
    wrong = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else wrong.append(request.url))
    page.goto(file.resolve().as_uri())
    drawn = float(page.evaluate("document.documentElement.dataset.drawn"))
    all_told = page.evaluate("performance.now()")
    nodes = page.evaluate("document.querySelectorAll('*').length")
    page.screenshot(path=folder / f"{file.stem}{'_dark' if dark else ''}.png", full_page=True)
    for width in (1360, 768, 390):
        page.set_viewport_size({"width": width, "height": 1000})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        clipped = page.evaluate(CLIPPED)
        assert not clipped, (width, clipped)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        if width == 390:
            page.screenshot(path=folder / f"{file.stem}_390{'_dark' if dark else ''}.png", full_page=True)
    page.set_viewport_size({"width": 1360, "height": 1000})
    before = page.evaluate("document.getElementById('space').toDataURL()")
    for key in "xysmotdd":
        page.keyboard.press(key)
    box = page.locator("#space").bounding_box()
    shown = page.evaluate("[...document.querySelectorAll('#values-controls option')].map((option) => option.text)")
    assert shown == SHOWN.get(file.stem, shown), shown
    fragments = page.evaluate("JSON.parse(document.getElementById('data').textContent).fragments.cells.length")
    told = False
    for step in range(1, 20):
        page.mouse.move(box["x"] + 80 + (box["width"] - 100) * step / 20, box["y"] + 10 + (box["height"] - 60) * step / 20)
        told = told or page.locator("#tip").is_visible()
    for key in "xysm":
        page.keyboard.press(key)
    after = page.evaluate("document.getElementById('space').toDataURL()")
    page.close()
    print(f"{file.stem}{' (dark)' if dark else ''}: {fragments} fragments, {file.stat().st_size} bytes, {nodes} elements, "
          f"drawn in {drawn:.0f} ms, loaded and drawn in {all_told:.0f} ms")
    assert not wrong, wrong
    assert drawn < LIMIT, drawn
    assert nodes < 5000, nodes
    if fragments > 1:
        assert before != after, "keys change nothing"
        assert told, "nothing is told under the pointer"


# Queries whose hot spots are drawn.
QUERIES = {"points": ["--range", "lon=0:40", "--range", "lat=-30:30", "--where", "id < 20"],
           "image": ["--range", "row=200:400"], "quotes": ["--range", "symbol=K:N"]}


def main():
    tool, arrays, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for array in sorted(path for path in arrays.iterdir() if path.is_dir()):
            for query in [[], *([QUERIES[array.name]] if array.name in QUERIES else [])]:
                file = folder / f"{array.name}{'_query' if query else ''}.html"
                picture(tool, array, file, *query)
                for dark in (False, True):
                    look(browser, file, folder, dark)
        browser.close()


if __name__ == "__main__":
    main()
