"""How many tokens a text is likely to be, without any vendor's tokenizer."""

from collections.abc import Iterable

PER_MESSAGE = 6
"""What vendors add around one message."""


def estimate_tokens(text: str) -> int:
    """Tokens of ``text``, rounded up.

    Four ASCII characters make a token in English prose; other letters (accents, Cyrillic, Greek) are
    counted as two to a token and ideographs as one each. A rule of thumb, meant for reservations: what a
    call really used is settled afterwards.
    """
    ascii_count = wide = 0
    for character in text:
        code = ord(character)
        ascii_count += code < 0x80
        wide += code >= 0x2E80
    other = len(text) - ascii_count - wide
    return -(-ascii_count // 4) + -(-other // 2) + wide


def estimate_messages(contents: Iterable[str]) -> int:
    """Tokens of a whole conversation, with what surrounds each message."""
    return sum(estimate_tokens(content) + PER_MESSAGE for content in contents)
