"""A character in a campaign: base, then the world's override, then the campaign's, field by field."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.scene.merging import OVERRIDABLE, checked, merged
from penwright.errors import Refused
from schemas.worlds import Character, Override
from tests.support.each import for_each

BASE = Character(
    id="ann",
    name="Ann",
    description="{{char}} keeps the lamp.",
    tags=("harbour", "calm"),
    goals="sleep",
    talkative=30,
    extensions={"voice": {"pitch": "low", "pace": "slow"}, "depth": 4},
    version=7,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
EXTENSIONS = st.dictionaries(st.sampled_from("abc"), JSON, max_size=3)


def world(**fields: Any) -> Override:
    return Override(level="world", at="w", character="ann", fields=fields)


def campaign(**fields: Any) -> Override:
    return Override(level="campaign", at="c", character="ann", fields=fields)


def test_a_character_without_overrides_is_its_base() -> None:
    found = merged(BASE)

    assert found.character == BASE
    assert found.levels == dict.fromkeys(OVERRIDABLE, "base")


def test_the_campaign_wins_over_the_world_and_the_world_over_the_base() -> None:
    found = merged(BASE, world(goals="leave", personality="wary"), campaign(goals="stay"))

    assert (found.character.goals, found.character.personality, found.character.name) == (
        "stay",
        "wary",
        "Ann",
    )
    assert (found.levels["goals"], found.levels["personality"], found.levels["name"]) == (
        *("campaign", "world", "base"),
    )


def test_lists_and_scalars_are_replaced_whole_the_empty_ones_too() -> None:
    found = merged(BASE, world(tags=["storm"], description="", talkative=0), campaign(tags=[]))

    assert (found.character.tags, found.character.description, found.character.talkative) == ((), "", 0)


def test_objects_merge_by_key_and_say_where_each_key_is_from() -> None:
    found = merged(
        BASE, world(extensions={"voice": {"pitch": "high"}}), campaign(extensions={"depth": None, "new": [1]})
    )

    assert found.character.extensions == {"voice": {"pitch": "high", "pace": "slow"}, "new": [1]}
    assert {name: level for name, level in found.levels.items() if name.startswith("extensions")} == {
        "extensions": "campaign",
        "extensions.voice": "world",
        "extensions.depth": "campaign",
        "extensions.new": "campaign",
    }


def test_null_takes_a_field_back_to_its_default_and_a_name_to_the_bases() -> None:
    found = merged(
        BASE, world(name="Anna", extensions={"a": 1}), campaign(name=None, talkative=None, extensions=None)
    )

    assert (found.character.name, found.character.talkative, found.character.extensions) == ("Ann", 50, {})
    assert (found.levels["name"], found.levels["extensions"]) == ("campaign", "campaign")
    assert "extensions.a" not in found.levels


def test_placeholders_stay_and_id_version_and_card_are_the_bases() -> None:
    found = merged(BASE, world(personality="loyal to {{user}}")).character

    assert (found.description, found.personality) == ("{{char}} keeps the lamp.", "loyal to {{user}}")
    assert (found.id, found.version, found.card) == ("ann", 7, None)


@for_each("name", ["mood", "id", "version", "card", "Goals", ""])
def test_a_field_that_no_override_may_set_is_refused_by_its_name(name: str) -> None:
    for refusing in (lambda: checked({name: "x"}), lambda: merged(BASE, None, campaign(**{name: "x"}))):
        with pytest.raises(Refused) as refused:
            refusing()

        assert (refused.value.code, refused.value.details["fields"]) == ("unknown-field", name)
        assert f"`{name}`" in refused.value.message


@pytest.mark.parametrize(
    ("field", "value"),
    [("talkative", "loud"), ("tags", "storm"), ("extensions", [1]), ("goals", 3), ("name", " ")],
)
def test_a_value_of_another_kind_is_refused_with_its_field(field: str, value: object) -> None:
    with pytest.raises(Refused) as refused:
        merged(BASE, world(**{field: value}))

    assert (refused.value.code, refused.value.details["field"]) == ("bad-value", field)


@given(EXTENSIONS, EXTENSIONS)
def test_an_override_laid_over_twice_changes_nothing_more(
    below: dict[str, Any], above: dict[str, Any]
) -> None:
    base = BASE.model_copy(update={"extensions": below})
    once = merged(base, world(extensions=above)).character

    assert merged(once, world(extensions=above)).character == once


@given(EXTENSIONS, st.text(max_size=3), st.lists(st.text(max_size=2), max_size=2))
def test_every_field_has_a_level_and_only_named_fields_change(
    extensions: dict[str, Any], goals: str, tags: list[str]
) -> None:
    fields = {"extensions": extensions, "goals": goals, "tags": tags}
    found = merged(BASE, campaign(**fields))

    assert set(OVERRIDABLE) <= set(found.levels)
    kept = [name for name in OVERRIDABLE if name not in fields]
    assert [getattr(found.character, name) for name in kept] == [getattr(BASE, name) for name in kept]
    assert {found.levels[name] for name in kept} == {"base"}
    assert (found.character.goals, found.character.tags) == (goals, tuple(tags))
