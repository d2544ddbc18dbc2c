r"""Backslashes of LaTeX in JSON that a model wrote: doubled where it forgot to.

``\textbf``, ``\beta`` or ``\noindent`` are legal JSON for a control character and a rest; ``\usepackage``
is a broken Unicode escape, ``\section`` no escape at all. Escapes that are meant stay what they are.
"""

import re
from typing import Final

_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|(?P<word>[A-Za-z]+)|(?P<sign>[^A-Za-z]))", re.DOTALL)
_JSON_SIGNS: Final = "\"\\/'"
"""Signs that stay: legal escapes, and the apostrophe, which models escape by habit."""
_ALWAYS: Final = "bf"
"""A backspace or form feed is in no text, so a word after one is a command."""
_LEGAL: Final = "ntr"
_COMMANDS: Final = frozenset(
    [
        "nabla",
        "natural",
        "nearrow",
        "neg",
        "neq",
        "newcommand",
        "newenvironment",
        "newline",
        "newpage",
        "newtheorem",
        "nocite",
        "nofiles",
        "noindent",
        "nolinebreak",
        "nonumber",
        "nopagebreak",
        "normalfont",
        "normalsize",
        "not",
        "notag",
        "notin",
        "nsubseteq",
        "raggedleft",
        "raggedright",
        "raisebox",
        "rangle",
        "rceil",
        "ref",
        "refname",
        "renewcommand",
        "relax",
        "rfloor",
        "rho",
        "right",
        "rightarrow",
        "rightharpoonup",
        "rm",
        "rmfamily",
        "root",
        "rotatebox",
        "rule",
        "rvert",
        "tableofcontents",
        "tag",
        "tan",
        "tanh",
        "tau",
        "tbinom",
        "textbf",
        "textcolor",
        "textemdash",
        "textendash",
        "textheight",
        "textit",
        "textmd",
        "textnormal",
        "textrm",
        "textsc",
        "textsf",
        "textsl",
        "textsubscript",
        "textsuperscript",
        "texttt",
        "textup",
        "textwidth",
        "text",
        "tfrac",
        "thanks",
        "theta",
        "thetitle",
        "thinspace",
        "thispagestyle",
        "tilde",
        "times",
        "tiny",
        "title",
        "titleformat",
        "to",
        "today",
        "top",
        "toprule",
        "triangle",
        "tt",
        "twocolumn",
    ]
)
r"""Commands that begin with ``\n``, ``\r`` or ``\t``. Those whose rest may begin a line
(``\ne``, ``\nu``) are not among them."""


def restore_backslashes(json_text: str) -> str:
    """``json_text`` with the backslashes of LaTeX commands doubled; correct JSON without such commands is
    returned as it is."""
    return _ESCAPE.sub(_restored, json_text)


def _restored(found: re.Match[str]) -> str:
    word, sign = found["word"], found["sign"]
    if word is None:
        return "\\" + found[0] if sign is not None and sign not in _JSON_SIGNS else found[0]
    legal = word[0] in _LEGAL or (word[0] in _ALWAYS and len(word) == 1)
    return found[0] if legal and word not in _COMMANDS else "\\" + found[0]
