"""An experiment stays as pinned when its run began."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from penwright.agents.definition.experiments import experiment, flag_texts, flags_of, pin
from penwright.agents.prompt.overrides import resolve
from penwright.errors import UsageMistake
from schemas.overrides import Override, OverrideSet, ResolvedOverrides
from tests.support.agents.gardener import gardener
from tests.support.agents.output import an_agent


class Choices(BaseModel):
    careful: bool = False
    passes: int = 1
    warmth: float = 0.5
    style: Literal["terse", "lush"] = "terse"
    motto: str | None = None


@given(
    flags=st.builds(
        Choices,
        careful=st.booleans(),
        passes=st.integers(),
        warmth=st.floats(allow_nan=False, allow_infinity=False),
        style=st.sampled_from(["terse", "lush"]),
        motto=st.none() | st.text(),
    )
)
def test_flags_come_back_with_their_types(flags: Choices) -> None:
    assert flags_of(Choices, flag_texts(flags)) == flags


def test_flags_that_are_not_named_have_their_defaults() -> None:
    assert flags_of(Choices, {"passes": "3"}) == Choices(passes=3)


@pytest.mark.parametrize(
    ("texts", "named"),
    [({"passes": "many"}, "'passes'"), ({"pases": "3"}, "'pases'"), ({"style": "grand"}, "'style'")],
)
def test_a_flag_that_does_not_fit_is_named(texts: dict[str, str], named: str) -> None:
    with pytest.raises(UsageMistake) as caught:
        flags_of(Choices, texts)

    assert caught.value.code == "bad-flag"
    assert named in caught.value.message
    assert "careful, passes, warmth, style, motto" in caught.value.message


def test_a_pinned_experiment_holds_tag_flags_model_and_digest() -> None:
    given_ = experiment("lush", tag="spring", flags=Choices(style="lush"), model="quill-2")
    resolved = resolve(gardener(), None).model_copy(update={"digest": "d" * 64})

    pinned = pin(given_, gardener(), "def", resolved)

    assert pinned.experiment == given_
    assert (pinned.agent, pinned.definition, pinned.overrides) == ("garden/keeper", "def", "d" * 64)
    assert flags_of(Choices, pinned.experiment.flags).style == "lush"


def test_experiment_digest_covers_all_inputs_but_the_name() -> None:
    base = experiment("a", tag="t", flags=Choices(), model="m")
    nothing, something = ResolvedOverrides(), ResolvedOverrides(digest="1")

    same = {
        pin(base, gardener(), "def", nothing).digest,
        pin(base.model_copy(update={"name": "b"}), gardener(), "def", nothing).digest,
    }
    others = {
        pin(base, gardener(), "fed", nothing).digest,
        pin(base, gardener(), "def", something).digest,
        pin(base, an_agent(), "def", nothing).digest,
        pin(experiment("a", tag="t", flags=Choices(passes=2), model="m"), gardener(), "def", nothing).digest,
        pin(experiment("a", tag="t", flags=Choices(), model="n"), gardener(), "def", nothing).digest,
    }

    assert len(same) == 1
    assert len(others | same) == 6


def test_editing_a_tag_does_not_change_a_pinned_experiment() -> None:
    before = OverrideSet(namespace="garden", key="keeper", tag="spring")
    pinned = pin(experiment("a", tag="spring"), gardener(), "def", resolve(gardener(), before))
    stale = Override(path="yard", field="body", expected="0" * 64, text="Rake it.")

    again = pin(
        experiment("a", tag="spring"),
        gardener(),
        "def",
        resolve(gardener(), before.model_copy(update={"overrides": (stale,)})),
    )

    assert again == pinned


@pytest.mark.parametrize(
    ("name", "tag"), [("", ""), ("A", ""), ("../x", ""), ("x" * 65, ""), ("fine", "a b")]
)
def test_an_invalid_name_or_tag_is_refused(name: str, tag: str) -> None:
    with pytest.raises(UsageMistake) as caught:
        experiment(name, tag=tag)

    assert caught.value.code == "bad-experiment"
