"""Questions to processes of the engine: one can run and answer no request."""

import asyncio
import socket
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from workers.health.answers import HEALTHZ

PAUSE_S = 2.0
"""Least time between two questions."""
_POLL_S = 0.01
_RECEIVED_AT_ONCE = 65_536

Connect = Callable[[], socket.socket]


class ServerProbe:
    """Asks one server the same question again and again, without ever waiting for it.

    Written by hand on sockets that do not block: the supervisor has one thread, and the clients of both
    servers would cost it a second of processor time and 50 MB.

    Args:
        connect: returns a socket that does not block, connected or about to be.
        question: what is sent.
        is_answer: whether what was received is the reply of a server that works.
    """

    def __init__(
        self,
        connect: Connect,
        question: bytes,
        is_answer: Callable[[bytes], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connect, self._question, self._is_answer, self._clock = connect, question, is_answer, clock
        self._asked: socket.socket | None = None
        self._unsent, self._received = question, b""
        self._due = clock()

    @property
    def descriptor(self) -> int | None:
        """Readable once the answer comes; None while nothing is asked."""
        return self._asked.fileno() if self._asked else None

    def answered(self) -> bool:
        """Go on with the question, or begin one that is due; return whether the answer has come now."""
        if self._asked is None:
            if self._clock() < self._due:
                return False
            self._begin()
        try:
            found = self._exchange()
        except BlockingIOError:
            return False
        except OSError:
            # It refuses or hangs up, and is asked again.
            found = False
            self.close()
        if found:
            self.close()
        return found

    def close(self) -> None:
        """Drop the question."""
        if self._asked is not None:
            self._asked.close()
            self._asked = None

    def _begin(self) -> None:
        self._unsent, self._received = self._question, b""
        self._due = self._clock() + PAUSE_S
        with suppress(OSError):
            self._asked = self._connect()

    def _exchange(self) -> bool:
        if self._asked is None:
            raise ConnectionRefusedError
        while self._unsent:
            self._unsent = self._unsent[self._asked.send(self._unsent) :]
        while some := self._asked.recv(_RECEIVED_AT_ONCE):
            self._received += some
            if self._is_answer(self._received):
                return True
        raise ConnectionResetError


def silent(probes: Mapping[str, ServerProbe], *, patience_s: float) -> list[str]:
    """The names of those that do not answer one question within ``patience_s``; all are asked at once."""
    unheard = list(probes)
    for still in _asking(probes, patience_s):
        unheard = still
        time.sleep(_POLL_S)
    return unheard


async def found_silent(probes: Mapping[str, ServerProbe], *, patience_s: float) -> list[str]:
    """``silent``, for callers on an event loop."""
    unheard = list(probes)
    for still in _asking(probes, patience_s):
        unheard = still
        await asyncio.sleep(_POLL_S)
    return unheard


def _asking(probes: Mapping[str, ServerProbe], patience_s: float) -> Iterator[list[str]]:
    """Yield the names of those that have not answered yet, until all have or the time is over."""
    open_ = dict(probes)
    deadline = time.monotonic() + patience_s
    while open_ and time.monotonic() < deadline:
        open_ = {name: probe for name, probe in open_.items() if not probe.answered()}
        yield list(open_)
    for probe in open_.values():
        probe.close()


def http_probe(address: Callable[[], str]) -> ServerProbe:
    """A request at an address such as ``http://127.0.0.1:8081``; whatever it answers is an answer."""

    def connect() -> socket.socket:
        found = urlsplit(address())
        host = found.hostname or ""
        return _connected(socket.AF_INET6 if ":" in host else socket.AF_INET, (host, found.port))

    question = f"GET {HEALTHZ} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    return ServerProbe(connect, question, lambda received: received.startswith(b"HTTP/"))


def postgres_probe(folder: Path, user: str) -> ServerProbe:
    """``select 1`` through the socket in ``folder``, as a user who needs no password.

    An error, such as too many connections, is an answer as well.
    """
    parameters = b"".join(each + b"\0" for each in (b"user", user.encode(), b"database", b"postgres", b""))
    opening = struct.pack("!ii", 8 + len(parameters), 3 << 16) + parameters
    query = b"select 1\0"
    question = opening + b"Q" + struct.pack("!i", 4 + len(query)) + query + b"X\0\0\0\4"
    path = str(folder / ".s.PGSQL.5432")
    return ServerProbe(lambda: _connected(socket.AF_UNIX, path), question, _is_answer_of_postgres)


def temporal_probe(host: str, port: Callable[[], int]) -> ServerProbe:
    """The standard health check of gRPC, over HTTP/2 without encryption."""

    def connect() -> socket.socket:
        return _connected(socket.AF_INET, (host, port()))

    return ServerProbe(connect, _health_question(host), lambda received: _SERVING in received)


def _is_answer_of_postgres(received: bytes) -> bool:
    return b"SELECT 1\0" in received or received.startswith(b"E")


_SERVING = b"\0\0\0\0\x02\x08\x01"
"""A message of gRPC, not compressed, two bytes long: the first field is 1, ``SERVING``."""


def _health_question(host: str) -> bytes:
    def text(value: bytes) -> bytes:
        return bytes([len(value)]) + value

    # HPACK without a table of our own: indexed fields, and literals with indexed or new names.
    headers = b"\x83\x86\x01" + text(host.encode()) + b"\x04" + text(b"/grpc.health.v1.Health/Check")
    headers += b"\x0f\x10" + text(b"application/grpc") + b"\x00" + text(b"te") + text(b"trailers")
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(4, 0, 0, b"")
    return preface + _frame(1, 4, 1, headers) + _frame(0, 1, 1, b"\0" * 5)


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def _connected(family: int, where: str | tuple[str, int | None]) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setblocking(False)
    try:
        made.connect(where)
    except BlockingIOError:
        pass
    except OSError:
        made.close()
        raise
    return made
