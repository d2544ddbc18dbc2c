"""Plain text as Markdown that reads the same: a backslash before each sign that would mean something."""

import re

_INLINE = re.compile(
    r"""\\(?=[!-/:-@\[-`{-~]|$)     # a backslash that would escape, or break the line
    |[`\[]
    |<!|<(?=[A-Za-z/?])
    |&(?=\#?\w+;)
    |(?<!\s)\*|\*(?!\s|$)           # emphasis opens or closes beside a word
    |(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)
    |~{2,}""",
    re.VERBOSE | re.MULTILINE,
)
_START = re.compile(
    r"""(?P<indent>[ \t]*)(?:
        (?P<sign>>|[-+*](?=[ \t]|$)|\#{1,6}(?=[ \t]|$))
        |(?P<number>[0-9]{1,9})(?=[.)](?:[ \t]|$))
        |(?P<rule>(?:=+|-{2,})[ \t]*$)
        |(?P<row>[-:|][-:| \t]*\|[-:| \t]*$)
    )""",
    re.VERBOSE,
)
_BREAK = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")


def is_scene_break(line: str) -> bool:
    """Whether a line of its own is a scene break in Markdown, such as ``* * *``."""
    return _BREAK.fullmatch(line) is not None


def escaped_inline(text: str) -> str:
    """Return the text without emphasis, links, code, HTML, and other marks inside of lines."""
    return _INLINE.sub(lambda sign: _escaped(sign[0]), text)


def _escaped(signs: str) -> str:
    # What removes comments looks for their opening, escaped or not.
    return r"<\!" if signs == "<!" else "".join(f"\\{each}" for each in signs)


def escaped_start(line: str) -> str:
    """Return the line so that it begins no heading, list, quotation, rule or row of a table."""
    found = _START.match(line)
    if found is None:
        return line
    at = found.end("number") if found["number"] else found.end("indent")
    return f"{line[:at]}\\{line[at:]}"


def escaped_line(line: str) -> str:
    """Return a line that reads the same as plain text, wherever it stands."""
    inline = escaped_inline(line)
    # What is escaped already begins nothing.
    return inline if inline.lstrip(" \t").startswith("\\") else escaped_start(inline)
