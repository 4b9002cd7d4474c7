#!/usr/bin/env python3
"""Checks the bill of materials of a library: it names the works of the notices, with the checksums of Cargo.lock, refers to nothing
that it does not name, and is the same each time.

usage: test_sbom.py LIBRARY
"""

import json
import pathlib
import subprocess
import sys

import notices
import sbom
from linked import BUNDLED, ROOT

TARGET = "x86_64-unknown-linux-gnu"


def main():
    library = pathlib.Path(sys.argv[1])
    text = sbom.bill(library, TARGET)
    assert text == sbom.bill(library, TARGET), "two bills of one library differ"
    parsed = json.loads(text)
    components = {component["bom-ref"]: component for component in parsed["components"]}
    assert len(components) == len(parsed["components"]), "a component is named twice"

    references = {dependency["ref"]: dependency["dependsOn"] for dependency in parsed["dependencies"]}
    own = parsed["metadata"]["component"]["bom-ref"]
    assert set(references) == set(components) | {own}, "not every component has its dependencies"
    reached, waiting = set(), [own]
    while waiting:
        for reference in references[waiting.pop()]:
            assert reference in components, f"{reference} is no component"
            if reference not in reached:
                reached.add(reference)
                waiting.append(reference)
    assert reached == set(components), f"nothing depends on {set(components) - reached}"

    noticed = {title.split(" (")[0] for title, _ in notices.works((TARGET,))}
    crates = {f"{each['name']} {each['version']}" for ref, each in components.items() if ref.startswith("pkg:cargo/")}
    bundled = {f"{name}, in {crate}" for crate, (name, *_) in BUNDLED.items()}
    others = {"OpenSSL 3", "The Rust standard library, with the crates inside it"}
    difference = noticed ^ (crates | bundled | others)
    assert not difference, f"the bill and the notices differ in {difference}"

    lock = (ROOT / "Cargo.lock").read_text(encoding="utf-8")
    for reference, component in components.items():
        if reference.startswith("pkg:cargo/"):
            entry = f'name = "{component["name"]}"\nversion = "{component["version"]}"\n'
            checksum = lock.split(entry)[1].split('checksum = "')[1][:64]
            assert component["hashes"] == [{"alg": "SHA-256", "content": checksum}], reference
        assert component["version"] and component["licenses"][0]["expression"], reference

    other = subprocess.run([sys.executable, ROOT / "tools/sbom.py", ROOT / "LICENSE", TARGET], capture_output=True, text=True)
    assert other.returncode == 1 and "contains no OpenSSL" in other.stderr, other
    print(f"bill of materials: {len(components)} components, as in the notices and Cargo.lock")


if __name__ == "__main__":
    main()
