"""Headers that every answer carries."""

from gateway.http.site import PREFIX, UI

_API_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_LOGIN_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The pages' library needs inline scripts and evaluation; see docs/dev/decisions.md.
_UI_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
)
_ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

Header = tuple[bytes, bytes]


def secured(headers: list[Header], path: str, request_id: str, *, page: bool = True) -> list[Header]:
    """``headers`` of an answer at ``path`` with ours; no other site is ever let in.

    ``page``: False for files that never change and may be cached.
    """
    ours = _ALWAYS | {"content-security-policy": _policy(path), "x-request-id": request_id}
    if page:
        ours["cache-control"] = "no-store"
    names = {name.encode() for name in ours}
    kept = [
        (name, value)
        for name, value in headers
        if name.lower() not in names and not name.lower().startswith(b"access-control-")
    ]
    return kept + [(name.encode(), value.encode()) for name, value in ours.items()]


def _policy(path: str) -> str:
    if path.startswith(PREFIX):
        return _API_POLICY
    return _UI_POLICY if path.startswith(f"{UI}/") else _LOGIN_POLICY
