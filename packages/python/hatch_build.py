"""Names the wheel after the platform of the library inside, any Python 3 of it, and compiles the module that CPython can load.

The tag is py3-none: other interpreters, and CPython without its global lock, leave the module alone and use the modules in Python.

TILEDB_RS_WHEEL is the tag. TILEDB_RS_CC is the compiler, which then must succeed; if it is empty, the module is left out. Where neither is
set, as in the build of a source distribution, the compiler is that of this Python, and there may be none.
"""

import os
import sys
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Platform(BuildHookInterface):
    def initialize(self, version, build_data):
        if self.target_name != "wheel":
            return
        has_module = self.compile()
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_") if has_module else "any"
        build_data["pure_python"] = False
        build_data["tag"] = os.environ.get("TILEDB_RS_WHEEL", f"py3-none-{platform}")

    def compile(self):
        """Whether the module has been compiled."""
        sys.path.insert(0, self.root)
        from compile_module import MODULE, compile_module

        compiler = os.environ.get("TILEDB_RS_CC")
        try:
            if compiler != "":
                compile_module()
                return True
        except (OSError, RuntimeError) as error:
            if compiler:
                raise
            print(f"without the compiled module: {error}", file=sys.stderr)
        finally:
            sys.path.remove(self.root)
        # That of an earlier build.
        MODULE.unlink(missing_ok=True)
        return False
