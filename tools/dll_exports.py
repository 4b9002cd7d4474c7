#!/usr/bin/env python3
"""The functions and variables that a DLL for Windows exports, one a line in alphabetical order, variables with the word DATA.
With --def it is a module definition file, from which dlltool makes import libraries for the name of the DLL.

usage: dll_exports.py [--def NAME] DLL
"""

import sys

from pe import Dll


def main():
    arguments = sys.argv[1:]
    name = None
    if arguments[:1] == ["--def"]:
        name = arguments[1]
        arguments = arguments[2:]
    if len(arguments) != 1:
        sys.exit(__doc__)
    if name:
        print(f"LIBRARY {name}\nEXPORTS")
    for symbol, is_variable in sorted(Dll(arguments[0]).exports()):
        print(f"{symbol} DATA" if is_variable else symbol)


main()
