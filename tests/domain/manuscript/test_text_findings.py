"""Faults of what a model writes into a manuscript, each beside what looks like it and is none."""

from penwright.domain.manuscript.text_findings import Change, change_findings, still_there, why_unread
from schemas.prose import Finding
from tests.support.each import for_each

COUNTED = (
    "We counted the boats that passed the landing between dawn and dusk on every working day of that spring, "
    "and noted their load, their owners and the hour."
)
WHY = (
    "Nobody has yet explained why the ferries of the upper river were given up long before the bridge was "
    "built, although the town lived by them."
)
BEFORE = f"# Introduction\n\n{WHY}\n\n# Method\n\n{COUNTED}\n"
TITLES = ("Introduction", "Method", "Results")
NEW = "# Results\n\nMost boats came at noon and left empty."


def found(
    after: str, *, told: str = "", planned: tuple[str, ...] = TITLES, before: str = BEFORE
) -> list[Finding]:
    return list(change_findings(Change(before=before, after=after, planned=planned, told=told)))


def rules(after: str, *, told: str = "", before: str = BEFORE) -> list[tuple[str, str]]:
    """Rule, and the other side, of each finding."""
    return [(each.rule, each.other) for each in found(after, told=told, before=before)]


def test_a_section_of_its_own_has_none() -> None:
    assert found(f"{BEFORE}\n{NEW}") == []


def test_in_a_long_text_an_edit_is_compared_with_what_stands_near_it() -> None:
    far = "\n\n".join(f"Station {number} sent no word that winter." for number in range(6_000))
    again = COUNTED.replace("spring", "summer")

    assert [each.rule for each in found(f"{far}\n\n{BEFORE}\n{again}", before=f"{far}\n\n{BEFORE}")] == [
        "echo"
    ]
    assert found(f"{BEFORE}\n{far}\n\n{again}", before=f"{BEFORE}\n{far}") == []
    assert found(f"{again}\n\n{far}\n\n{BEFORE}", before=f"{far}\n\n{BEFORE}") == []


def test_edits_over_a_million_characters_apart_are_not_read_and_say_so() -> None:
    far = "\n\n".join(f"Station {number} sent no word that winter." for number in range(26_000))
    again = COUNTED.replace("spring", "summer")

    def why(before: str, after: str) -> str:
        return why_unread(Change(before=before, after=after))

    assert why(f"{BEFORE}\n{far}", f"{again}\n\n{BEFORE}\n{far}\n\n{again}") == (
        "No rule read it: its edits lie over 1,000,000 characters apart."
    )
    assert why(f"{BEFORE}\n{far}", f"{BEFORE}\n{far}\n\n{again}") == ""


def test_a_passage_of_another_section_is_an_echo_of_it() -> None:
    (echo,) = found(f"{BEFORE}\n{NEW}\n\n{COUNTED.replace('spring', 'summer')}")

    assert (echo.rule, echo.other) == ("echo", COUNTED[:120])
    assert found(f"{BEFORE}\n{NEW}\n\n{COUNTED}") != []


def test_what_stood_before_is_no_fault_of_the_edit() -> None:
    twice = f"{BEFORE}\n# Notes\n\n{COUNTED}\n\nIn 1899 it rained on 40 % of the days. ## Method\n"

    assert found(f"{twice}\n{NEW}", before=twice, planned=("Notes", *TITLES)) == []


@for_each(
    "addition",
    [
        "| boats | load |\n|---|---|\n"
        "| many of the same boats that we have seen in the other table of loads | - |",
        "> " + COUNTED,
    ],
)
def test_a_table_and_a_quotation_may_stand_twice(addition: str) -> None:
    before = f"{BEFORE}\n{addition}\n"

    assert found(f"{before}\n{NEW}\n\n{addition}", before=before) == []


def test_two_citations_of_one_work_are_no_echo() -> None:
    entry = (
        "[[@article{orr2019, author={Orr, Ida and Bell, Tom and Ames, Lea}, title={The tides of the upper "
        "river and its ferries before the bridge}, journal={Journal of Rivers}, year={2019}}]]"
    )
    before = f"# Introduction\n\nThe tide is slow. {entry}\n"

    assert found(f"{before}\n# Method\n\nThe tide is high. {entry}\n", before=before) == []


def test_a_sentence_that_is_said_again_and_again_is_a_loop() -> None:
    (loop,) = found(f"{BEFORE}\n{NEW} " + "The boats came back at dusk. " * 3)

    assert loop.rule == "loop"


@for_each(
    "after,fault",
    [
        (f"# Introduction\n\n{WHY}\n\n{COUNTED}\n", ("heading-dropped", "Method")),
        (f"{BEFORE}\n# Method\n\nAgain.\n", ("heading", "it stands twice")),
        (f"{BEFORE}\n# Outlook\n\nMore.\n", ("heading", "it is not in the plan")),
        (f"{BEFORE}\nThe boats left. ## Results\n", ("heading", "inside a paragraph")),
        (f"{BEFORE}\nThe boats left\n## Load\n\nMore.\n", ("heading", "inside a paragraph")),
    ],
)
def test_headings_that_are_dropped_doubled_invented_or_inside_a_paragraph(
    after: str, fault: tuple[str, str]
) -> None:
    assert rules(after) == [fault]


@for_each(
    "after",
    [
        f"# Ferries\n\n## Introduction\n\n{WHY}\n\n## Method\n\n{COUNTED}\n",
        f"{BEFORE}\n## Boats\n\nMany.\n\n## Loads\n\nHeavy.\n",
        f"{BEFORE}\n## Summary\n\nMany.\n\n# Results\n\nNone.\n\n## Summary\n\nFew.\n",
        f"{BEFORE}\n```\nline\n# a comment\n```\n",
        f"{BEFORE}\nIssue #12 and C# stay.\n",
    ],
)
def test_a_title_a_subsection_and_code_are_no_such_headings(after: str) -> None:
    assert rules(after) == []


def test_a_heading_that_people_asked_for_or_had_removed_is_none() -> None:
    told = "Take the notes out, and add an outlook."
    before = f"{BEFORE}\n# Notes\n\nOld ones.\n"

    assert rules(f"{BEFORE}\n# Outlook\n\nMore.\n", told=told, before=before) == []


@for_each(
    "claim",
    [
        "Some 34 % of the boats were lost.",
        "The river is 410 m wide.",
        "In 1987 the last boat was sold.",
        "It cost 2.4 million crowns.",
        "It cost the town €350.",
        "The effect was small (n = 214).",
        "Rund 34 Prozent der Boote gingen verloren.",
    ],
)
def test_a_figure_that_nobody_gave_is_unsourced(claim: str) -> None:
    (figure,) = found(f"{BEFORE}\n{NEW} {claim}")

    assert (figure.rule, figure.quote, figure.hard) == ("unsourced-number", claim, False)


@for_each(
    "claim",
    [
        "Some 34 % of the boats were lost. [[@article{orr2019, title={Tides}}]]",
        "Some 34 % of the boats were lost [@orr2019].",
        "Some 34 % were lost. [[@misc{bell, title={B}}]] So 34 % it is.",
        "Table 2 shows the 3 boats of section 4.",
        "“I lost 34 % of them,” he said.",
        "Boats were lost, 12 % of them.",
        "It cost 1,200 km of rope.",
    ],
)
def test_a_figure_with_a_source_is_none(claim: str) -> None:
    assert (
        found(f"{BEFORE}\n{NEW} {claim}", told="Say that 12 percent were lost, and 1.200 km of rope.") == []
    )


def test_a_fault_is_there_until_it_is_mended() -> None:
    claim = "Some 34 % of the boats were lost."
    (figure,) = found(f"{BEFORE}\n{NEW} {claim}")
    (dropped,) = found(f"# Introduction\n\n{WHY}\n\n{COUNTED}\n")
    (twice,) = found(f"{BEFORE}\n{NEW}\n\n{COUNTED.replace('spring', 'summer')}")

    assert still_there(figure, f"{NEW} {claim} More.")
    assert not still_there(figure, f"{NEW} {claim} [[@article{{orr2019, title={{Tides}}}}]]")
    assert not still_there(figure, NEW)
    assert (still_there(dropped, NEW), still_there(dropped, BEFORE)) == (True, False)
    assert (still_there(twice, COUNTED.replace("spring", "summer")), still_there(twice, COUNTED)) == (
        True,
        False,
    )
