"""Runs of words that stand in two blocks: the author of the later one may have copied it, in part.

A record names the sources of a block among the files that changed with it. Words from another file are
taken for their writer's own; if another author's block has them as well, it cannot be known whose they are.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from penwright.domain.text.blocks import Block, plain_text
from penwright.domain.text.comparing.descent import COPIED, least_of
from penwright.domain.text.words import split_words

_RUN = 8
"""Words in a row that two authors do not write by chance; in Chinese as many as say as much."""
_WORD = re.compile(r"\w+")


def echoes(asked: Iterable[Block], others: Iterable[Block]) -> Mapping[str, frozenset[frozenset[str]]]:
    """By hash of each asked block that has runs: for each of them, the hashes of all blocks that have it.

    Args:
        others: blocks of the text, now or once; the asked ones may be among them.
    """
    texts = {each.hash: each for each in asked}
    every = {**{each.hash: each for each in others}, **texts} if texts else {}
    own = {hashed: frozenset(_own_runs(each)) for hashed, each in texts.items()}
    first = {run: hashed for hashed, runs in own.items() for run in runs}
    lengths = {run.count(" ") + 1 for run in first}
    shared: defaultdict[str, set[str]] = defaultdict(set)
    for hashed, block in every.items():
        words = _words(block)
        for run in chain.from_iterable(first.keys() & _runs(words, length) for length in lengths):
            if first[run] != hashed:
                shared[run] |= {first[run], hashed}
    return {
        hashed: frozenset(frozenset(shared.get(run, (hashed,))) for run in runs)
        for hashed, runs in own.items()
        if runs
    }


def _own_runs(block: Block) -> Iterator[str]:
    """The runs of a block; all of it, if it is shorter than one but so long that an equal one is a copy."""
    words, text = _words(block), block.text
    return _runs(words, min(least_of(_RUN, text), max(least_of(COPIED, text), len(words))))


def _words(block: Block) -> Sequence[str]:
    """Its words, without case and punctuation."""
    found = _WORD.findall(plain_text(block.text).casefold())
    return [word for run in found for word in split_words(run)]


def _runs(words: Sequence[str], length: int) -> Iterator[str]:
    return map(" ".join, zip(*(words[at:] for at in range(length)), strict=False))
