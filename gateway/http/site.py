"""Under which names the workspace is served."""

import hashlib
from dataclasses import dataclass

from workers.http_guard import loopback_hosts
from workers.settings import Settings

PREFIX = "/api/v1"
SEAT = f"{PREFIX}/seats/me"
"""All that an invited person may ask for begins with this, and nobody else is answered there."""
UI = "/ui"


@dataclass(frozen=True, slots=True)
class Site:
    """The names and the cookie of one installation."""

    hosts: frozenset[str]
    """Values of ``Host`` and of the host of ``Origin`` that are ours."""
    cookie: str
    """Name of the session's cookie: cookies ignore ports, so each installation has its own name."""
    secure: bool = False
    """Browsers reach it by ``https``."""
    behind_proxy: bool = False

    @property
    def seat_cookies(self) -> str:
        """Begin of the names of the cookies of seats; the mark of a seat ends each."""
        return f"{self.cookie}_seat_"

    @property
    def schemes(self) -> tuple[str, ...]:
        """Of the addresses of our own pages; a proxy that speaks TLS is passed by on this machine."""
        if self.behind_proxy:
            return ("http", "https")
        return ("https",) if self.secure else ("http",)


def site_of(settings: Settings, port: int) -> Site:
    """The site that ``settings`` describe, listening on ``port``."""
    web = settings.web
    names = {name.lower() for name in web.names}
    with_port = {f"{name}:{port}" for name in names if ":" not in name}
    instance = hashlib.sha256(str(settings.home).encode()).hexdigest()[:8]
    prefix = "__Host-" if web.encrypted else ""
    return Site(
        hosts=loopback_hosts(port) | names | with_port,
        cookie=f"{prefix}penwright_{instance}",
        secure=web.encrypted,
        behind_proxy=web.behind_proxy,
    )
