"""A BibTeX file in pieces: one is changed, or two versions are merged, and all else stays as it is."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bibtexparser.entrypoint import parse_string
from bibtexparser.model import Block
from bibtexparser.model import Entry as ParsedEntry


@dataclass(frozen=True, slots=True)
class Piece:
    """An entry, a comment, or something that cannot be read, with the blank lines behind it."""

    text: str
    key: str = ""
    """Of an entry that can be read."""
    is_last: bool = True
    """It is new, or ended its file: an empty line parts it from what comes behind it."""

    @property
    def bare(self) -> str:
        return self.text.strip()


def pieces_of(bibtex: str) -> tuple[Piece, ...]:
    """Cut a text into pieces; joined, they are the text again."""
    lines = bibtex.splitlines(keepends=True)
    blocks = {block.start_line or 0: block for block in parse_string(bibtex).blocks}
    if not blocks:
        return (Piece(bibtex),) if bibtex else ()
    starts = sorted(blocks)
    return tuple(
        Piece("".join(lines[first:last]), _key(blocks[at]), last == len(lines))
        for at, first, last in zip(starts, [0, *starts[1:]], [*starts[1:], len(lines)], strict=True)
    )


def joined(pieces: Iterable[Piece]) -> str:
    """Return the text of some pieces."""
    kept = list(pieces)
    apart = (f"{each.text.rstrip()}\n\n" if each.is_last else each.text for each in kept[:-1])
    return "".join([*apart, *(f"{each.text.rstrip()}\n" for each in kept[-1:])])


def merged(base: str, ours: str, theirs: str, *, theirs_win: bool = False) -> tuple[str, bool]:
    """Merge two versions piece by piece.

    Args:
        theirs_win: where both changed one piece, keep theirs alone; else both stay, theirs first.

    Returns:
        The text, and whether both had changed one piece.
    """
    old, mine, other = (dict(_named(pieces_of(text))) for text in (base, ours, theirs))
    kept: dict[tuple[str, int], list[Piece]] = {}
    both = False
    for name, piece in other.items():
        chosen = _chosen(old.get(name), mine.get(name), piece)
        both = both or len(chosen) > 1
        kept[name] = chosen[:1] if theirs_win else chosen
    order = list(kept)
    behind = 0
    for name, piece in mine.items():
        if name in kept:
            behind = order.index(name) + 1
        elif name not in old or old[name].bare != piece.bare:
            kept[name] = [piece]
            order.insert(behind, name)
            behind += 1
    return joined(each for name in order for each in kept[name]), both


def _key(block: Block) -> str:
    return block.key if isinstance(block, ParsedEntry) else ""


def _named(pieces: Iterable[Piece]) -> Iterator[tuple[tuple[str, int], Piece]]:
    """Pieces by what they are recognised by in another version: an entry's key, else all of it."""
    seen: dict[str, int] = {}
    for each in pieces:
        name = f"@{each.key}" if each.key else each.bare
        seen[name] = seen.get(name, 0) + 1
        if each.bare:
            yield (name, seen[name]), each


def _chosen(old: Piece | None, mine: Piece | None, other: Piece) -> list[Piece]:
    """A piece that they have: theirs, ours, both, or none where we took away what they left alone."""
    if mine is None:
        return [] if old is not None and old.bare == other.bare else [other]
    if mine.bare == other.bare or (old is not None and old.bare == mine.bare):
        return [other]
    return [mine] if old is not None and old.bare == other.bare else [other, mine]
