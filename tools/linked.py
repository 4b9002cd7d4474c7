"""What is linked into the library and the tool, for tools/notices.py and tools/sbom.py: the crates that `cargo metadata` names as
dependencies, without what is only used to build or to test, and the C libraries that some of them contain."""

import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Crates that contain a C library: its name, its licence, where its notices are, and the header that states its version.
BUNDLED = {
    "libdeflate-sys": ("libdeflate", "MIT", ["libdeflate/COPYING"], "libdeflate/libdeflate.h"),
    "libwebp-sys": ("libwebp", "BSD-3-Clause", ["vendor/COPYING", "vendor/PATENTS"], "vendor/src/dec/vp8i_dec.h"),
    "libz-sys": ("zlib", "Zlib", ["src/zlib/LICENSE"], "src/zlib/zlib.h"),
    "lz4-sys": ("LZ4", "BSD-2-Clause", ["liblz4/lib/LICENSE"], "liblz4/lib/lz4.h"),
    "zstd-sys": ("Zstandard", "BSD-3-Clause", ["zstd/LICENSE"], "zstd/lib/zstd.h"),
}


def metadata(target):
    """The packages of the workspace and their dependencies on a target, also by id."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    known = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    known["packages_by_id"] = {package["id"]: package for package in known["packages"]}
    known["nodes_by_id"] = {node["id"]: node for node in known["resolve"]["nodes"]}
    # The metadata have the features that all packages of the workspace ask for together, also the tool.
    tree = ["cargo", "tree", "--locked", "-p", known["packages_by_id"][known["resolve"]["root"]]["name"], "--edges", "normal"]
    tree += ["--target", target, "--prefix", "none", "--format", "{p}"]
    lines = subprocess.run(tree, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    known["of_library"] = {tuple(line.split()[:2]) for line in lines if line}
    return known


def linked(known, root):
    """The packages, by id, that a root links: its normal dependencies, recursively, without procedural macros and own packages."""
    packages = known["packages_by_id"]
    found, waiting = {}, [root]
    while waiting:
        for dependency in dependencies(known, waiting.pop()):
            if dependency not in found:
                found[dependency] = packages[dependency]
                waiting.append(dependency)
    return {name: package for name, package in found.items() if package["source"]}


def dependencies(known, of):
    """The ids of the normal dependencies of a package, without procedural macros."""
    for dependency in known["nodes_by_id"][of]["deps"]:
        is_normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
        is_macro = any("proc-macro" in target["kind"] for target in known["packages_by_id"][dependency["pkg"]]["targets"])
        if is_normal and not is_macro:
            yield dependency["pkg"]


def library_and_tool(known):
    """The packages that the library links, and those that only the tool does."""
    of_library = {
        name: package
        for name, package in linked(known, known["resolve"]["root"]).items()
        if (package["name"], "v" + package["version"]) in known["of_library"]
    }
    of_tool = {}
    for member in known["workspace_members"]:
        # What tests share is linked into them alone.
        if ROOT / "tests" not in pathlib.Path(known["packages_by_id"][member]["manifest_path"]).parents:
            of_tool.update(linked(known, member))
    return of_library, {name: package for name, package in of_tool.items() if name not in of_library}


def bundled_version(package):
    """The version of the C library in a package, from its header: a string, or a macro for each part."""
    header = pathlib.Path(package["manifest_path"]).parent / BUNDLED[package["name"]][3]
    text = header.read_text(encoding="utf-8", errors="replace")
    if version := re.search(r'#define \w*VERSION\w*\s+"(\d[\d.]*)"', text):
        return version[1]
    part = r"#define \w*(?:VERSION_{0}|{1}_VERSION)\w*\s+(\d+)"
    return ".".join(re.search(part.format(*names), text)[1] for names in [("MAJOR", "MAJ"), ("MINOR", "MIN"), ("RELEASE", "REV")])
