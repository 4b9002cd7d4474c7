#!/usr/bin/env python3
"""Runs the tests with every mutant of source files, and lists those that none of the tests catches.

    run.py TREE FILE... [--sample N] [--seed SEED] [--hours HOURS]

TREE is a copy of the project, which is changed: one build has all mutants (see src/main.rs), and the environment variable MUTANT
selects one. A mutant is caught by the first test that fails, or takes much longer than without it.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
JOBS = os.cpu_count() or 1

# Histories of the simulation, a few first: most mutants do not survive them.
SIMULATED = [
    ("sequential", "0..300"),
    ("concurrent::histories", "0..150"),
    ("sequential", "300..3000"),
    ("concurrent::histories", "150..1200"),
]


def mutate(tree, files, excluded, listing):
    """Writes the mutated files, from copies of the original ones."""
    for file in files:
        path = os.path.join(tree, file)
        original = path + ".original"
        if not os.path.exists(original):
            with open(path) as source, open(original, "w") as copy:
                copy.write(source.read())
        with open(original) as source, open(path, "w") as target:
            target.write(source.read())
    environment = dict(os.environ, EXCLUDED=excluded)
    manifest, target = f"{HERE}/Cargo.toml", f"{tree}/target/mutants"
    tool = ["cargo", "run", "--quiet", "--locked", "--manifest-path", manifest, "--target-dir", target, "--", tree, listing]
    subprocess.run(tool + files, env=environment, check=True)


def build(tree, files, command):
    """The programs that a cargo command builds, and the lines that do not compile."""
    arguments = ["cargo", *command, "--message-format=json"]
    output = subprocess.run(arguments, cwd=tree, capture_output=True, text=True)
    programs, errors = [], set()
    for line in output.stdout.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("executable") and message.get("profile", {}).get("test"):
            programs.append(message["executable"])
        details = message.get("message") or {}
        if details.get("level") != "error":
            continue
        texts = [details]
        while texts:
            text = texts.pop()
            texts.extend(text.get("children", []))
            for span in text.get("spans", []):
                if span["file_name"] in files:
                    errors.update((span["file_name"], number) for number in range(span["line_start"], span["line_end"] + 1))
    if output.returncode and not errors:
        sys.exit(output.stderr[-3000:])
    return programs, errors


class Test:
    """A command that passes without mutants."""

    def __init__(self, command, cwd, environment):
        self.command, self.cwd = command, cwd
        self.environment = dict(os.environ, **environment)
        self.limit = None

    def passes(self, mutant, reached=None):
        environment = dict(self.environment, MUTANT=str(mutant))
        if reached:
            environment["MUTANTS_REACHED"] = reached
        try:
            streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            done = subprocess.run(self.command, cwd=self.cwd, env=environment, timeout=self.limit, **streams)
            return done.returncode == 0
        except subprocess.TimeoutExpired:
            return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hours", type=float)
    options = parser.parse_args()
    tree, files = os.path.abspath(options.tree), options.files
    listing, excluded = f"{tree}/mutants.tsv", f"{tree}/mutants_excluded"
    open(excluded, "a").close()
    packages = sorted({re.match(r"crates/([^/]+)/", file)[1] for file in files})
    unit = ["test", "--offline", "--locked", "--lib", "--no-run", *(f"--package={package}" for package in packages)]
    simulation = ["test", "--offline", "--locked", "--test", "simulation", "--no-run"]
    while True:
        mutate(tree, files, excluded, listing)
        check = ["check", "--offline", "--locked", *(f"--package={package}" for package in packages)]
        _, errors = build(tree, files, check)
        if not errors:
            break
        with open(excluded, "a") as file:
            file.writelines(f"{path}:{line}\n" for path, line in sorted(errors))
        print(f"{len(errors)} lines have mutants that do not compile", flush=True)
    with open(listing) as file:
        mutants = {int(line.split("\t")[0]): line.rstrip("\n") for line in file}
    tests = [Test([program, "--quiet"], tree, {}) for program in build(tree, files, unit)[0]]
    (program,) = build(tree, files, simulation)[0]
    tests.append(Test([program, "--quiet", "regressions"], tree, {}))
    for kind, seeds in SIMULATED:
        tests.append(Test([program, "--quiet", kind], tree, {"SEEDS": seeds, "UNTIL_FAILURE": "1"}))
    reached = []
    for number, test in enumerate(tests):
        begun = time.monotonic()
        path = f"{tree}/reached{number}"
        if os.path.exists(path):
            os.remove(path)
        if not test.passes(0, path):
            sys.exit(f"{test.command} fails without mutants")
        test.limit = 30 + 10 * (time.monotonic() - begun)
        with open(path) as file:
            reached.append({int(line) for line in file})
        print(f"{test.command[0].rsplit('/')[-1]} {test.command[2:]}: reaches {len(reached[-1])} mutants", flush=True)
    chosen = sorted(mutants)
    if options.sample:
        chosen = sorted(random.Random(options.seed).sample(chosen, min(options.sample, len(chosen))))
    end = time.monotonic() + options.hours * 3600 if options.hours else None

    def judge(mutant):
        if end and time.monotonic() > end:
            return mutant, "not run"
        runs = [number for number in range(len(tests)) if mutant in reached[number]]
        if not runs:
            return mutant, "not reached"
        for number in runs:
            if not tests[number].passes(mutant):
                return mutant, f"caught by {number}"
        return mutant, "survives"

    counts = {}
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for mutant, verdict in pool.map(judge, chosen):
            counts[verdict] = counts.get(verdict, 0) + 1
            if not verdict.startswith("caught"):
                print(f"{verdict}\t{mutants[mutant]}", flush=True)
    print(counts)


main()
