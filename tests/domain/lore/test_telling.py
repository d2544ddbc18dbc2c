"""Lore for the writer of a book or novel, and the reasons for it."""

from penwright.domain.lore.telling import for_session, lore_room, tell
from penwright.domain.models.token_estimate import estimate_tokens
from schemas.book import ConfigPayload
from schemas.lore import LoreTold
from tests.support.books.payloads import session_payload
from tests.support.lore import book, entry

OUTLINE = {"the outline of chapter 3": "Mara lights the beacon at spring tide."}


def whys(told: LoreTold) -> dict[str, tuple[str, str]]:
    return {each.uid: (each.outcome, each.why) for each in told.verdicts}


def test_what_fires_is_told_under_its_name_with_the_reason_constants_first() -> None:
    land = book(
        entry("tide", "spring tide", "neap", title="Tides", content="The sea takes the street.", order=1),
        entry("sea", constant=True, title="The sea", content="It is always heard.", order=9),
        entry("fog", "fog", content="It stays for days."),
    )

    told = tell([land], "tide/3", OUTLINE, 500)

    assert told.text == (
        "## The sea (it is constant)\nIt is always heard.\n\n"
        "## Tides (“spring tide” occurs in the outline of chapter 3)\nThe sea takes the street."
    )
    assert [(each.book, each.entries) for each in told.books] == [("land", 3)]
    assert estimate_tokens(told.text) <= told.tokens


def test_what_has_no_room_is_left_out_and_said() -> None:
    land = book(entry("a", "beacon", content="word " * 50), entry("b", constant=True, content="Short."))

    told = tell([land], "tide/3", OUTLINE, 40)

    assert told.text == "## “Short.” (it is constant)\nShort."
    assert whys(told)["a"][0] == "trimmed"
    assert "of those for all books were left" in whys(told)["a"][1]


def test_conditions_of_scenes_close_or_are_said_to_count_for_nothing() -> None:
    land = book(
        entry("hers", "beacon", characters=("mara",)),
        entry("late", "beacon", delay=9, cooldown=2),
        entry("near", "beacon", scan_depth=0),
    )

    told = whys(tell([land], "tide/3", OUTLINE, 500))

    where = "“beacon” occurs in the outline of chapter 3."
    assert told == {
        "hers": ("character", "It is only for the prompts of mara."),
        "late": ("fired", f"{where} Its cooldown and delay count messages of scenes, and nothing here."),
        "near": ("fired", where),
    }


def test_a_session_is_told_of_its_outlines_its_notes_and_the_last_prose() -> None:
    land = book(entry("a", "logbook"), entry("b", "heron"), entry("c", "boots"), entry("d", "no one"))

    told = for_session([land], "tide", session_payload("mention the heron"))

    assert [why for _, why in whys(told).values()] == [
        "“logbook” occurs in the outline of chapter 1.",
        "“heron” occurs in a note of the author.",
        "“boots” occurs in the last prose.",
    ]


def test_a_chapter_keeps_what_was_drawn_for_it() -> None:
    land = book(*(entry(f"{at}", "logbook", probability=50) for at in range(12)))

    def told(**config: int) -> LoreTold:
        given = session_payload()
        return for_session([land], "tide", given.model_copy(update={"config": _with(given.config, **config)}))

    assert told() == told(words_per_session=900)
    assert told().text != told(current_chapter=2).text


def test_lore_takes_at_most_a_twentieth_of_the_window() -> None:
    config = session_payload().config

    assert lore_room(config) == 2_000
    assert lore_room(_with(config, lore_tokens=90)) == 90
    assert lore_room(_with(config, context_window_tokens=8_000)) == 400


def _with(config: ConfigPayload, **changes: int) -> ConfigPayload:
    return config.model_copy(update=changes)
