"""Loops: sentences that a model writes again and again until its limit."""

import re
from collections import Counter

_SENTENCE = re.compile(r"[^.!?\u2026\u3002\uff01\uff1f\n]+")
_SHORTEST = 3
"""Words of a sentence that counts; shorter ones ("No.") are repeated in any talk."""
_OFTEN = 3
"""From this time on a sentence is a repetition; refrains stand twice or three times."""
_LEAST = 4
_MOST = 6
"""Sentences that a loop goes through; a text of many like sentences is dull, but no loop."""
_SHARE = 0.25


def is_loop(prose: str) -> bool:
    """Whether a quarter of the words are six or fewer sentences again, each of which stood twice before."""
    found = [" ".join(re.findall(r"\w+", each.casefold())) for each in _SENTENCE.findall(prose)]
    counts = Counter(each for each in found if each)
    repeated = {
        each: times - _OFTEN + 1
        for each, times in counts.items()
        if times >= _OFTEN and len(each.split()) >= _SHORTEST
    }
    most = sorted(repeated, key=lambda each: repeated[each] * len(each.split()), reverse=True)[:_MOST]
    words = sum(times * len(each.split()) for each, times in counts.items())
    again = sum(repeated[each] * len(each.split()) for each in most)
    return sum(repeated[each] for each in most) >= _LEAST and again >= _SHARE * words
