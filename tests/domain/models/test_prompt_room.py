"""A prompt leaves within its window: by one order of what gives way, and not at all if that is not enough."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.models.prompt_room import LAST_PROSE, NEVER, ORDER, fitted, unshown
from penwright.domain.models.token_estimate import estimate_request, estimate_tokens
from penwright.domain.text.fences import BOOK
from penwright.errors import ModelFinal
from penwright.roles.ink_writer import briefing
from schemas.book import MaterialFile
from schemas.model import ModelRequest
from tests.support.agents.scripted_model import model_request
from tests.support.books.payloads import session_payload
from tests.support.sweeps import examples

SOUL = "Dry, patient, close to the weather. " * 20
PLAN = "- Mara finds the logbook behind the beacon."


def texts(kind: str, name: str, paragraphs: int) -> str:
    told = (f"{name} {number}: the tide took what was left on the causeway." for number in range(paragraphs))
    return BOOK.fenced(kind, name, "\n\n".join(told))


def prompt(window: int | None, answer: int = 1_000, **fields: Any) -> ModelRequest:
    """A prompt of some 20,000 tokens; ``fields`` are any of the request's."""
    return model_request(
        "\n\n".join(
            (
                BOOK.fenced("style", "Soul.md", SOUL),
                texts("style", "Craft.md", 200),
                texts("material", "Characters.md", 100),
                texts("material", "Lore.md", 300),
                BOOK.fenced("current-outline", "Chapter_01.md", PLAN),
                texts("prose", "Review", 400),
                texts("found", "lamp", 100),
            )
        ),
        context_tokens=window,
        max_output_tokens=answer,
        **fields,
    )


def shown(request: ModelRequest) -> dict[str, str]:
    return {text.name: text.text for text in BOOK.read(request.messages[0].content)}


@pytest.mark.parametrize(
    ("window", "cut"),
    [
        (None, []),
        (40_000, []),
        (17_200, ["lamp"]),
        (12_000, ["lamp", "Review"]),
        (8_000, ["lamp", "Review", "Lore.md"]),
        (5_000, ["lamp", "Review", "Lore.md", "Craft.md"]),
        (3_000, ["lamp", "Review", "Lore.md", "Craft.md", "Characters.md"]),
    ],
)
def test_texts_give_way_in_one_order(window: int | None, cut: list[str]) -> None:
    fits, told = fitted(prompt(window), "quill")

    assert [each.name for each in told] == cut
    assert window is None or estimate_request(fits) + 1_000 <= window


def test_soul_plan_and_the_last_prose_always_stay() -> None:
    texts_left = shown(fitted(prompt(3_000), "quill")[0])

    assert texts_left["Soul.md"] == SOUL
    assert texts_left["Chapter_01.md"] == PLAN
    assert texts_left["Review"].endswith("Review 399: the tide took what was left on the causeway.")
    assert LAST_PROSE - 30 < estimate_tokens(texts_left["Review"]) <= LAST_PROSE


def test_of_lore_stays_what_the_plan_and_the_last_prose_speak_of() -> None:
    lore = [f"Nobody speaks of fish number {number} here." for number in range(2_000)]
    lore[1_200] = "Whoever lights the beacon has to write into the logbook."
    request = model_request(
        BOOK.fenced("material", "Lore.md", "\n\n".join(lore)),
        BOOK.fenced("current-outline", "Chapter_01.md", PLAN),
        context_tokens=2_000,
    )

    text = BOOK.read(fitted(request, "quill")[0].messages[0].content)

    assert lore[1_200] in next(iter(text)).text


def test_a_cut_text_says_so_and_how_long_it_is() -> None:
    assert shown(fitted(prompt(8_000), "quill")[0])["Lore.md"].endswith("words in all; cut to fit]")


def test_people_are_warned_of_what_does_not_grow_by_itself() -> None:
    assert unshown(fitted(prompt(5_000), "quill")[1]) == ("Lore.md", "Craft.md")


def test_a_prompt_that_cannot_be_cut_to_its_window_is_refused_with_a_table_of_its_parts() -> None:
    with pytest.raises(ModelFinal) as caught:
        fitted(model_request("word " * 3_000, context_tokens=512), "quill")

    assert caught.value.code == "prompt-past-window"
    assert "'quill' has room for 512 tokens, and the prompt has about 3,756" in caught.value.message
    assert "what is asked 3,756; its answer may take 500" in caught.value.message


def test_an_answer_that_is_larger_than_the_window_gets_what_the_prompt_leaves() -> None:
    fits, _ = fitted(prompt(8_192, answer=12_000, thought_tokens=3_000), "quill")

    assert fits.max_output_tokens >= 8_192 // 2
    assert estimate_request(fits) + fits.max_output_tokens <= 8_192


@settings(max_examples=examples(25), deadline=None)
@given(
    window=st.integers(min_value=5_000, max_value=40_000),
    lore=st.integers(min_value=0, max_value=30_000),
    waiting=st.integers(min_value=1, max_value=20_000),
)
def test_a_session_and_its_answer_always_fit(window: int, lore: int, waiting: int) -> None:
    paragraph = "The tide took what was left on the causeway that night. " * 3
    material = (MaterialFile(filename="Lore.md", content=(paragraph + "\n\n") * (lore // 30)),)
    payload = session_payload(
        "shorter", global_material=material, waiting=(paragraph + "\n\n") * (waiting // 30) + "The end of it."
    )
    made = briefing.render(payload)

    fits, _ = fitted(
        model_request(made.text, context_tokens=window, max_output_tokens=made.max_output_tokens), "quill"
    )

    assert estimate_request(fits) + fits.max_output_tokens <= window
    assert "The end of it." in fits.messages[0].content
    assert "instruction: shorter" in fits.messages[0].content


def test_every_kind_of_text_in_a_prompt_has_its_place() -> None:
    code = "".join(path.read_text() for path in Path("penwright/roles").rglob("*.[pm][yd]"))
    told = set(re.findall(r'<book-text kind="([a-z-]+)"|BookText\(\s*"([a-z-]+)"', code))
    kinds = {one or other for one, other in told}

    assert len(kinds) > 15
    assert kinds <= {*NEVER, *(text for group, _ in ORDER for text in group)}
