"""Of faults put into prose of our own the rules find nearly all, and they find little else in it."""

import pytest

from tests.support.prose.measuring import STORY, measure, table

LEAST = {
    "cut": 37,
    "repeat": 40,
    "loop": 40,
    "copy, 0 % changed": 40,
    "copy, 10 % changed": 38,
    "copy, 20 % changed": 20,
    "name slip": 37,
    "talk about the task": 38,
    "beat not told": 40,
    "wrong length": 40,
}


@pytest.mark.long
def test_faults_of_each_family_are_found_and_untouched_prose_is_left_alone() -> None:
    figures = measure(STORY.read_text(encoding="utf-8"), words=600)

    assert {name: count for name, count in figures.found.items() if count < LEAST[name]} == {}, table(figures)
    # Saint Martin is a letter away from a ferryman called Marten.
    assert [(each.rule, each.quote) for each in figures.alarms] == [("name-slip", "Martin's")]


def test_each_family_is_found_once() -> None:
    figures = measure(STORY.read_text(encoding="utf-8"), words=1_200, each=1)

    assert set(figures.found) == set(LEAST)
    assert sum(figures.found.values()) >= len(LEAST) - 1
    assert figures.rate("name-slip") > 0
