"""Notify people by Apprise, a signed webhook and a command; each notification goes once to each channel."""

import asyncio
import hashlib
import hmac
import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from penwright.ports.notices import Notices

WEBHOOK_TIMEOUT_S = 15.0
COMMAND_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Channels:
    """Targets of notifications; an empty value is no channel."""

    apprise_urls: tuple[str, ...] = ()
    webhook_url: str = ""
    webhook_secret: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChannelNotifier:
    """Implements ``Notifier``."""

    channels: Channels
    notices: Notices

    def notify(self, *, title: str, body: str, key: str, data: Mapping[str, object]) -> tuple[str, ...]:
        """Send to every channel that has not had this notification; returns the names of failed ones."""
        text = json.dumps({"title": title, "body": body, "key": key, "data": dict(data)}, sort_keys=True)
        senders = self._senders(title, body, text)
        return tuple(name for name, send in senders.items() if not self._once(f"{key}|{name}", send))

    def _senders(self, title: str, body: str, text: str) -> dict[str, Callable[[], bool]]:
        channels = self.channels
        senders: dict[str, Callable[[], bool]] = {}
        for number, url in enumerate(channels.apprise_urls, start=1):
            senders[f"apprise-{number}"] = partial(_send_by_apprise, url, title, body)
        if channels.webhook_url:
            senders["webhook"] = partial(_post, channels.webhook_url, channels.webhook_secret, text)
        if channels.command:
            senders["command"] = partial(_run, channels.command, text)
        return senders

    def _once(self, key: str, send: Callable[[], bool]) -> bool:
        if not self.notices.claim(key):
            return True
        sent = send()
        if sent:
            self.notices.done(key)
        else:
            self.notices.release(key)
        return sent


def _send_by_apprise(url: str, title: str, body: str) -> bool:
    import apprise  # slow to import, rarely used

    messenger = apprise.Apprise()
    return bool(messenger.add(url)) and bool(messenger.notify(title=title, body=body))


def _post(url: str, secret: str, text: str) -> bool:
    """POST the notification, signed with ``sha256=`` and the HMAC of the body in hex."""
    headers = {"content-type": "application/json"}
    if secret:
        digest = hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
        headers["x-penwright-signature"] = f"sha256={digest}"
    return asyncio.run(_posted(url, text, headers))


async def _posted(url: str, text: str, headers: Mapping[str, str]) -> bool:
    """Whether the webhook took it in time; the whole request is timed, also one that is answered by drops."""
    import httpx  # slow to import, rarely used

    try:
        async with asyncio.timeout(WEBHOOK_TIMEOUT_S), httpx.AsyncClient(timeout=None) as client:
            answer = await client.post(url, content=text, headers=dict(headers))
    except (httpx.HTTPError, TimeoutError):
        return False
    return answer.is_success


def _run(command: tuple[str, ...], text: str) -> bool:
    """Run the operator's command with the notification as JSON on its standard input."""
    try:
        ended = subprocess.run(
            command, input=text.encode(), timeout=COMMAND_TIMEOUT_S, capture_output=True, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ended.returncode == 0
