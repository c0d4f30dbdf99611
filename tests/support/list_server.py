"""An HTTP server of rule lists that tests steer: content, ETag, faults."""

import http.server
import threading

from support.servers import _OriginServer


class ListServer:
    """files: path -> bytes, or a status number. `requests` holds (path, If-None-Match) in order."""

    def __init__(self, listener, files=None):
        self.files, self.requests = dict(files or {}), []
        listener.settimeout(None)
        self._server = _OriginServer(listener, self.requests)
        self._server.RequestHandlerClass = _Handler
        self._server.files = self.files
        self.port = listener.getsockname()[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.socket.close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        wanted = self.headers.get("If-None-Match")
        self.server.requests.append((self.path, wanted))
        content = self.server.files.get(self.path, 404)
        if isinstance(content, int):
            return self._reply(content, b"")
        tag = f'"{hash(content)}"'
        if wanted == tag:
            return self._reply(304, b"", tag)
        return self._reply(200, content, tag)

    def _reply(self, status, body, tag=None):
        self.send_response(status)
        if tag:
            self.send_header("ETag", tag)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Requests are kept in `requests`, not printed."""
