"""gcp-storage-emulator for the tests of object stores.

It writes all it knows into one text at each change, and keeps what was deleted for seven days: a thousand objects make a
request a hundred times as slow. Nobody reads either here.

usage: gcs.py PORT
"""

import sys

from gcp_storage_emulator import storage
from gcp_storage_emulator.__main__ import main

storage.Storage._write_config_to_file = lambda self: None
storage.DEFAULT_SOFT_DELETE_RETENTION_SECONDS = 0

main(["start", "--host", "127.0.0.1", "--port", sys.argv[1], "--in-memory"])
