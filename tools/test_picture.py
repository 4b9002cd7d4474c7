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
    before = page.evaluate("document.getElementById('space').toDataURL()")
    for key in "xysmotdd":
        page.keyboard.press(key)
    box = page.locator("#space").bounding_box()
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
