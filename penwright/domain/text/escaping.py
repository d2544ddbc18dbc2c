"""Words of others inside our XML: always data, whatever they pretend to be."""

from html import escape


def printable(value: str) -> str:
    """Without control characters, which XML forbids and terminals obey."""
    if value.isprintable():
        return value
    return "".join(sign if sign.isprintable() else " " for sign in value)


def element_text(value: str) -> str:
    """Ready to stand between two tags."""
    return escape(printable(value), quote=False)


def attribute(value: str) -> str:
    """Quoted, ready to stand behind an equals sign."""
    return f'"{escape(printable(value))}"'


def clipped(value: str, most: int) -> str:
    """As much of ``value`` as escapes to at most ``most`` bytes of UTF-8, with an ellipsis if not all."""
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
