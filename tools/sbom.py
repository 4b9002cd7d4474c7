#!/usr/bin/env python3
"""Writes a software bill of materials, CycloneDX 1.5 as JSON: every crate and C library in the library and the tool, with version,
licence, package URL and checksum, and which depends on which.

usage: sbom.py LIBRARY TARGET [OUTPUT]      LIBRARY is a shared library that was built for TARGET, such as x86_64-unknown-linux-gnu

The version of OpenSSL is the one that the library contains, or that was compiled for the target (TARGET_OPENSSL_DIR, otherwise
build/TARGET/openssl), and that of Rust's standard library the compiler's. Equal sources give equal bytes: the time is
SOURCE_DATE_EPOCH, else that of the last commit, and the serial number is derived from the contents.
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

from linked import BUNDLED, ROOT, bundled_version, dependencies, library_and_tool, metadata


def component(name, version, licence, purl, **more):
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "licenses": [{"expression": licence.replace("/", " OR ")}],
        "purl": purl,
        **more,
    }


def purl_of(package):
    return f"pkg:cargo/{package['name']}@{package['version'].replace('+', '%2B')}"


def openssl_version(library, target):
    """By the library's text; where the linker left that out, by the header of the OpenSSL that was compiled for the target."""
    text = library.read_bytes()
    if b"OPENSSL_" not in text:
        sys.exit(f"{library} contains no OpenSSL: it is not a release library of this project")
    version = re.search(rb"OpenSSL (\d+\.\d+\.\d+\w*) ", text)
    if version is None:
        variable = target.upper().replace("-", "_") + "_OPENSSL_DIR"
        folder = pathlib.Path(os.environ.get(variable, ROOT / "build" / target / "openssl"))
        header = (folder / "include/openssl/opensslv.h").read_bytes()
        version = re.search(rb'OPENSSL_FULL_VERSION_STR "(\S+)"', header)
    return version[1].decode()


def rust_version():
    text = subprocess.run(["rustc", "--version"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return text.split()[1]


def seconds():
    """The time of the bill, in seconds since 1970."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    command = ["git", "log", "-1", "--format=%ct"]
    return int(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout)


def bill(library, target):
    known = metadata(target)
    of_library, of_tool = library_and_tool(known)
    packages = of_library | of_tool
    root = known["packages_by_id"][known["resolve"]["root"]]
    lock = (ROOT / "Cargo.lock").read_text(encoding="utf-8")
    checksums = {(found[1], found[2]): found[3] for found in re.finditer(r'name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"', lock)}
    openssl, rust = openssl_version(library, target), rust_version()

    components, depends = [], {}
    for package in sorted(packages.values(), key=purl_of):
        purl, checksum = purl_of(package), checksums[package["name"], package["version"]]
        part_of = "tool" if package["id"] in of_tool else "library"
        components.append(
            component(
                package["name"],
                package["version"],
                package["license"],
                purl,
                hashes=[{"alg": "SHA-256", "content": checksum}],
                properties=[{"name": "tiledb-rs:part-of", "value": part_of}],
            )
        )
        depends[purl] = sorted(purl_of(packages[found]) for found in dependencies(known, package["id"]))
        if package["name"] in BUNDLED:
            name, licence, *_ = BUNDLED[package["name"]]
            version = bundled_version(package)
            bundled = f"pkg:generic/{name.lower()}@{version}"
            components.append(component(name, version, licence, bundled))
            depends[purl].append(bundled)
            depends[bundled] = []
        if package["name"] == "openssl-sys":
            depends[purl].append(f"pkg:generic/openssl@{openssl}")
    for name, version, licence, purl in [
        ("OpenSSL", openssl, "Apache-2.0", f"pkg:generic/openssl@{openssl}"),
        ("Rust standard library", rust, "MIT OR Apache-2.0", f"pkg:generic/rust-std@{rust}"),
    ]:
        components.append(component(name, version, licence, purl))
        depends[purl] = []

    own = component("tiledb-rs", root["version"], root["license"], f"pkg:generic/tiledb-rs@{root['version']}")
    direct = {found for member in known["workspace_members"] for found in dependencies(known, member) if found in packages}
    depends[own["bom-ref"]] = sorted(purl_of(packages[found]) for found in direct) + [f"pkg:generic/rust-std@{rust}"]
    time = datetime.datetime.fromtimestamp(seconds(), datetime.timezone.utc)
    result = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": "",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": own,
            "properties": [{"name": "tiledb-rs:target", "value": target}],
        },
        "components": components,
        "dependencies": [{"ref": ref, "dependsOn": depends[ref]} for ref in sorted(depends)],
    }
    result["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(result)).urn
    return json.dumps(result, indent=2) + "\n"


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    text = bill(pathlib.Path(sys.argv[1]), sys.argv[2])
    if len(sys.argv) == 4:
        pathlib.Path(sys.argv[3]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
