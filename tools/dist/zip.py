#!/usr/bin/env python3
"""Puts a folder into a zip file, sorted and with one time, so that the same files make the same bytes.

usage: zip.py FOLDER FILE SECONDS      SECONDS since 1970 are the time of all files
"""

import pathlib
import sys
import time
import zipfile


def main(folder, file, seconds):
    folder = pathlib.Path(folder)
    moment = time.gmtime(int(seconds))[:6]
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), moment)
                entry.external_attr = (0o100755 if path.suffix in (".exe", ".dll") else 0o100644) << 16
                entry.create_system = 3
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
