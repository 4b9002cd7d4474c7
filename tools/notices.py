#!/usr/bin/env python3
"""Writes NOTICES.txt: the licences of everything that is linked into the library and into the command-line tool.

usage: notices.py [--check]

The crates are those that `cargo metadata` names as dependencies of the library and of the tool on Linux, macOS and Windows, without
what is only used to build or to test; the C libraries are those that some of them bring along. `--check` compares with the committed file.

Why it is own code: docs/architecture.md, "Development tools of our own".
"""

import pathlib
import sys

from linked import BUNDLED, ROOT, library_and_tool, metadata

NOTICES = ROOT / "NOTICES.txt"
TARGETS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-gnullvm",
)

# OpenSSL comes from the system that builds, and Rust's own library with the compiler.
RUST = "The Rust standard library, with the crates inside it (MIT OR Apache-2.0)"
OPENSSL = "OpenSSL 3 (Apache-2.0): Copyright The OpenSSL Project Authors"
MUSL = "musl libc (MIT), in the tool for musl: Copyright (c) 2005-2020 Rich Felker, et al."
UNWIND = "LLVM's libunwind (Apache-2.0 WITH LLVM-exception), for Windows"
MINGW = "Runtime of mingw-w64 (ZPL-2.1), for Windows"
ZIG = "Zig's runtime of compilers (MIT), for musl, macOS and Windows: Copyright (c) Zig contributors"
# Crates that are published without the text of their licence: whose copyright stands before MIT's text.
WITHOUT_TEXT = {
    name: f"Copyright (c) the authors of {name}" for name in ("block2", "dispatch2", "libwebp-sys", "objc2", "objc2-encode")
}
# The same under the Apache licence, whose text says nothing of who.
APACHE_WITHOUT_TEXT = {"flatbuffers"}
# Those whose text is that of another crate of the same repository.
TEXT_OF_OTHER = {"alloc-stdlib": "alloc-no-stdlib"}

HEAD = """\
Third-party notices of libtiledb-rs

The shared and the static library contain the following works, the command-line tool also those that say so. Where a
licence can be chosen, MIT is. This file is written by tools/notices.py from the sources that are linked.
"""


def text_of(path):
    """A licence's text without trailing white space, so that equal ones are recognised."""
    lines = path.read_text(encoding="utf-8", errors="replace").replace("\f", "\n").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip() + "\n"


def mit(copyright_line):
    """MIT's text, as it stands in our own licence, for someone else."""
    lines = text_of(ROOT / "LICENSE").splitlines(keepends=True)
    return "".join(copyright_line + "\n" if line.startswith("Copyright") else line for line in lines)


def texts(package, apache, by_name):
    """The texts of a package's licence: MIT's where it can be chosen, else all there are."""
    if package["name"] in TEXT_OF_OTHER:
        other = by_name[TEXT_OF_OTHER[package["name"]]]
        assert other["repository"] == package["repository"], f"{package['name']} is of another repository than {other['name']}"
        package = other
    if package["name"] in APACHE_WITHOUT_TEXT:
        return [apache]
    folder = pathlib.Path(package["manifest_path"]).parent
    if package["name"] in WITHOUT_TEXT:
        return [mit(WITHOUT_TEXT[package["name"]])]
    files = sorted(file for file in folder.iterdir() if file.name.upper().startswith(("LICENSE", "COPYING")))
    files = [file for file in files if file.name.upper() == "LICENSE-MIT"] or files
    if not files:
        sys.exit(f"{package['name']} has no licence file: name its text in tools/notices.py")
    return [text_of(file) for file in files]


def works(targets=TARGETS):
    """Every work that is linked on some of the targets, with the texts of its licence."""
    of_library, of_tool = {}, {}
    for target in targets:
        library, tool = library_and_tool(metadata(target))
        of_library.update(library)
        of_tool.update(tool)
    of_tool = {package: of_tool[package] for package in of_tool if package not in of_library}
    packages = of_library | of_tool
    openssl = next(package for package in packages.values() if package["name"] == "openssl")
    by_name = {package["name"]: package for package in packages.values()}
    apache = text_of(pathlib.Path(openssl["manifest_path"]).parent / "LICENSE-APACHE")
    for package in sorted(packages.values(), key=lambda package: (package["name"], package["version"])):
        title = f"{package['name']} {package['version']} ({package['license']})"
        title += ", in the tool" if package["id"] in of_tool else ""
        yield title, texts(package, apache, by_name)
        folder = pathlib.Path(package["manifest_path"]).parent
        if package["name"] in BUNDLED:
            name, _, files, _ = BUNDLED[package["name"]]
            yield f"{name}, in {package['name']}", [text_of(folder / file) for file in files]
    yield OPENSSL, [apache]
    if any("musl" in target for target in targets):
        yield MUSL, [mit("Copyright (c) 2005-2020 Rich Felker, et al.")]
        yield ZIG, [mit("Copyright (c) Zig contributors")]
    if any("windows" in target for target in targets):
        yield UNWIND, [apache]
        yield MINGW, [text_of(ROOT / "tools/zig/mingw-w64.txt")]
    yield RUST, [mit("Copyright (c) The Rust Project Developers")]


def notices():
    """The whole file: works by the text of their licence."""
    titles, by_text = [], {}
    for title, licence in works():
        titles.append(title)
        for text in licence:
            by_text.setdefault(text, []).append(title)
    parts = [HEAD, "".join(f"  {title}\n" for title in titles)]
    for text, of in by_text.items():
        parts.append("=" * 100 + "\n" + "".join(f"{title}\n" for title in of) + "-" * 100 + "\n\n" + text)
    return "\n".join(parts)


def main():
    written = notices()
    if "--check" not in sys.argv[1:]:
        NOTICES.write_text(written, encoding="utf-8")
    elif not NOTICES.exists() or NOTICES.read_text(encoding="utf-8") != written:
        sys.exit("NOTICES.txt does not name what is linked: run tools/notices.py and commit it")


if __name__ == "__main__":
    main()
