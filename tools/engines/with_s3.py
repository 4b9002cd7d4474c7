#!/usr/bin/env python3
"""Runs a command beside an S3 server (moto), which the environment describes to the library; ENGINES_S3 is a bucket.

usage: with_s3.py COMMAND...
"""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path


def main():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    program = str(Path(sys.executable).with_name("moto_server"))
    server = subprocess.Popen([program, "-H", "127.0.0.1", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/engines", method="PUT"), timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        environment = {
            **os.environ,
            "ENGINES_S3": "s3://engines",
            "TILEDB_VFS_S3_ENDPOINT_OVERRIDE": f"127.0.0.1:{port}",
            "TILEDB_VFS_S3_SCHEME": "http",
            "TILEDB_VFS_S3_USE_VIRTUAL_ADDRESSING": "false",
            "TILEDB_VFS_S3_REGION": "us-east-1",
            "TILEDB_VFS_S3_REQUEST_TIMEOUT_MS": "60000",
            "AWS_ACCESS_KEY_ID": "engines",
            "AWS_SECRET_ACCESS_KEY": "engines",
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        sys.exit(subprocess.run(sys.argv[1:], env=environment, check=False).returncode)
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
