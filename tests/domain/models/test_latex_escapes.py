"""Backslashes of LaTeX in JSON survive, and JSON without LaTeX stays as it is."""

import json

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.models.latex_escapes import restore_backslashes
from tests.support.each import for_each

PLAIN = st.text(st.characters(exclude_characters="\b\f", exclude_categories=["Cs"]))
COMMANDS = st.sampled_from(
    [
        r"\textbf",
        r"\ref",
        r"\beta",
        r"\frac",
        r"\noindent",
        r"\usepackage",
        r"\section",
        r"\right",
        r"\tau",
        r"\%",
    ]
)


@given(
    text=st.lists(st.one_of(st.sampled_from(["\n", "\t", "\\", '"', " ", "z", "é", "u0041", "une"]))).map(
        "".join
    )
)
def test_correct_json_of_ordinary_text_is_not_changed(text: str) -> None:
    written = json.dumps(text)

    assert json.loads(restore_backslashes(written)) == text


@given(text=PLAIN.filter(lambda text: "\t" not in text and "\r" not in text and "\n" not in text))
def test_correct_json_of_any_line_is_not_changed(text: str) -> None:
    for written in (json.dumps(text), json.dumps(text, ensure_ascii=False)):
        assert restore_backslashes(written) == written


@given(parts=st.lists(st.tuples(COMMANDS, st.sampled_from(["{x}", " ", "_1", "\n", '"']))))
def test_commands_that_were_left_single_are_restored_among_real_escapes(parts: list[tuple[str, str]]) -> None:
    text = "".join(command + rest for command, rest in parts)
    written = '"' + "".join(command + json.dumps(rest)[1:-1] for command, rest in parts) + '"'

    assert json.loads(restore_backslashes(written)) == text


@for_each(
    "kept", [r"a\nb", r"a\tb", r"\u00e9", r"\\textbf", r"\"", r"\/", r"\nu", r"\ne poi", r"\r\n", r"don\'t"]
)
def test_escapes_that_are_meant_stay(kept: str) -> None:
    assert restore_backslashes(kept) == kept


PLAINLY = r"\textdegree \therefore \tabularnewline \theequation \rho \rm \beta"
BEFORE_A_BRACE = r"\num \nicefrac \nameref \textcite \todo \title \tag \natexlab"
IN_MATHS = r"\ne \nu \ni \not \neg \tan \to \tau \top \nRightarrow"


@for_each(
    "written",
    [
        *(f"so {name} it is" for name in PLAINLY.split()),
        *(f"so {name}{{x}}" for name in BEFORE_A_BRACE.split()),
        *(f"so $a {name} b$." for name in IN_MATHS.split()),
        r"$\nu_e$ and $x\ne y$ cost $5",
    ],
)
def test_letters_behind_a_backslash_are_a_command_unless_they_cannot_be(written: str) -> None:
    assert json.loads(restore_backslashes(f'"{written}"')) == written


@for_each(
    "kept",
    [r"a\tan b", r"a\tto", r"so\nunder it", r"for $5 or\nunder $6", r"$$\nx = 1\n$$", r"$a$\nu $b$", r"\nul"],
)
def test_a_line_end_or_tab_before_a_word_stays(kept: str) -> None:
    assert restore_backslashes(kept) == kept
