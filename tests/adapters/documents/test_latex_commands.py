"""Commands of LaTeX that the converter does not know: their words stay, and each is counted."""

import pytest

from penwright.adapters.documents.adapter import PandocDocuments
from schemas.documents import ReadDocument, SourceDocument
from tests.support.each import for_each

DOCUMENTS = PandocDocuments()


def read(body: str, preamble: str = "") -> ReadDocument:
    source = f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    return DOCUMENTS.read(SourceDocument(format="latex", content=source.encode(), scholarly=True))


@for_each(
    "body, text",
    [
        (r"The \person{Orr} left.", "The Orr left."),
        (r"The \person[short]{Orr}{Ann} left.", "The Orr Ann left."),
        (r"The \person*{Orr} left.", "The Orr left."),
        (r"He said \textquote{no \emph{more}}.", "He said “no *more*”."),
        (r"A \outer{one \inner{two} three}.", "A one two three."),
        (r"A note\footnote{See \person{Orr}.}.", "A note[^1].\n\n[^1]: See Orr."),
        ("\\begin{mybox}[x]\nWithin \\person{Orr}.\n\\end{mybox}", "Within Orr."),
    ],
)
def test_words_given_to_an_unknown_command_stay(body: str, text: str) -> None:
    found = read(body)

    assert " ".join(found.markdown.split()) == " ".join(text.split())
    assert any("their words kept" in each for each in found.left_out)


def test_each_unknown_command_is_counted_by_its_name() -> None:
    found = read(
        r"\person{A} \person{B} \todo{ask} \stamp and \begin{tikzpicture}\draw (0,0);\end{tikzpicture}."
    )

    assert found.left_out == (
        "commands that are not known, their words kept: \\person 2, \\todo 1",
        "commands that are not known, left out: \\stamp 1",
        "drawings left out: 1",
    )


@pytest.mark.parametrize(
    "body",
    [
        r"\noindent \textbf{Bold} \emph{slanted} \textsc{caps}, \SI{5}{\metre}; see \cref{a}, \citep{orr}.",
        r"\vspace{2cm} \label{a} \index{b} Text \hspace*{1em} \clearpage \input{other}",
        r"\person{Orr} is defined.",
    ],
)
def test_commands_that_are_known_or_only_shape_the_page_are_not_counted(body: str) -> None:
    assert read(body, r"\newcommand{\person}[1]{Dr.~#1}").left_out == ()
