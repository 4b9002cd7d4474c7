#!/usr/bin/env python3
"""Runs `tiledb-rs maintain` as a service beside writers, and stops it by SIGTERM again and again.

Each stop must end it with code 143 within ten seconds and leave no lease, so that the next run starts at once; no run may be
refused, and no row may be lost.

usage: maintain_service.py TOOL [--seconds 600] [--interval 60] [--arrays 3] [--writers 2]
"""

import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

STOP_SECONDS = 10
ROWS_PER_APPEND = 20


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--seconds", type=float, default=600, help="duration of the whole run")
    parser.add_argument("--interval", type=float, default=60, help="seconds after which the service is stopped")
    parser.add_argument("--arrays", type=int, default=3)
    parser.add_argument("--writers", type=int, default=2)
    return parser.parse_args()


def run(tool, *arguments):
    result = subprocess.run([tool, *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"tiledb-rs {' '.join(arguments)}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


class Writers:
    """Threads that append rows until they are stopped, with the number of rows that each array has."""

    def __init__(self, tool, folder, uris, count):
        self.tool, self.folder, self.uris = tool, folder, uris
        self.rows = dict.fromkeys(uris, 0)
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        self.failures = []
        self.threads = [threading.Thread(target=self.write, args=(number,)) for number in range(count)]

    def append(self, uri, name, generator):
        path = self.folder / f"{name}.csv"
        rows = (f"{generator.randrange(1_000_000)},{generator.random()}" for _ in range(ROWS_PER_APPEND))
        path.write_text("d,a\n" + "\n".join(rows) + "\n")
        command = "append" if self.rows[uri] else "import"
        dimensions = [] if self.rows[uri] else ["--dims", "d"]
        result = subprocess.run([self.tool, command, path, uri, *dimensions], capture_output=True, text=True)
        if result.returncode == 0:
            with self.lock:
                self.rows[uri] += ROWS_PER_APPEND
        else:
            self.failures.append(f"{command} {uri}: {result.stderr}")

    def write(self, number):
        generator = random.Random(number)
        while not self.stopped.is_set():
            self.append(generator.choice(self.uris), f"writer{number}", generator)
            self.stopped.wait(0.2)


class Service:
    """One process of the service."""

    def __init__(self, tool, uris):
        arguments = [tool, "maintain", "--watch", "1", "--jobs", "2", "--log-format", "json", *uris]
        arguments += ["-c", "sm.maintenance.max_fragments=4", "-c", "sm.maintenance.retention_ms=0"]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.log = []
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stdout))
        self.reader.start()

    def stop(self):
        """Stops it; its exit code, and the seconds that it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = None
        self.reader.join()
        return code, time.monotonic() - began


def main():
    arguments = parse_arguments()
    problems, stops, steps, warnings = [], [], {}, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        uris = [str(folder / f"array{number}") for number in range(arguments.arrays)]
        writers = Writers(arguments.tool, folder, uris, arguments.writers)
        for uri in uris:
            writers.append(uri, "first", random.Random(uri))
        for thread in writers.threads:
            thread.start()
        end = time.monotonic() + arguments.seconds
        moment = random.Random(0)
        while time.monotonic() < end:
            service = Service(arguments.tool, uris)
            # The stop meets another moment of its work each time.
            time.sleep(arguments.interval * moment.uniform(0.9, 1.1))
            code, seconds = service.stop()
            stops.append(seconds)
            leases = [path for uri in uris for path in pathlib.Path(uri, "__commits").glob("*.lease")]
            if code != 128 + signal.SIGTERM:
                problems.append(f"stop {len(stops)}: exit code {code}")
            if leases:
                problems.append(f"stop {len(stops)}: {len(leases)} leases remain")
            for line in service.log:
                entry = json.loads(line) if line.startswith("{") else {"level": "error", "message": line}
                if entry.get("event") == "step":
                    steps[entry["kind"]] = steps.get(entry["kind"], 0) + 1
                # The levels of the tool, and of the library.
                level = entry.get("level", entry.get("severity"))
                warnings += level == "warning"
                if level == "error" or "lease" in line:
                    problems.append(f"run {len(stops)}: {line.strip()}")
        writers.stopped.set()
        for thread in writers.threads:
            thread.join()
        problems += writers.failures
        for uri in uris:
            # What a service that is refused could not do: a run at once.
            run(arguments.tool, "maintain", uri)
            run(arguments.tool, "verify", uri)
            actual = int(run(arguments.tool, "count", uri))
            if actual != writers.rows[uri]:
                problems.append(f"{uri}: {actual} cells of {writers.rows[uri]}")
    rows = sum(writers.rows.values())
    kinds = ", ".join(f"{kind}: {count}" for kind, count in sorted(steps.items()))
    print(f"stops: {len(stops)}, slowest: {max(stops):.2f} s, appends: {rows // ROWS_PER_APPEND}, rows: {rows}; steps: {kinds}; warnings: {warnings}")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
