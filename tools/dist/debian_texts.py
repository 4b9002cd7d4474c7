#!/usr/bin/env python3
"""Prints the texts of a Debian package: its control file, changelog and copyright file.

usage: debian_texts.py control PACKAGE NAME=VALUE...
       debian_texts.py changelog REVISION MAINTAINER SECONDS
       debian_texts.py copyright
"""
import re
import sys
from email.utils import format_datetime
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def control(package, *settings):
    """The paragraph of the package, with the fields that all packages have and the values filled in."""
    values = dict(setting.split("=", 1) for setting in settings)

    def fill(text):
        return re.sub(r"@([A-Z]+)@", lambda name: values[name.group(1)], text)
    paragraphs = fill((ROOT / "packages/debian/control").read_text()).strip().split("\n\n")
    matching = [lines for lines in (paragraph.split("\n") for paragraph in paragraphs) if lines[0] == f"Package: {package}"]
    if len(matching) != 1:
        sys.exit(f"packages/debian/control has {len(matching)} paragraphs of {package}")
    common = [f"Version: {values['VERSION']}", "Source: tiledb-rs", f"Architecture: {values['ARCHITECTURE']}", "Priority: optional",
              f"Maintainer: {values['MAINTAINER']}", f"Installed-Size: {values['SIZE']}"]
    if package.startswith("lib"):
        common.append("Multi-Arch: same" if not package.endswith("-dev") else "Multi-Arch: no")
    if values["HOMEPAGE"]:
        common.append(f"Homepage: {values['HOMEPAGE']}")
    if package == "tiledb-rs":
        common.remove("Source: tiledb-rs")
    return "\n".join([matching[0][0], *common, *matching[0][1:]])


def changelog(revision, maintainer, seconds):
    """An entry for the revision; the changes of the sources are in changelog.gz."""
    date = format_datetime(datetime.fromtimestamp(int(seconds), timezone.utc))
    return f"tiledb-rs ({revision}) unstable; urgency=medium\n\n  * Package the release; changelog.gz lists its changes.\n\n -- {maintainer}  {date}"


def copyright_():
    """The licence, and those of what is linked, whose common texts Debian has in a folder."""
    notices = (ROOT / "NOTICES.txt").read_text()
    apache = r"^ *Apache License\n *Version 2\.0, January 2004\n.*?END OF TERMS AND CONDITIONS$"
    common = "The Apache License, version 2.0, is in /usr/share/common-licenses/Apache-2.0."
    notices, count = re.subn(apache, common, notices, flags=re.S | re.M)
    if not count:
        sys.exit("NOTICES.txt has no text of the Apache License")
    return (ROOT / "LICENSE").read_text() + "\n" + notices


print({"control": control, "changelog": changelog, "copyright": copyright_}[sys.argv[1]](*sys.argv[2:]))
