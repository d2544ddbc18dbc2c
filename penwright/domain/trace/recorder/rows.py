"""Rows of a record for the blocks of one file: added ones, with their authors, and removed ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from penwright.domain.text.blocks import Block
from penwright.domain.text.comparing.changes import BlockChange
from penwright.domain.text.comparing.descent import BlockKey, Descent
from penwright.domain.trace.authors import Origin
from penwright.domain.trace.recorder.authorship import Authorship
from schemas.trace import Conversation, Former, Node, Range, Related, Removed

_TITLE = 120
"""Signs of a heading that a record keeps."""
_SAME = Former()


def conversation_of(
    url: str,
    path: str,
    blocks: Sequence[BlockChange],
    authorship: Authorship,
    related: tuple[Related, ...] = (),
) -> Conversation:
    """The changes of one file by one contributor. ``url`` names the run that made them."""
    gone = (each.before for each in blocks if each.after is None and each.before is not None)
    return Conversation(
        url=url,
        contributor=authorship.mover,
        ranges=tuple(_ranges(path, blocks, authorship)),
        removed=tuple(_removed(each, authorship.before(path, each)) for each in gone),
        related=related,
    )


def hashes_asked(
    changes: Mapping[str, Sequence[BlockChange]], parts: Mapping[BlockKey, Descent]
) -> frozenset[str]:
    """Hashes of the blocks whose authors are asked for: what changed, and what it came from."""
    rows = [each for listed in changes.values() for each in listed]
    asked = {each.before.hash for each in rows if each.before}
    asked |= {source.block.hash for part in parts.values() for source in part.sources}
    return frozenset(asked)


def hashes_of_new(
    changes: Mapping[str, Sequence[BlockChange]], parts: Mapping[BlockKey, Descent]
) -> frozenset[str]:
    """Hashes of the blocks that came from none of the files that change."""
    come = ((path, each.after) for path, listed in changes.items() for each in listed if each.after)
    return frozenset(block.hash for path, block in come if not parts[path, block.start_line].sources)


def _ranges(path: str, blocks: Sequence[BlockChange], authorship: Authorship) -> Iterator[Range]:
    """Blocks after the change. Only the first half of a split block replaces it; the rest is added."""
    given: set[int] = set()
    for each in blocks:
        if each.after is not None:
            spent = each.change == "replaced" and id(each.before) in given
            given.add(id(each.before))
            yield _range(path, replace(each, change="added") if spent else each, each.after, authorship)


def _range(path: str, change: BlockChange, block: Block, authorship: Authorship) -> Range:
    origin = authorship.of(path, change)
    return Range(
        start_line=block.start_line,
        end_line=block.end_line,
        content_hash=block.content_hash,
        block_hash=block.hash,
        node=_node(block),
        ctx=change.ctx,
        change="added" if change.change == "removed" else change.change,
        before_block_hash=change.before.hash if change.before and change.similarity is not None else None,
        former=_former(path, change, block, authorship),
        similarity=change.similarity,
        contributor=origin.author if origin else None,
        intent=origin.intent if origin else None,
    )


def _former(path: str, change: BlockChange, block: Block, authorship: Authorship) -> Former | None:
    """Describe a block before its change, as far as that differs; None for a new one."""
    if change.before is None or change.change not in ("replaced", "moved"):
        return None
    heading = _titles(change.before)
    was = authorship.former(path, change)
    former = Former(
        path=change.from_path or None,
        heading=heading if heading != _titles(block) else None,
        contributor=was.author if was else None,
        intent=was.intent if was else None,
    )
    return former if former != _SAME or change.change == "moved" else None


def _removed(block: Block, origin: Origin | None) -> Removed:
    return Removed(
        block_hash=block.hash,
        node=_node(block),
        contributor=origin.author if origin else None,
        intent=origin.intent if origin else None,
    )


def _node(block: Block) -> Node:
    return Node(heading=_titles(block), kind=block.kind, ordinal=block.ordinal)


def _titles(block: Block) -> tuple[str, ...]:
    return tuple([title[:_TITLE] for _, title in block.headings])
