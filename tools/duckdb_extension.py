#!/usr/bin/env python3
"""Makes a loadable extension of DuckDB of a shared library: appends what DuckDB reads before it loads a file.

    duckdb_extension.py LIBRARY OUTPUT [--platform PLATFORM]

The last 512 bytes of an extension are eight fields of 32 bytes, of which the last one comes first, and room for a signature, which stays
empty: DuckDB loads it with `allow_unsigned_extensions`.
"""

import argparse
import pathlib
import platform
import re
import sys

# The interface that the extension asks for; `API_VERSION` in crates/tiledb-duckdb/src/lib.rs.
SOURCE = pathlib.Path(__file__).parent.parent / "crates/tiledb-duckdb"
FIELD_BYTES = 32
SIGNATURE_BYTES = 256
# The name and the lengths of the section that a WebAssembly file would have; other files have it as well.
SECTION = b"\0\x93\x04\x10duckdb_signature\x80\x04"


def this_platform():
    """The name that DuckDB has for this platform."""
    system = {"linux": "linux", "darwin": "osx", "win32": "windows"}[sys.platform]
    machine = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine().lower()]
    return f"{system}_{machine}"


def constant(path, pattern):
    return re.search(pattern, (SOURCE / path).read_text(encoding="utf-8")).group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--platform", default=this_platform())
    options = parser.parse_args()
    api = constant("src/lib.rs", r'API_VERSION: &str = "([^"]*)"')
    version = constant("Cargo.toml", r'(?m)^version = "([^"]*)"')
    # The first field says that these are fields; the fifth one, which interface is used.
    fields = ["4", options.platform, api, f"v{version}", "C_STRUCT", "", "", ""]
    encoded = [field.encode().ljust(FIELD_BYTES, b"\0") for field in reversed(fields)]
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_bytes(options.library.read_bytes() + SECTION + b"".join(encoded) + bytes(SIGNATURE_BYTES))


if __name__ == "__main__":
    main()
