"""Names the wheel after the platform of the library inside: any Python 3 of it."""
import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Platform(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = os.environ["TILEDB_RS_WHEEL"]
