r"""Backslashes of LaTeX in JSON that a model wrote: doubled where it forgot to.

``\textbf``, ``\beta`` or ``\noindent`` are legal JSON for a control character and a rest; ``\usepackage``
is a broken Unicode escape, ``\section`` no escape at all. A backslash with letters is a command unless it
cannot be one; escapes that are meant stay what they are.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|(?P<word>[A-Za-z]+)|(?P<sign>[^A-Za-z]))", re.DOTALL)
_MATHS = re.compile(r"(?<![\\$])\$(?![\s$])[^$\"\n]{1,500}?(?<![\s\\$])\$(?![\d$])")
"""A formula inside a line; two prices are none."""
_JSON_SIGNS: Final = "\"\\/'"
"""Signs that stay: legal escapes, and the apostrophe, which models escape by habit."""
_NEVER_MEANT: Final = "bfr"
"""A backspace, form feed or lone carriage return is in no text, so a word after one is a command."""
_LEGAL: Final = "nt"
_NAMES: Final = """
nabla nameref natural nearrow neq newblock newcommand newcount newenvironment newfloat newif newlength
newline newpage newtheorem newtoks nexists ngeq ngtr nicefrac nleq nless nmid noalign nobibliography
nobreak nobreakspace nocite noexpand nofiles noindent nolimits nolinebreak nonfrenchspacing nonumber
nopagebreak nopagecolor normalcolor normalfont normalsize notag notin nparallel nprec nsim nsubset
nsubseteq nsucc nsupset nsupseteq ntriangleleft ntriangleright numberline numberwithin nwarrow tabcolsep
tableofcontents tabularnewline tabularx tanh tau tbinom textasciicircum textasciitilde textbackslash
textbf textbullet textcite textcolor textcopyright textdagger textdegree textdollar textellipsis
textemdash textendash texteuro textgreater textheight textit textless textmd textmu textnormal textohm
textperiodcentered textquotedblleft textquotedblright textquoteleft textquoteright textregistered textrm
textsc textsection textsf textsl textsubscript textsuperscript texttrademark texttt textunderscore
textup textwidth tfrac thanks thechapter theequation thefigure thefootnote thepage therefore thesection
theta thetable thetitle thickapprox thicksim thickspace thinspace thispagestyle tikz tikzset tilde times
tiny titleformat titlepage today todo toprule triangle triangledown triangleleft trianglelefteq
triangleright twocolumn twoheadrightarrow typeout
"""
_COMMANDS: Final = frozenset(_NAMES.split())
r"""Commands that begin with ``\n`` or ``\t`` and whose rest begins no line and no cell of a table.

``\ne``, ``\nu``, ``\tan`` or ``\to`` are not among them: they are commands in maths and before a brace only.
"""


def restore_backslashes(json_text: str) -> str:
    """``json_text`` with the backslashes of LaTeX commands doubled; correct JSON without such commands is
    returned as it is."""
    maths = [found.span() for found in _MATHS.finditer(json_text)] if "$" in json_text else []
    return _ESCAPE.sub(lambda found: _restored(found, maths), json_text)


def _restored(found: re.Match[str], maths: Sequence[tuple[int, int]]) -> str:
    word, sign = found["word"], found["sign"]
    if word is None:
        return "\\" + found[0] if sign is not None and sign not in _JSON_SIGNS else found[0]
    is_escape = word[0] in _LEGAL or (word[0] in _NEVER_MEANT and len(word) == 1)
    return found[0] if is_escape and not _is_command(found, word, maths) else "\\" + found[0]


def _is_command(found: re.Match[str], word: str, maths: Sequence[tuple[int, int]]) -> bool:
    """Whether a word after ``\\n`` or ``\\t`` is a command: by name, before a brace, or in a formula."""
    if word in _COMMANDS:
        return True
    if len(word) == 1:
        return False
    at = bisect_right(maths, (found.start(), len(found.string))) - 1
    return found.string.startswith("{", found.end()) or (at >= 0 and found.start() < maths[at][1])
