"""The engine's own health endpoint, answered between two looks at the children, without a thread."""

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress

from penwright.errors import PermanentError
from workers.health_pages import END, LARGEST_REQUEST, Answer, Request, page, read
from workers.settings import HealthSettings

PATIENCE_S = 0.2
"""How long one client may hold up the supervisor."""


class Doorstep:
    """A listening socket; ``answer_one`` is called when it is readable."""

    def __init__(self, health: HealthSettings, routes: Mapping[str, Callable[[], Answer]]) -> None:
        self._routes = routes
        host, port = health.host, health.engine_port or 0
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._socket = socket.create_server((host, port), family=family)
        except OSError as error:
            raise PermanentError(
                "port-taken",
                f"the engine's health endpoint cannot listen on {host}:{port}: {error.strerror}; "
                "choose another health.host or health.engine_port",
            ) from error
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]

    def fileno(self) -> int:
        """For ``select``."""
        return self._socket.fileno()

    def answer_one(self) -> None:
        """Answer one client; one that is slow to ask, or left, is given up."""
        with suppress(OSError):
            client, _ = self._socket.accept()
            with client:
                client.settimeout(PATIENCE_S)
                client.sendall(self._page(_head(client)))

    def close(self) -> None:
        self._socket.close()

    def _page(self, head: bytes) -> bytes:
        asked = read(head)
        if not isinstance(asked, Request):
            return page(asked)
        return page(self._routes[asked.path](), bodiless=asked.method == "HEAD")


def _head(client: socket.socket) -> bytes:
    head = b""
    while END not in head and len(head) < LARGEST_REQUEST:
        some = client.recv(LARGEST_REQUEST)
        if not some:
            break
        head += some
    return head
