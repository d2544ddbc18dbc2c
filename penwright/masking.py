"""Hide the secrets in addresses before they are shown, logged or stored."""

import re

_USER = re.compile(r"(?i)\b(https?://)[^/\s@'\"<>]+(?:@[^/\s@'\"<>]+)*@")
_PASSWORD = re.compile(r"(?i)\b([a-z][a-z0-9+.-]*://[^/\s:@'\"<>]*):[^/\s'\"<>]*@")
_QUERY = re.compile(r"(?i)([?&](?:[a-z_-]*(?:key|token|secret|password|signature)|sig)=)[^&\s'\"<>#]+")


def masked(text: str) -> str:
    """``text`` with ``***`` for each password, and for each user of an HTTP address, where tokens stand.

    Parameters of a query whose names say key, token, secret, signature or password lose their values.
    """
    if "://" not in text:
        return text
    return _QUERY.sub(r"\1***", _PASSWORD.sub(r"\1:***@", _USER.sub(r"\1***@", text)))
