#!/usr/bin/env python3
"""Renders the recipe for conda-forge as rattler-build does before it builds, for each platform, and checks what comes out.

usage: conda_render.py RECIPE VERSION
"""
import sys
from pathlib import Path

from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig

VARIANTS = """
c_compiler: [gcc]
c_stdlib: [sysroot]
rust_compiler: [rust]
"""
EXPECTED = {"libtiledb-rs", "tiledb-rs"}

recipe = Stage0Recipe.from_yaml(Path(sys.argv[1]).read_text())
for name in ("linux-64", "linux-aarch64", "osx-64", "osx-arm64"):
    platform = PlatformConfig(target_platform=name, build_platform=name, host_platform=name)
    rendered = [variant.recipe for variant in recipe.render(VariantConfig.from_yaml(VARIANTS), RenderConfig(platform=platform))]
    packages = {stage.package.name: str(stage.package.version) for stage in rendered}
    if packages != dict.fromkeys(EXPECTED, sys.argv[2]):
        sys.exit(f"{name}: the recipe makes {packages}")
print(f"conda: the recipe renders to {', '.join(sorted(EXPECTED))} on four platforms")
