"""Macros in texts, and what they come to."""

from datetime import UTC, datetime, timedelta

from penwright.domain.lore.macros import LastSaid, Moment, unknown_macros, with_macros
from tests.support.each import for_each

NOON = datetime(2026, 11, 30, 12, 5, tzinfo=UTC)
SAID = LastSaid("Hush.", "7", "Who?", "Hush.", NOON - timedelta(minutes=61))
MOMENT = Moment("Ann", "Mira", ("Ann", "Bob"), NOON, ("quay", "3"), ("quay",), lambda: SAID)


@for_each(
    "written, read",
    [
        ("{{char}} and {{USER}}, <BOT> and <user>", "Ann and Mira, Ann and Mira"),
        ("{{ char }} of {{group}}", "Ann of Ann, Bob"),
        ("{{time}}, {{date}}, {{weekday}}", "12:05 PM, November 30, 2026, Monday"),
        ("{{isodate}} {{isotime}} {{time_UTC-4}}", "2026-11-30 12:05 8:05 AM"),
        ("{{lastMessage}} {{lastUserMessage}} {{lastMessageId}}", "Hush. Who? 7"),
        ("silent for {{idle_duration}}", "silent for an hour"),
        ("one{{newline}}two{{noop}}", "one\ntwo"),
        ("one\n\n{{trim}}\ntwo {{// not shown }}{{original}}", "onetwo "),
        ("{{random:{{char}}}} {{random::{{user}}}}", "Ann Mira"),
        ("{{roll:d1}} {{roll:3d1+2}} {{roll:1}}", "1 5 1"),
        (
            "{{setvar::a::b}} {{unknown}} {{roll:many}} {{ {",
            "{{setvar::a::b}} {{unknown}} {{roll:many}} {{ {",
        ),
    ],
)
def test_a_macro_comes_to_what_silly_tavern_documents(written: str, read: str) -> None:
    assert with_macros(written, MOMENT) == read


def test_a_name_that_looks_like_a_macro_stays() -> None:
    assert with_macros("{{char}}, {{user}}", Moment("{{user}}", "<bot>")) == "{{user}}, <bot>"


def test_draws_are_the_same_for_a_round_and_picks_for_a_scene() -> None:
    text = "{{random:a,b,c,d,e,f,g,h}}{{roll:1000}}|{{pick::a::b::c::d::e::f::g::h}}"
    drawn = [
        with_macros(text, Moment(seed=("quay", str(round)), lasting_seed=("quay",))).split("|")
        for round in (*range(8), 0)
    ]

    assert drawn[0] == drawn[8]
    assert len({first for first, _ in drawn}) > 5
    assert len({picked for _, picked in drawn}) == 1


def test_macros_stay_where_nothing_is_known_of_the_moment() -> None:
    assert with_macros("{{char}} {{time}}", Moment()) == "{{char}} {{time}}"


def test_unknown_macros_are_named_once() -> None:
    text = "{{char}} {{getvar::x}} {{time}} {{getvar::x}} {{random:a,b}} {{// note}} {{trim}}"

    assert unknown_macros(text) == ("{{getvar::x}}",)
