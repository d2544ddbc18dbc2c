"""Of faults put into edits and replies the rules find nearly all, and nothing in those that are untouched."""

import pytest

from tests.support.prose.measuring import STORY, table
from tests.support.prose.measuring_edits import measure_changes, measure_replies

LEAST = {
    "a paragraph again": 40,
    "a copy, 10 % changed": 38,
    "a copy, 20 % changed": 24,
    "a loop": 40,
    "a heading dropped": 40,
    "a heading doubled": 40,
    "a heading invented": 40,
    "a heading inside a paragraph": 40,
    "a figure without a source": 36,
    "a message again": 40,
    "a message, 10 % changed": 38,
    "a message, 20 % changed": 28,
    "speech of the persona": 28,
}
TEXT = STORY.read_text(encoding="utf-8")


@pytest.mark.long
def test_faults_of_each_family_are_found_and_untouched_prose_is_left_alone() -> None:
    for figures in (measure_changes(TEXT, words=400), measure_replies(TEXT, words=400)):
        assert {name: found for name, found in figures.found.items() if found < LEAST[name]} == {}, table(
            figures
        )
        assert figures.alarms == ()


def test_each_family_is_found_once() -> None:
    found = {
        **measure_changes(TEXT, words=800, each=1).found,
        **measure_replies(TEXT, words=800, each=1).found,
    }

    assert set(found) == set(LEAST)
    assert sum(found.values()) >= len(LEAST) - 1
