"""A Dask cluster of processes, some of which may have another library, and a server of S3."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from distributed import Client


@contextmanager
def cluster(folder, libraries):
    """A client of a scheduler with one worker of one thread for each named library, whose environments lie in `folder`."""
    # A lost worker counts against all tasks that it was given, those that were waiting among them.
    os.environ["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "20"
    told = folder / "scheduler.json"
    told.unlink(missing_ok=True)
    dask = [str(folder / "ours/bin/dask")]
    quiet = {"stdout": (folder / "cluster.log").open("a"), "stderr": subprocess.STDOUT, "start_new_session": True}
    host = ["--host", "127.0.0.1", "--no-dashboard"]
    started = [subprocess.Popen([*dask, "scheduler", *host, "--port", "0", "--scheduler-file", str(told)], **quiet)]
    try:
        for number, library in enumerate(libraries):
            worker = [str(folder / library / "bin/dask"), "worker", *host, "--scheduler-file", str(told)]
            worker += ["--nthreads", "1", "--name", f"{library}-{number}", "--local-directory", str(folder / "scratch")]
            started.append(subprocess.Popen(worker, **quiet))
        with Client(scheduler_file=str(told), timeout=60) as client:
            client.wait_for_workers(len(libraries), timeout=60)
            yield client
    finally:
        # With all processes that they have started.
        for process in reversed(started):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def s3():
    """A server of S3 with a bucket `fleet`; the environment says how to reach it."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [str(Path(sys.executable).with_name("moto_server")), "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wanted = {
            "TILEDB_VFS_S3_ENDPOINT_OVERRIDE": f"127.0.0.1:{port}",
            "TILEDB_VFS_S3_SCHEME": "http",
            "TILEDB_VFS_S3_USE_VIRTUAL_ADDRESSING": "false",
            "TILEDB_VFS_S3_REGION": "us-east-1",
            "TILEDB_VFS_S3_REQUEST_TIMEOUT_MS": "60000",
            "AWS_ACCESS_KEY_ID": "fleet",
            "AWS_SECRET_ACCESS_KEY": "fleet",
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        # TileDB-Py of 2.30 reads the environment by these names; libtiledb takes all parameters from it.
        os.environ.update(wanted)
        for _ in range(300):
            try:
                urllib.request.urlopen(urllib.request.Request(f"{address}/fleet", method="PUT"), timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield "s3://fleet"
    finally:
        server.terminate()
        server.wait(30)


def tell(rows):
    """Prints a table."""
    print(json.dumps(rows) if os.environ.get("JSON") else "\n".join("  ".join(f"{cell:>10}" for cell in row) for row in rows))
