"""Every rule of prose can be switched off by its name, and only what it finds is then left out."""

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from penwright.domain.book.files.yaml_files import read_config
from penwright.domain.prose.findings import findings
from penwright.domain.prose.indexing import index_of
from schemas.prose import BeatTold, BookRule, Draft
from tests.support.prose.measuring import STORY

TEXT = STORY.read_text(encoding="utf-8")
BOOK = index_of([TEXT, "Then Mara slept, and Jonas kept the fire. " * 6], "English")
LINES = (
    "The river was high and it carried branches past the landing all morning long.",
    "Two men were mending a net on the wall, and neither had anything to say to the other.",
    "Snow had come early that year, and it lay on the roofs until the end of the month.",
    "Her brother had the key, but he was asleep in the loft and could not be woken.",
    "Nothing was left of the old bridge except a pier that stood in the reeds.",
    "A lamp was lit in the kitchen, and the smell of bread went out over the yard.",
)
PLAIN = "\n\n".join(LINES)
LONG = next(each for each in TEXT.split("\n\n") if len(each.split()) > 60)
FIRST = "I was late, and my father was angry with me. I had lost his key, so that I was sent to bed. "
FAULTY: Mapping[BookRule, Draft] = {
    "cut-end": Draft(prose=f"{PLAIN}\n\nShe leaned out over the thw"),
    "task-talk": Draft(prose=f"Here is the next scene:\n\n{PLAIN}"),
    "loop": Draft(prose=f"{PLAIN}\n\n{' '.join(LINES[:2])}\n\n{' '.join(LINES[:2])}"),
    "echo": Draft(prose=f"{PLAIN}\n\n{LONG}"),
    "name-slip": Draft(prose=f"{PLAIN} Then Jonus laughed."),
    "unanswered": Draft(prose=PLAIN, unanswered=("Let it rain here.",)),
    "length": Draft(prose=PLAIN, words_wanted=400),
    "beat-untold": Draft(prose=PLAIN, beats=(BeatTold(beat="he goes", quote="he turned and was gone"),)),
    "worn-phrase": Draft(prose=" ".join(f"{line} The air was thick with silence." for line in LINES)),
    "not-but": Draft(prose="\n\n".join(f"{line} It was not a lamp but a star." for line in LINES)),
    "same-openings": Draft(prose="\n\n".join(f"She knew {line[0].lower()}{line[1:]}" for line in LINES)),
    "same-ends": Draft(prose="\n\n".join(f"{line[:-1]} in the dark." for line in LINES)),
    "tense": Draft(
        prose=f"{PLAIN} The house is wet; the boat has a hole.".replace("was", "is").replace("had", "has")
    ),
    "person": Draft(prose=FIRST * 2 + "I was glad of it, for my legs had no strength."),
    "dialogue": Draft(prose="\n\n".join(f"“{line}”" for line in LINES)),
    "never": Draft(prose=PLAIN, never=("smell of bread",)),
}


def rules(draft: Draft) -> set[str]:
    return {each.rule for each in findings(draft, BOOK)}


def test_every_rule_can_be_switched_off_and_the_others_go_on() -> None:
    assert set(FAULTY) == set(get_args(BookRule))
    for rule, draft in FAULTY.items():
        found = rules(draft)

        assert rule in found
        assert rules(draft.model_copy(update={"off": (rule,)})) == found - {rule}
        assert rules(draft.model_copy(update={"off": get_args(BookRule)})) == set()


def test_the_settings_know_every_rule_and_the_manual_names_it() -> None:
    asked = "target_length: 1\nchapter_count: 1\nchapter_structure: linear\nwords_per_session: 1\n"
    manual = (Path(__file__).parents[3] / "docs/craft.md").read_text("utf-8")

    for rule in get_args(BookRule):
        assert read_config(f"{asked}craft_off: [{rule}]\n").craft_off == (rule,)
        assert f"`{rule}`" in manual
