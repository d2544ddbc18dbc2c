"""Runs of words that stand in two blocks: the author of the later one may have copied it, in part.

A record names the sources of a block among the files that changed with it. Words from another file are
taken for their writer's own; if another author's block has them as well, it cannot be known whose they are.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from penwright.domain.text.blocks import Block, plain_text

_RUN = 8
"""Words in a row that two authors do not write by chance."""
_WORD = re.compile(r"\w+")


def echoes(asked: Iterable[Block], others: Iterable[Block]) -> Mapping[str, frozenset[frozenset[str]]]:
    """By hash of each asked block that has runs: for each of them, the hashes of all blocks that have it.

    Args:
        others: blocks of the text, now or once; the asked ones may be among them.
    """
    texts = {each.hash: each for each in asked}
    every = {**{each.hash: each for each in others}, **texts} if texts else {}
    first: dict[str, str] = {run: hashed for hashed, each in texts.items() for run in _runs(each)}
    shared: defaultdict[str, set[str]] = defaultdict(set)
    for hashed, block in every.items():
        for run in _runs(block):
            holder = first.get(run)
            if holder is not None and holder != hashed:
                shared[run] |= {holder, hashed}
    found = {
        hashed: frozenset(frozenset(shared.get(run, (hashed,))) for run in _runs(each))
        for hashed, each in texts.items()
    }
    return {hashed: groups for hashed, groups in found.items() if groups}


def _runs(block: Block) -> Iterator[str]:
    """Every run, without case and punctuation."""
    words = _WORD.findall(plain_text(block.text).casefold())
    return (" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))
