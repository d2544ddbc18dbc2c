"""Labels of footnotes in Markdown (``[^label]``), kept apart where several texts become one."""

import re
from collections.abc import Sequence

_LABEL = re.compile(
    r"^[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)"
    r"|\\\[|\[\^(?P<label>[^\]\s\[^]+)\]",
    re.MULTILINE | re.DOTALL,
)
"""Code and escaped brackets first: what looks like a label in them is none."""


def with_own_labels(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts with labels that no two of them share; the first text that has one keeps it.

    A label in code is left alone. Labels are compared as Markdown does, without regard to case.
    """
    taken = set[str]()
    made = list[str]()
    for number, text in enumerate(texts, start=1):
        own = _labels(text)
        clashing = {label for label in own if label.casefold() in taken}
        taken |= {label.casefold() for label in own}
        names = {label: _free(f"{label}-{number}", taken) for label in sorted(clashing)}
        made.append(_renamed(text, names) if names else text)
    return tuple(made)


def _labels(text: str) -> set[str]:
    return {found["label"] for found in _LABEL.finditer(text) if found["label"]}


def _free(wanted: str, taken: set[str]) -> str:
    """``wanted``, longer while another label has it; taken from now on."""
    while wanted.casefold() in taken:
        wanted += "x"
    taken.add(wanted.casefold())
    return wanted


def _renamed(text: str, names: dict[str, str]) -> str:
    return _LABEL.sub(
        lambda found: f"[^{names[found['label']]}]" if found["label"] in names else found[0], text
    )
