"""gcp-storage-emulator for the tests of object stores.

Alone it answers one connection after the other, of which five may wait; it writes all it knows into one text at each
change, and keeps what was deleted for seven days. A thousand objects make a request a hundred times as slow. Here a
thread serves each connection, and nothing is written or kept.

usage: gcs.py PORT
"""

import http.server
import sys
import threading

from gcp_storage_emulator import server, storage
from gcp_storage_emulator.__main__ import main

storage.Storage._write_config_to_file = lambda self: None
storage.DEFAULT_SOFT_DELETE_RETENTION_SECONDS = 0


class Threads(http.server.ThreadingHTTPServer):
    request_queue_size = 1024


one_at_a_time = threading.Lock()
handle = server.Router.handle


def handle_alone(router, method):
    """What is stored changes as if one request came after the other."""
    with one_at_a_time:
        handle(router, method)


server.Router.handle = handle_alone
server.RequestHandler.disable_nagle_algorithm = True
server.server.HTTPServer = Threads

main(["start", "--host", "127.0.0.1", "--port", sys.argv[1], "--in-memory"])
