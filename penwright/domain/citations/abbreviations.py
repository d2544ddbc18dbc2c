"""Abbreviations after whose point a sentence goes on, in the languages of the research press."""

import re

_LISTED = frozenset(
    {
        # Latin and general
        *("al", "approx", "ca", "cf", "e.g", "eg", "i.e", "ie", "et", "ibid", "resp", "sc", "viz", "vs", "v"),
        # parts of works
        *("bd", "ch", "chap", "col", "ed", "eds", "eq", "eqn", "eqs", "fasc"),
        *("fig", "figs", "fn", "lem", "n", "nr", "p", "pp", "pt"),
        *("ref", "refs", "sec", "sect", "ser", "suppl", "tab", "thm", "trans", "vol", "vols"),
        # people and places
        *("capt", "col", "dept", "dr", "drs", "fr", "gen", "gov", "hon", "inst", "jr", "lt", "mme", "mlle"),
        *("mr", "mrs", "ms", "mt", "prof", "profs", "rev", "sen", "sgt", "sr", "st", "ste", "univ"),
        # firms, months, measures
        *("bros", "co", "corp", "inc", "ltd", "jan", "feb", "apr", "aug", "sept", "oct", "nov", "dec"),
        *("avg", "est", "wt"),
        # German, French, Spanish
        *("abb", "abs", "bzgl", "bzw", "d.h", "dgl", "evtl", "ggf", "hrsg", "inkl", "insb", "jh", "kap"),
        *("s", "s.o", "s.u", "sog", "u.a", "usf", "vgl", "z.b", "zit", "zzgl", "z", "b", "c.-à-d", "env"),
        *("éd", "p.ex", "ej", "p.ej", "pág", "págs", "sra", "ud", "uds"),
    }
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]", re.UNICODE)


def is_abbreviation(word: str) -> bool:
    """Whether a sentence goes on after ``word`` and a point; also after an initial, such as ``J``.

    Args:
        word: what stands before the point, without it; ``e.g`` for ``e.g.``.
    """
    plain = word.strip("*_")
    if plain.casefold() in _LISTED or (len(plain) > 1 and _INITIALS.fullmatch(plain)):
        return True
    return len(plain) == 1 and plain.isupper()
