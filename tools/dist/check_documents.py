#!/usr/bin/env python3
"""Checks that every relative link of the Markdown documents in a folder leads to a file or folder below it.

usage: check_documents.py FOLDER
"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1]).resolve()
links, wrong = 0, []
for document in sorted(root.rglob("*.md")):
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.S | re.M)
    for target in re.findall(r"\]\(([^()\s]+)\)", text):
        path = target.partition("#")[0]
        if not path or re.match(r"[a-z]+:", path):
            continue
        links += 1
        file = (document.parent / path).resolve()
        if root not in file.parents or not file.exists():
            wrong.append(f"{document.relative_to(root)}: {target}")
print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
if not links:
    sys.exit(f"{root} has no documents with links")
if wrong:
    sys.exit(f"{len(wrong)} of {links} links lead nowhere")
print(f"documents: {links} links resolve")
