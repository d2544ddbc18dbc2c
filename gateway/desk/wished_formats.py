"""The format of a file that is asked for: by ``--to``, or by the file's name, which may not differ."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from penwright.domain.text.nearest import meant
from penwright.errors import UsageMistake

Format = TypeVar("Format", bound=str)


def wished_format(
    to: str | None,
    output: Path | None,
    suffixes: Mapping[Format, str],
    more: Mapping[str, Format] | None = None,
    *,
    usual: Format | None = None,
) -> Format:
    """Return the format that ``to`` names, or the suffix of the file.

    Args:
        suffixes: of each format the one that its files get.
        more: further suffixes of a format.
        usual: the format if neither is given; None: one must be.

    Raises:
        UsageMistake: ``unknown-format`` if neither says it, ``format-contradicts-name`` if they differ.
    """
    by_suffix = {suffix: name for name, suffix in suffixes.items()} | dict(more or {})
    by_word = {str(name): name for name in suffixes} | {each[1:]: name for each, name in by_suffix.items()}
    by_name = by_suffix.get(output.suffix.lower()) if output else None
    found = by_word.get(to.lower()) if to else by_name if output else usual
    if found is None:
        raise _unknown(to or (output.suffix[1:] if output else ""), suffixes)
    if by_name not in (None, found):
        raise UsageMistake(
            "format-contradicts-name",
            f"{str(output)!r} is the name of a {by_name} file, and `--to` says {found}; nothing was written",
            hint=f"leave `--to` out, or name a file that ends in {suffixes[found]}",
        )
    return found


def _unknown(named: str, suffixes: Mapping[Format, str]) -> UsageMistake:
    asked = f"{named!r} is not a format{meant(named, suffixes)}" if named else "the format is not named"
    last = list(suffixes)[-1]
    return UsageMistake(
        "unknown-format",
        f"{asked}{' There' if asked.endswith('?') else '; there'} are {', '.join(suffixes)}",
        hint=f"name one, for instance `--to {last}`, or a file that ends in {suffixes[last]}",
    )
