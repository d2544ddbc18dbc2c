"""Authors of the blocks of an exported text, found in what the trace says of the files it was made of."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator

from penwright.domain.text.blocks import Block
from penwright.domain.trace.authors import models_of
from penwright.domain.trace.reports.blame import Blame, BlamedBlock
from penwright.domain.trace.reports.disclosure import share_of
from schemas.readers_copy import BlockAuthor


def authors_of(blocks: Iterable[Block], blames: Iterable[Blame]) -> Iterator[BlockAuthor]:
    """The author of each block; ``untraced`` where no file has it as it is exported."""
    known: defaultdict[str, deque[BlamedBlock]] = defaultdict(deque)
    for each in (block for blame in blames for block in blame.blocks):
        known[each.block.hash].append(each)
    for number, block in enumerate(blocks, 1):
        alike = known.get(block.hash)
        # The last one of equal blocks stays: an export may say a block once more.
        found = None if not alike else alike.popleft() if len(alike) > 1 else alike[0]
        yield _author(number, found)


def _author(number: int, found: BlamedBlock | None) -> BlockAuthor:
    written = found.attributed.written if found else None
    if found is None or written is None:
        return BlockAuthor(number=number, by="untraced")
    models = sorted(models_of(written.possible))
    return BlockAuthor(
        number=number,
        by=share_of(found.attributed),
        people=found.people,
        models=tuple(models),
        intent=written.intent or "",
        at=written.made.at.isoformat(),
        commit=found.commit.sha if found.commit else "",
    )
