"""Cookies of a request."""

from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers


def cookie_of(headers: Headers, name: str) -> str:
    """The value of a cookie; empty without one."""
    return cookies_of(headers).get(name, "")


def cookies_of(headers: Headers) -> dict[str, str]:
    """Values by name; none if they cannot be read."""
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return {}
    return {name: each.value for name, each in cookies.items()}
