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


def echoes(asked: Iterable[Block], standing: Iterable[Block]) -> Mapping[str, frozenset[str]]:
    """By hash, for each asked block that has any: the hashes of other blocks with a run of its words.

    Args:
        standing: every block of the text, the asked ones included.
    """
    texts = {each.hash: each for each in asked}
    first = dict.fromkeys((run for each in texts.values() for run in _runs(each)), "")
    shared: defaultdict[str, set[str]] = defaultdict(set)
    for block in standing if first else ():
        for run in _runs(block):
            if (holder := first.get(run)) is None:
                continue
            if not holder:
                first[run] = block.hash
            elif holder != block.hash:
                shared[run] |= {holder, block.hash}
    found = {
        hashed: frozenset(other for run in _runs(each) for other in shared.get(run, ()) if other != hashed)
        for hashed, each in texts.items()
    }
    return {hashed: others for hashed, others in found.items() if others}


def _runs(block: Block) -> Iterator[str]:
    """Every run, without case and punctuation."""
    words = _WORD.findall(plain_text(block.text).casefold())
    return (" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))
