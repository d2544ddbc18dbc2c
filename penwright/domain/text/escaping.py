"""Escape foreign text inside our XML, so that it is always data and never markup."""

from html import escape


def printable(value: str) -> str:
    """Replace control characters by spaces: XML forbids them and terminals execute them."""
    if value.isprintable():
        return value
    return "".join(sign if sign.isprintable() else " " for sign in value)


def element_text(value: str) -> str:
    """Escape ``value`` as the text of an element."""
    return escape(printable(value), quote=False)


def attribute(value: str) -> str:
    """Escape and quote ``value`` as an attribute value."""
    return f'"{escape(printable(value))}"'


def clipped(value: str, most: int) -> str:
    """Shorten ``value``, with an ellipsis, so that its escaped form has at most ``most`` bytes of UTF-8."""
    plain = printable(value)
    if len(escape(plain).encode()) <= most:
        return plain
    room, kept = most - len("…".encode()), 0
    for sign in plain:
        room -= len(escape(sign).encode())
        if room < 0:
            break
        kept += 1
    return f"{plain[:kept]}…"
