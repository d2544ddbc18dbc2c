"""An estimate of tokens for budgets, where too few would overflow a prompt.

The rule, for any script. One token is: six ASCII letters of a word, three digits in a row, another sign of
ASCII, a run of spaces or line ends; two letters of an accented Latin or Cyrillic word; a letter of another
alphabet, an ideograph, a dash or quotation mark. What is begun counts whole. Another sign is two tokens, and
an emoji, like all beyond U+FFFF, three.
"""

import re
from collections.abc import Sequence

_RUNS = (
    (re.compile("[A-Za-z]+"), 6),
    (re.compile("[0-9]+"), 3),
    (re.compile("[\u0080-\u036f\u0400-\u052f\u1e00-\u1eff]+"), 2),
)
"""Runs, and how many of their characters make a token."""
_SIGNS = (
    (
        re.compile(
            "[!-/:-@\\[-`{-~]|[ \\n\\r\\t]{2,}|[\\n\\r\\t]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]"
        ),
        1,
    ),
    (re.compile("[\u0370-\u03ff\u0530-\u1dff\u1f00-\u203f\u2e80-\u2fff\u3040-\ud7ff\uf900-\ufaff]"), 1),
    (re.compile("[\u2040-\u2e7f\u3000-\u303f\ud800-\uf8ff\ufb00-\uffff]"), 2),
    (re.compile("[\U00010000-\U0010ffff]"), 3),
)
"""Signs, and how many tokens each of them is."""


def cautious_tokens(text: str) -> int:
    """Estimate the tokens of ``text``, rather too many than too few."""
    runs = sum(-(-len(run) // size) for pattern, size in _RUNS for run in pattern.findall(text))
    return runs + sum(tokens * len(pattern.findall(text)) for pattern, tokens in _SIGNS)


def cautious_counts(texts: Sequence[str]) -> tuple[int, ...]:
    """Estimate each of several texts."""
    return tuple(map(cautious_tokens, texts))
