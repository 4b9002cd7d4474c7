#!/usr/bin/env python3
"""Runs the tests with mutants of source files, and lists those that none of the tests catches.

    run.py TREE [FILE...] [--groups NAMES] [--stages NAMES] [--sample N] [--seed SEED] [--hours HOURS] [--like LIST] [--keep] [--quick]

TREE is a copy of the project, which is changed: one build has all mutants (see src/main.rs), and the environment variable MUTANT
selects one. Without files, those of groups.txt are mutated; --sample N takes N mutants of each group. --like LIST takes the mutants
that an earlier run printed into a file. --keep takes the mutants and tests of the last run, and does not judge again what
has a verdict. --quick leaves out the longer histories. --stages unit builds and runs the unit tests only, which takes the least time; a later
run with the other stages and --like judges those that survive.

A mutant is caught by the first test that fails, crashes or needs many times the processor time that it needs without it. First each
unit test is run by itself to find which mutants it reaches. Mutants are then judged by the unit tests that reach them, quick ones first,
by regressions and histories of the simulation, and by integration tests. Verdicts are appended to TREE/verdicts.tsv.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import fnmatch
import json
import os
import pickle
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
JOBS = int(os.environ.get("JOBS", os.cpu_count() or 1))

# Histories of the simulation, a few first: most mutants do not survive them.
SIMULATED = [
    ("sequential", "0..150"),
    ("concurrent::histories", "0..60"),
    ("sequential", "150..1000"),
    ("concurrent::histories", "60..400"),
]
# Seeds that show what histories reach: with a note of each mutant they are slow.
REACHING = {"sequential": "0..30", "concurrent::histories": "0..8"}
# Processor time after which a test has shown what it reaches: on a busy machine those with many cases reach their last ones after seconds.
REACHING_SECONDS = 12
# Unit tests that run in one process need so many seconds together.
BATCH_SECONDS = 0.7
STAGES = ["unit", "simulation", "integration"]
MEMORY_BYTES = 24 << 30
FILE_BYTES = 1 << 30
TEST_FILES = ("tests.rs", "*_tests.rs", "*_model.rs", "interleavings.rs", "reference_consolidation.rs")


# Packages whose unit tests judge, besides those that are mutated, and those of the integration tests.
PACKAGES = ["tiledb-rs", "tiledb-rs-cli", "tiledb"]
FEATURES = "tiledb/arrow,tiledb/ndarray"
# Integration tests that judge, by function: they reach what unit tests and the simulation do not.
TARGETS = ["verify", "newer_format", "policy_maintenance", "golden_arrays", "error_codes", "capi", "downgrade", "api", "copy", "dry_run", "tool"]
# The scenarios of this target judge one by one: they compare what each call returns with libtiledb.
SCENARIOS = "differential_scenarios"
# Fewer random cases in integration tests that read these variables.
FEWER = {"COPIES": "60"}
# Integration tests that take longer do not judge.
INTEGRATION_SECONDS = 8
# Random tests against the reference, and the seeds that judge. Without the reference they reach nothing.
RANDOM = {"differential_queries": "40..70", "differential_lifecycle": "0..20"}


# Statements that change no result: statistics, space that grows anyway when it is used, log lines, pauses.
WITHOUT_EFFECT = re.compile(
    r"\bstats\b.*\.(add|subtract)\(|memory::reserve\(|range_boxes::count\(|\bcount_compared\(|\bspin_loop\(|log::line\(|shrink_to_fit\("
)


def has_effect(tree, place, change):
    """Whether a mutant can change results."""
    path, line = place.rsplit(":", 1)
    if change != "statement left out":
        return True
    with open(f"{tree}/{path}.original") as file:
        return not WITHOUT_EFFECT.search(file.read().splitlines()[int(line) - 1])


def groups_of_files(tree):
    """The group of each file, from groups.txt."""
    groups = {}
    with open(f"{HERE}/groups.txt") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            name, patterns = line.split(":")
            for pattern in patterns.split():
                folder = os.path.dirname(pattern)
                for entry in sorted(os.listdir(f"{tree}/{folder}")):
                    is_test = any(fnmatch.fnmatch(entry, other) for other in TEST_FILES)
                    if fnmatch.fnmatch(entry, os.path.basename(pattern)) and not is_test:
                        groups.setdefault(f"{folder}/{entry}", name)
    return groups


def mutate(tree, files, excluded, listing):
    """Writes the mutated files, from copies of the original ones."""
    for file in files:
        original = os.path.join(tree, file) + ".original"
        if not os.path.exists(original):
            shutil.copy(os.path.join(tree, file), original)
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
    """Tests of a program that pass without mutants, in one process. The stages are unit tests, simulation, integration tests."""

    def __init__(self, program, names, cwd, environment=None, stage="unit"):
        self.names, self.stage = names, stage
        is_exact = ["--exact"] if stage != "simulation" else []
        self.command, self.cwd = [program, "--quiet", *is_exact, *names], cwd
        self.environment = dict(os.environ, SHRINK="0", PROPTEST_MAX_SHRINK_ITERS="0", RUST_BACKTRACE="0", **(environment or {}))
        self.environment.pop("REFERENCE", None)
        self.program = program
        self.seconds = None

    def run(self, mutant, reached=None, command=None, stdout=subprocess.DEVNULL, cwd=None):
        """Whether the tests pass."""
        environment = dict(self.environment, MUTANT=str(mutant))
        if reached:
            environment["MUTANTS_REACHED"] = reached
        streams = {"stdin": subprocess.DEVNULL, "stdout": stdout, "stderr": subprocess.DEVNULL}
        command, cwd = command or self.command, cwd or self.cwd
        process = subprocess.Popen(command, cwd=cwd, env=environment, start_new_session=True, **streams)
        limits = [(resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_FSIZE, FILE_BYTES), (resource.RLIMIT_CORE, 0)]
        if reached:
            limits.append((resource.RLIMIT_CPU, REACHING_SECONDS))
        elif self.seconds is not None:
            limits.append((resource.RLIMIT_CPU, int(5 + 6 * self.seconds)))
        elif self.stage == "integration":
            limits.append((resource.RLIMIT_CPU, INTEGRATION_SECONDS))
        try:
            for kind, limit in limits:
                resource.prlimit(process.pid, kind, (limit, limit))
        except ProcessLookupError:
            pass
        # Processes that wait for something use no processor time.
        timer = threading.Timer(60 + 20 * (self.seconds or 30), os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        # What the test has started and left behind would take time from the tests that follow.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.returncode = status
        if self.seconds is None or reached:
            self.seconds = usage.ru_utime + usage.ru_stime
        return status == 0 or reached is not None and os.WIFSIGNALED(status)


class Scenario(Test):
    """A scenario that our library plays alone. If its transcript differs from that without a mutant, which is libtiledb's, the test decides."""

    def __init__(self, program, name, cwd):
        super().__init__(program, [name], cwd, {}, "integration")
        self.command = [program, name]
        self.transcript = None

    def run(self, mutant, reached=None):
        """Whether our library does what libtiledb does."""
        library = os.path.join(os.path.dirname(self.program), "libtiledb_rs.so")
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
            play = [self.program, "--play", library, self.names[0]]
            passes = super().run(mutant, reached, play, output, folder)
            output.seek(0)
            # The last line has the names that were called.
            transcript = output.read().rsplit(b"\n", 2)[0]
        if self.transcript is None:
            self.transcript = transcript
        if passes and transcript == self.transcript:
            return True
        return mutant != 0 and super().run(mutant)


def target_of(program):
    """The name of a test target, which is that of its program without the hash."""
    return os.path.basename(program).rsplit("-", 1)[0]


def tests_of(tree, program):
    """The tests of a program, each in a process of its own."""
    target = target_of(program)
    if target in RANDOM:
        return [Test(program, [], tree, {"SEEDS": RANDOM[target]}, "integration")]
    if target == "simulation":
        histories = [Test(program, [kind], tree, {"SEEDS": seeds, "UNTIL_FAILURE": "1"}, target) for kind, seeds in SIMULATED]
        return [Test(program, ["regressions"], tree, {}, target), *histories]
    if target == SCENARIOS:
        names = subprocess.run([program, "--scenarios"], cwd=tree, capture_output=True, text=True).stdout.split()
        return [Scenario(program, name, tree) for name in names]
    lines = subprocess.run([program, "--list", "--format", "terse"], cwd=tree, capture_output=True, text=True).stdout
    ignored = [program, "--list", "--ignored", "--format", "terse"]
    lines_ignored = subprocess.run(ignored, cwd=tree, capture_output=True, text=True).stdout.splitlines()
    names = [line[: -len(": test")] for line in lines.splitlines() if line.endswith(": test") and line not in lines_ignored]
    if target in TARGETS:
        return [Test(program, [name], tree, FEWER, "integration") for name in names]
    return [Test(program, [name], tree) for name in names]


def measure(tree, programs):
    """Tests by themselves and the simulation: what they reach, and their time."""
    jobs = [test for program in programs for test in tests_of(tree, program)]

    def measured(number):
        test, path = jobs[number], f"{tree}/target/reached{os.getpid()}_{number}"
        if os.path.exists(path):
            os.remove(path)
        if test.stage == "unit":
            passes = test.run(0, path)
        else:
            # The time of all seeds, and what a few reach; with a note of each mutant some tests take too much time.
            passes = test.run(0)
            seconds = test.seconds
            if not passes or test.stage == "integration" and seconds > INTEGRATION_SECONDS:
                print(f"left out, after {seconds:.0f} s: {target_of(test.program)} {test.names}", flush=True)
                return test, None
            seeds = REACHING.get(test.names[0]) if test.stage == "simulation" and "SEEDS" in test.environment else None
            reaching = Test(test.program, test.names, tree, {"SEEDS": seeds}, test.stage) if seeds else test
            reached_all = reaching.run(0, path)
            passes = passes and (reached_all or test.stage == "integration")
            test.seconds = seconds
        if not passes:
            print(f"left out, since it fails without mutants: {target_of(test.program)} {test.names}", flush=True)
            return test, None
        reached = set()
        if os.path.exists(path):
            with open(path) as file:
                reached = {int(line) for line in file if line.strip().isdigit()}
            os.remove(path)
        return test, reached

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return [(test, reached) for test, reached in pool.map(measured, range(len(jobs))) if reached is not None]


def runs(tests, mutant, package, tree):
    """The processes that judge a mutant, likely and quick ones first."""
    units = [test for test, reached in tests if mutant in reached and test.stage == "unit"]
    crate = package.replace("-", "_")
    units.sort(key=lambda test: (f"/{crate}-" not in test.program, test.program, test.seconds))
    batches = []
    for test in units:
        last = batches[-1] if batches else None
        if last and last[0].program == test.program and sum(one.seconds for one in last) + test.seconds < BATCH_SECONDS:
            last.append(test)
        else:
            batches.append([test])
    processes = []
    for batch in batches:
        process = Test(batch[0].program, [name for test in batch for name in test.names], tree)
        process.seconds = sum(test.seconds for test in batch)
        processes.append(process)
    processes.extend(test for test, reached in tests if mutant in reached and test.stage != "unit")
    return sorted(processes, key=lambda one: (STAGES.index(one.stage), one.seconds > 4 * BATCH_SECONDS and one.seconds))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--groups", default="")
    parser.add_argument("--stages", default=",".join(STAGES))
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hours", type=float)
    parser.add_argument("--like")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    # A shell has its background processes ignore these, and tests, which send them to processes of theirs, inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    tree = os.path.abspath(options.tree)
    groups = {file: "files" for file in options.files} or groups_of_files(tree)
    if options.groups:
        groups = {file: group for file, group in groups.items() if group in options.groups.split(",")}
    files = sorted(groups)
    listing, excluded = f"{tree}/mutants.tsv", f"{tree}/mutants_excluded"
    packages = sorted({re.match(r"crates/([^/]+)/", file)[1] for file in files})
    stages = [stage for stage in STAGES if stage in options.stages.split(",")]
    measures = f"{tree}/mutants_{'_'.join(stages)}.pickle"
    targets = [*(["simulation"] if "simulation" in stages else []), *([*TARGETS, *RANDOM, SCENARIOS] if "integration" in stages else [])]
    command = ["test", "--offline", "--locked", "--no-run", f"--features={FEATURES}", "--lib"]
    command += [f"--package={package}" for package in packages + PACKAGES] + [f"--test={target}" for target in targets]
    if not options.keep:
        open(excluded, "a").close()
        known = set()
        while True:
            mutate(tree, files, excluded, listing)
            programs, errors = build(tree, files, command)
            if not errors:
                break
            if errors <= known:
                # The cause is a statement nearby, without which a borrow ends later.
                errors = {(path, near) for path, line in errors for near in range(max(line - 8, 1), line + 9)}
            known |= errors
            with open(excluded, "a") as file:
                file.writelines(f"{path}:{line}\n" for path, line in sorted(errors))
            print(f"{len(errors)} lines have mutants that do not compile", flush=True)
        if os.path.exists(measures):
            os.remove(measures)
    if not os.path.exists(measures):
        programs = build(tree, files, command)[0]
        with open(measures, "wb") as file:
            pickle.dump(measure(tree, programs), file)
    with open(measures, "rb") as file:
        tests = pickle.load(file)
    print(f"{len(tests)} tests of {sum(test.seconds for test, _ in tests):.0f} s", flush=True)
    with open(listing) as file:
        mutants = {int(line.split("\t")[0]): line.rstrip("\n").split("\t")[1:] for line in file}
    mutants = {number: mutant for number, mutant in mutants.items() if has_effect(tree, mutant[0], mutant[2])}
    group_of = {number: groups.get(place.rsplit(":", 1)[0], "") for number, (place, _, _) in mutants.items()}
    by_group = collections.defaultdict(list)
    for number, group in group_of.items():
        if group and (not options.groups or group in options.groups.split(",")):
            by_group[group].append(number)
    chosen = []
    for group, numbers in sorted(by_group.items()):
        random.Random(options.seed).shuffle(numbers)
        print(f"{group}: {len(numbers)} mutants", flush=True)
        chosen.append(numbers[: options.sample or len(numbers)])
    # One of each group at a time, so that a run that ends early has judged as many of each.
    chosen = [numbers[at] for at in range(max(map(len, chosen))) for numbers in chosen if at < len(numbers)]
    if options.like:
        with open(options.like) as file:
            like = {tuple(line.rstrip("\n").split("\t")[-3:]) for line in file}
        like = {(place.rsplit(":", 1)[0], function, change) for place, function, change in like}
        chosen = [one for one in chosen if (mutants[one][0].rsplit(":", 1)[0], *mutants[one][1:]) in like]
    elif options.keep and os.path.exists(f"{tree}/verdicts.tsv"):
        with open(f"{tree}/verdicts.tsv") as file:
            judged = {tuple(line.rstrip("\n").split("\t")[2:]) for line in file}
        chosen = [one for one in chosen if tuple(mutants[one]) not in judged]
    end = time.monotonic() + options.hours * 3600 if options.hours else None

    def judge(mutant):
        if end and time.monotonic() > end:
            return mutant, "not run"
        package = re.match(r"crates/([^/]+)/", mutants[mutant][0])[1]
        processes = runs(tests, mutant, package, tree)
        if options.quick:
            longer = [seeds for _, seeds in SIMULATED[2:]]
            processes = [process for process in processes if process.environment.get("SEEDS") not in longer]
        for process in processes:
            # Integration tests wait for other processes, and may fail on a busy machine.
            if not process.run(mutant) and (process.stage != "integration" or not process.run(mutant)):
                return mutant, f"caught by {process.stage}"
        return mutant, "survives" if processes else "not reached"

    counts = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool, open(f"{tree}/verdicts.tsv", "a") as verdicts:
        for mutant, verdict in pool.map(judge, chosen):
            if verdict == "not run":
                continue
            group = group_of[mutant]
            counts[group][verdict] += 1
            line = "\t".join([verdict, group, *mutants[mutant]])
            print(line, file=verdicts, flush=True)
            if not verdict.startswith("caught"):
                print(line, flush=True)
    for group, verdicts in sorted(counts.items()):
        total = sum(verdicts.values())
        caught = sum(count for verdict, count in verdicts.items() if verdict.startswith("caught"))
        print(f"{group}: {caught} of {total} caught ({100 * caught / total:.0f} %), {dict(verdicts)}")


if __name__ == "__main__":
    main()
