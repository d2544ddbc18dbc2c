"""A number with the noun that fits it."""


def counted(number: int, noun: str, nouns: str = "") -> str:
    """Return ``1 word``, ``2 words``, ``1,200 words``; ``nouns``: a plural that is not ``noun`` with an s."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"
