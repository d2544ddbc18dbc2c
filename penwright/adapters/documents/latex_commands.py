"""Commands of LaTeX that pandoc does not know: it drops them with their words; here the words stay."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

_NAME: Final = re.compile(r"\\([A-Za-z@]+)\*?[ \t]*")
_ENVIRONMENT: Final = re.compile(r"\\begin\{([^}]*)\}")
_FROM_PACKAGES: Final = re.compile(r"\\(?:documentclass|usepackage|RequirePackage)\b")
_MOST_ARGUMENTS: Final = 8
_SHOWN: Final = 12
_MEANT: Final = {"textquote": r"\enquote{#1}", "blockquote": r"\enquote{#1}"}
"""Commands of other packages as commands that pandoc knows."""
_DRAWINGS: Final = frozenset({"tikzpicture", "pgfpicture", "forest", "axis", "picture", "pspicture"})
_WITHOUT_WORDS: Final = re.compile(
    "Huge|LARGE|Large|addcontentsline|addtocounter|addtolength|appendix|author|autoref|"
    "backmatter|balance|bfseries|bibliography|bibliographystyle|bigskip|break|centering|"
    "cleardoublepage|clearpage|color|cpageref|cref|crefrange|date|def|definecolor|"
    "documentclass|doublespacing|eqref|fancyfoot|fancyhead|flushbottom|fontsize|footnotesize|"
    "frontmatter|fullref|geometry|graphicspath|hfill|hline|hrule|hspace|huge|hypersetup|"
    "include|includegraphics|indent|index|input|institute|itshape|keywords|label|large|"
    "let|linebreak|linespread|listoffigures|listoftables|mainmatter|maketitle|markboth|"
    "markright|medskip|nameref|newcommand|newenvironment|newlength|newline|newpage|"
    "newtheorem|nocite|noindent|nolinebreak|nopagebreak|normalfont|normalsize|null|"
    "onehalfspacing|pagebreak|pagenumbering|pageref|pagestyle|par|paragraph|parindent|"
    "parskip|phantomsection|printbibliography|printglossary|printindex|protect|providecommand|"
    "raggedbottom|raggedright|ref|relax|renewcommand|rmfamily|rule|scriptsize|selectfont|"
    "selectlanguage|setcounter|setlength|setstretch|sffamily|shortref|singlespacing|sloppy|"
    "small|smallskip|subref|tableofcontents|thanks|thispagestyle|tiny|title|today|ttfamily|"
    "usepackage|vfill|vref|vspace"
)
"""Commands that shape or number a text, and those whose loss is counted elsewhere."""


@dataclass(frozen=True, slots=True)
class UnknownCommands:
    """Commands of a source that pandoc does not know, by name, with how often each stands there."""

    commands: Mapping[str, int] = field(default_factory=dict)
    arguments: Mapping[str, int] = field(default_factory=dict)
    """The most arguments in braces that a command has."""
    optional: frozenset[str] = frozenset()
    """Commands with an argument in brackets."""
    drawings: int = 0

    def and_within(self, more: "UnknownCommands") -> "UnknownCommands":
        """Return these with those that a further look found; what has no words is found in each look."""
        words = {name: self.commands.get(name, 0) for name in more.commands if more.arguments[name]}
        counts = {name: more.commands[name] + words.get(name, 0) for name in more.commands}
        return UnknownCommands(
            {**self.commands, **counts},
            {**self.arguments, **more.arguments},
            self.optional | more.optional,
            max(self.drawings, more.drawings),
        )

    @property
    def losses(self) -> tuple[str, ...]:
        """A sentence for each kind of loss."""
        worded = {name: count for name, count in self.commands.items() if self.arguments[name]}
        bare = {name: count for name, count in self.commands.items() if not self.arguments[name]}
        said = [
            *([f"commands that are not known, their words kept: {_listed(worded)}"] if worded else []),
            *([f"commands that are not known, left out: {_listed(bare)}"] if bare else []),
            *([f"drawings left out: {self.drawings}"] if self.drawings else []),
        ]
        return tuple(said)


def unknown_in(document: str) -> UnknownCommands:
    """Return what pandoc left as it is written in a document, given as its JSON."""
    commands, arguments, optional = Counter[str](), dict[str, int](), set[str]()
    drawings = 0
    for raw in _raw_pieces(json.loads(document)):
        if begun := _ENVIRONMENT.match(raw):
            drawings += begun[1].rstrip("*") in _DRAWINGS
            continue
        if (named := _NAME.match(raw)) is None or _WITHOUT_WORDS.fullmatch(named[1]) or "@" in named[1]:
            continue
        brackets, braces = _arguments(raw[named.end() :])
        commands[named[1]] += 1
        arguments[named[1]] = min(_MOST_ARGUMENTS, max(arguments.get(named[1], 0), braces))
        optional |= {named[1]} if brackets else set()
    return UnknownCommands(commands, arguments, frozenset(optional), drawings)


def probe(unknown: UnknownCommands) -> str:
    """Return a source of the commands alone, each with a word of its own, for ``without_known``."""
    return "\n\n".join(
        f"\\{name}{f'{{probe{number}x}}' * unknown.arguments[name]}"
        for number, name in enumerate(unknown.commands)
    )


def without_known(unknown: UnknownCommands, text: str) -> UnknownCommands:
    """Return the commands without those that kept their word: pandoc knows them where it writes no LaTeX."""
    kept = {
        name: count
        for number, (name, count) in enumerate(unknown.commands.items())
        if f"probe{number}x" not in text
    }
    return replace(unknown, commands=kept)


def with_words(source: str, unknown: UnknownCommands) -> str:
    """Return the source with each unknown command defined as the words that it is given."""
    worded = [name for name in unknown.commands if unknown.arguments[name]]
    starred = re.compile(rf"\\({'|'.join(worded)})\*") if worded else None
    defined = "".join(_definition(name, unknown) for name in worded)
    return defined + (starred.sub(r"\\\1", source) if starred else source)


def without_environments(source: str, document: str) -> str:
    """Return the source without the frames of environments that pandoc does not know: it looks within."""
    begun = (_ENVIRONMENT.match(raw) for raw in _raw_pieces(json.loads(document)))
    names = {found[1] for found in begun if found} - _DRAWINGS
    frames = "|".join(map(re.escape, names))
    return re.sub(rf"\\(?:begin|end)\{{(?:{frames})\}}", "{}", source) if names else source


def _definition(name: str, unknown: UnknownCommands) -> str:
    count, first = unknown.arguments[name], name in unknown.optional
    words = " ".join(f"#{number}" for number in range(1 + first, count + 1 + first))
    meant = _MEANT.get(name, words).replace("#1", "#2" if first else "#1") if name in _MEANT else words
    return f"\\newcommand{{\\{name}}}[{count + first}]{'[]' if first else ''}{{{meant}}}"


# Any: pandoc's JSON.
def _raw_pieces(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if value.get("t") == "Cite":  # known, and written as it stands there, too
            return
        if value.get("t") in ("RawInline", "RawBlock"):
            if value["c"][0] in ("latex", "tex") and not _FROM_PACKAGES.match(value["c"][1]):
                yield value["c"][1]
            return
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _raw_pieces(each)


def _arguments(rest: str) -> tuple[int, int]:
    """The number of arguments in brackets and in braces at the beginning of a text."""
    counts = {"[": 0, "{": 0}
    closing = {"[": "]", "{": "}"}
    while rest[:1] in counts:
        counts[rest[0]] += 1
        rest = rest[_end(rest, rest[0], closing[rest[0]]) :].lstrip(" \t")
    return counts["["], counts["{"]


def _end(text: str, opened: str, closing: str) -> int:
    """The end of the argument that begins a text."""
    depth = 0
    for place, sign in enumerate(text, 1):
        depth += (sign == opened) - (sign == closing)
        if depth == 0:
            return place
    return len(text)


def _listed(counts: Mapping[str, int]) -> str:
    shown = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return ", ".join(f"\\{name} {count}" for name, count in shown[:_SHOWN]) + more
