"""Cookies of a request."""

from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers


def cookie_of(headers: Headers, name: str) -> str:
    """The value of a cookie; empty without one."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""
