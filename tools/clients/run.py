#!/usr/bin/env python3
"""Runs the tests of clients of libtiledb on the library of their wheel and on this library, and compares them test by test.

For each row of clients.toml that matches a pattern: a fresh environment, the tests on the client's own library, the library
replaced as `python -m tiledb_rs swap` does it, the tests again, and the library restored. Tests that pass on the client's own
library only, and for which differences.toml has no reason, are run once more on this library: those that pass then depend on
time. Any other fails the run. Of clients with the reference's own release (`exact` in clients.toml) tests that pass on this library
only fail the run as well: the outcomes are equal, test by test.

usage: run.py LIBRARY FOLDER [PATTERN...]     PATTERN: as in tiledb-0.24*
       run.py --sample LIBRARY FOLDER         only the rows that have a sample, with these tests
       run.py --table FOLDER                  prints the rows of docs/clients.md from the results in FOLDER
Environment: CLONES    folder with clones of the repositories that clients.toml names; otherwise they are fetched
             ARRAYS    folder for what the tests write (default /dev/shm, if there is one)
"""
from __future__ import annotations

import fnmatch
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "packages/python/src"))
from tiledb_rs._native.swap import Installed, SwapError, release  # noqa: E402

PYTEST = ["pytest", "pytest-xdist", "pytest-timeout", "pytest-rerunfailures"]
# One worker process, which is replaced after a crash: the test that crashed is a failure, and the others run.
ISOLATED = ["-n", "1", "--max-worker-restart", "200", "--timeout", "1200", "--timeout-method", "thread"]
COLLECTED = ["-o", "addopts=", "--continue-on-collection-errors"]
OUTCOMES = ("passed", "failed", "skipped", "xfailed")


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--table"]:
        print_table(Path(arguments[1]))
        return 0
    sample = arguments[:1] == ["--sample"]
    arguments = arguments[sample:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    library, folder, patterns = Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), arguments[2:] or ["*"]
    clients = [client for client in rows() if any(fnmatch.fnmatch(name(client), pattern) for pattern in patterns)]
    if sample:
        clients = [client | client["sample"] for client in clients if "sample" in client]
        absent = [name(client) for client in clients if interpreter(client["python"]) is None]
        if absent:
            print(f"{', '.join(absent)}: skipped, the Python of tools/clients/clients.toml is not installed")
            clients = [client for client in clients if name(client) not in absent]
            if not clients:
                return 0
    if not clients:
        sys.exit(f"no client in {HERE / 'clients.toml'} matches {' '.join(patterns)}")
    return max(measure(client, library, folder / name(client)) for client in clients)


def rows() -> list[dict]:
    return tomllib.loads((HERE / "clients.toml").read_text())["client"]


def name(client: dict) -> str:
    return f"{client['package']}-{client['version']}"


def measure(client: dict, library: Path, folder: Path) -> int:
    """Measures one client; the result is 1 where a test fails that passes on the client's own library."""
    folder.mkdir(parents=True, exist_ok=True)
    python = environment(client, folder)
    tests = source(client, folder)
    site = Path(output([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]))
    installed = [Installed.find(package, site) for package in client.get("swap", [client["package"]])]
    releases = {release(file.name) for package in installed for file in package.files}
    if releases != {release(f".so.{client['libtiledb']}")}:
        sys.exit(f"{name(client)}: its wheels contain libtiledb {releases}, clients.toml says {client['libtiledb']}")
    for package in installed:
        package.restore()
    before = digests(installed)
    own = run(client, python, tests, folder, "own")
    for package in installed:
        package.swap(library)
    if any(package.used(library) != "this tiledb-rs" for package in installed):
        sys.exit(f"{name(client)}: swap did not replace the library of the wheel")
    ours = run(client, python, tests, folder, "ours")
    lost = sorted(test for test, outcome in own.items() if outcome == "passed" and ours.get(test) != "passed")
    reasons = [test for row in differences() if fnmatch.fnmatch(name(client), row["client"]) for test in row["tests"]]
    unexplained = [test for test in lost if not any(fnmatch.fnmatchcase(test, reason) for reason in reasons)]
    repeated = run(client, python, tests, folder, "repeated", ["--last-failed"]) if unexplained else {}
    unsteady = [test for test in unexplained if repeated.get(test) == "passed"]
    gained = sorted(test for test, outcome in ours.items() if outcome == "passed" and own.get(test) != "passed")
    unequal = [test for test in gained if client.get("exact") and not any(fnmatch.fnmatchcase(test, reason) for reason in reasons)]
    for package in installed:
        package.restore()
    if unequal:
        repeated = run(client, python, tests, folder, "own_repeated")
        unsteady += [test for test in unequal if repeated.get(test) == "passed"]
        unequal = [test for test in unequal if test not in unsteady]
    if digests(installed) != before:
        sys.exit(f"{name(client)}: restore did not bring the library of the wheel back")
    result = {
        "client": client,
        "python": output([python, "-c", "import platform; print(platform.python_version())"]),
        "files": [file.name for package in installed for file in package.files],
        "own": count(own),
        "ours": count(ours),
        "unsteady": unsteady,
        "lost": [test for test in lost if test not in unsteady],
        "gained": gained,
        "unexplained": [test for test in unexplained if test not in unsteady] + unequal,
    }
    (folder / "result.json").write_text(json.dumps(result, indent=1) + "\n")
    print(f"{name(client)}: own library {text(result['own'])}; this library {text(result['ours'])}", flush=True)
    for kind in ("unsteady", "lost", "gained"):
        for test in result[kind]:
            print(f"  {kind}{': no reason is known' if test in result['unexplained'] else ''}: {test}", flush=True)
    return int(bool(result["unexplained"]) or not result["own"]["passed"])


def differences() -> list[dict]:
    return tomllib.loads((HERE / "differences.toml").read_text()).get("difference", [])


def environment(client: dict, folder: Path) -> Path:
    """A virtual environment with the client. One that was made with the same requirements is used again."""
    python, done = folder / "venv/bin/python", folder / "installed"
    wanted = [f"{client['package']}=={client['version']}", *PYTEST, *client["requirements"]]
    if not done.exists() or done.read_text().split("\n") != wanted:
        shutil.rmtree(folder / "venv", ignore_errors=True)
        base = interpreter(client["python"])
        if base is None:
            sys.exit(f"{name(client)}: Python {client['python']} is not installed")
        subprocess.run([base, "-m", "venv", folder / "venv"], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted], check=True)
        done.write_text("\n".join(wanted))
    return python


def interpreter(version: str) -> str | None:
    candidates = [f"python{version}", *map(str, sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python")))]
    for candidate in candidates:
        if shutil.which(candidate) and subprocess.run([candidate, "-c", ""], stderr=subprocess.DEVNULL).returncode == 0:
            return candidate
    return None


def source(client: dict, folder: Path) -> Path | None:
    """The folder of the tests, where the wheel does not contain them."""
    if "source" not in client:
        return None
    repository, tag, inside = (client["source"][key] for key in ("repository", "tag", "folder"))
    clone = folder / "source"
    if not (folder / "fetched").exists():
        shutil.rmtree(clone, ignore_errors=True)
        git = ["git", "-c", "advice.detachedHead=false"]
        quiet = ["clone", "--quiet"]
        if "CLONES" in os.environ:
            local = Path(os.environ["CLONES"]).resolve() / repository.split("/")[1]
            subprocess.run([*git, *quiet, "--shared", "--no-checkout", local, clone], check=True)
            # A clone that lacks some data still has the tests: those that need the data fail with either library.
            subprocess.run([*git, "-C", clone, "checkout", "--quiet", tag, "--", inside])
        else:
            remote = f"https://github.com/{repository}"
            subprocess.run([*git, *quiet, "--depth", "1", "--branch", tag, remote, clone], check=True)
        (folder / "fetched").touch()
    return clone / inside


def run(client: dict, python: Path, tests: Path | None, folder: Path, of: str, more: list[str] = []) -> dict[str, str]:
    """Runs the tests and returns the outcome of each."""
    if tests:
        # Some tests write beside their data.
        git = ["git", "-C", tests]
        subprocess.run([*git, "checkout", "--quiet", "--force", "--", "."])
        subprocess.run([*git, "clean", "--quiet", "-d", "--force", "--force", "-x", "."], check=True)
    report, log, cache = folder / f"{of}.xml", folder / f"{of}.txt", folder / "cache"
    report.unlink(missing_ok=True)
    arrays = os.environ.get("ARRAYS", "/dev/shm")
    with tempfile.TemporaryDirectory(dir=arrays if Path(arrays).is_dir() else None) as work:
        command = [python, "-m", "pytest", "-q", "-o", f"cache_dir={cache}", f"--junitxml={report}"]
        command += [*ISOLATED, *COLLECTED, *more, *client["tests"]]
        places = {"TMPDIR": work, "HOME": work, "PYTHONDONTWRITEBYTECODE": "1"}
        minutes = client.get("timeout", 30)
        with log.open("w") as out:
            try:
                subprocess.run(
                    command, cwd=tests or work, env=os.environ | places, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                    timeout=minutes * 60,
                )
            except subprocess.TimeoutExpired:
                sys.exit(f"{name(client)}: the tests took more than {minutes} minutes, see {log}")
    if not report.exists():
        sys.exit(f"{name(client)}: pytest wrote no report, see {log}")
    return {test_name(case): outcome(case) for case in ElementTree.parse(report).iter("testcase")}


def test_name(case: ElementTree.Element) -> str:
    return f"{case.get('classname')}::{case.get('name')}"


def outcome(case: ElementTree.Element) -> str:
    skipped = case.find("skipped")
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if skipped is None:
        return "passed"
    return "xfailed" if skipped.get("type") == "pytest.xfail" else "skipped"


def count(outcomes: dict[str, str]) -> dict[str, int]:
    return {kind: sum(outcome == kind for outcome in outcomes.values()) for kind in OUTCOMES}


def text(counts: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {kind}" for kind, number in counts.items() if number or kind == "passed")


def digests(installed: list[Installed]) -> list[str]:
    return [hashlib.sha256(file.read_bytes()).hexdigest() for package in installed for file in package.files]


def output(command: list) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def print_table(folder: Path) -> None:
    for client in rows():
        path = folder / name(client) / "result.json"
        if not path.exists():
            continue
        result = json.loads(path.read_text())
        print(f"| {client['package']} {client['version']} | {client['libtiledb']} | {result['python']} | {text(result['own'])} "
              f"| {text(result['ours'])} | {len(result['lost'])} |")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SwapError as error:
        sys.exit(str(error))
