"""Cookies of a request."""

from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers


def cookies_of(headers: Headers) -> dict[str, str]:
    """Return values by name; none if they cannot be read."""
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return {}
    return {name: each.value for name, each in cookies.items()}
