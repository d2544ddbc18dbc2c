"""Flags: an experiment changes only what the definition declares."""

from typing import ClassVar

import pytest
from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.experiments import declared_flags
from penwright.agents.definition.flags import Flags
from penwright.agents.guardrails.guardrail import Allow, Call, Deny, Policy, Verdict
from penwright.agents.state import StateView
from penwright.errors import BrokenDefinition, UsageMistake
from tests.support.agents.clerk import clerk
from tests.support.agents.gardener import agent, section, tool
from tests.support.agents.loop import World, call, calls, given_run, outcomes, say

LETTERS = calls(call("seal", '{"bed": "a"}'))


class Trial(Flags):
    """What is tried."""

    event_name: ClassVar[str] = "tests.trial"

    letters: bool = False
    passes: int = 1


class Nameless(Flags):
    """Has a flag that every run would have to give."""

    event_name: ClassVar[str] = "tests.nameless"

    name: str


def _on_trial(params: BaseModel | None, state: StateView) -> bool:
    trial = state.latest(Trial)
    return trial is not None and trial.letters


class Twice(Policy):
    """Allows calls only where two passes are tried."""

    def check(self, call: Call, state: StateView) -> Verdict:
        trial = state.latest(Trial)
        return Allow() if trial and trial.passes > 1 else Deny(code="once", reason="One pass is enough.")


def trying(**changes: object) -> AgentDefinition:
    seal = tool("seal", effect="read")
    letters = section("letters", body="Seal them.", tools=(seal,), enabled=_on_trial)
    fields = {"flags": Trial, **changes}
    return agent(section("desk", body="Work."), letters, **fields)


def played(definition: AgentDefinition, **flags: str) -> World:
    world = World(definition, [LETTERS, say("Done.")])
    world.play(given_run(flags=flags))
    return world


def test_a_condition_reads_the_flags_of_the_run() -> None:
    off, on = World(trying(), [LETTERS, say("Done.")]), World(trying(), [LETTERS, say("Done.")])

    without, given = off.play(given_run()), on.play(given_run(flags={"letters": "true"}))

    assert outcomes(without) == [("unknown-tool", "unknown-tool")]
    assert outcomes(given) == [("succeeded", "")]
    assert ("Seal them." in given.shown.text, "Seal them." in without.shown.text) == (True, False)


def test_a_policy_reads_them_too() -> None:
    definition = trying(policies=(Twice(name="twice"),))

    once, twice = played(definition, letters="true"), played(definition, letters="true", passes="2")

    assert once.told() == ["One pass is enough."]
    assert twice.told() == ["Done."]


def test_flags_survive_continue_as_new() -> None:
    world = World(trying(), [LETTERS, LETTERS, say("Done.")], rest_after=1)

    run = world.play(given_run(flags={"letters": "true"}))

    assert world.segments > 1
    assert outcomes(run) == [("succeeded", ""), ("succeeded", "")]
    assert run.slices.all(Trial) == (Trial(letters=True),)


def test_the_worker_that_renders_the_prompt_is_given_the_flags() -> None:
    asked = played(trying(), letters="true").asked[0]

    assert [one.name for one in asked.state.slices if one.name == "tests.trial"]


@pytest.mark.parametrize(
    ("definition", "flags"),
    [(trying(), {"letters": "perhaps"}), (trying(), {"leters": "true"}), (clerk(), {"letters": "true"})],
)
def test_an_undeclared_flag_ends_the_run_before_the_first_turn(
    definition: AgentDefinition, flags: dict[str, str]
) -> None:
    world = played(definition, **flags)

    assert (world.result().outcome, world.result().code) == ("failed", "bad-flag")
    assert world.asked == []
    with pytest.raises(UsageMistake, match="flag"):
        declared_flags(definition, flags)


def test_a_sub_agent_takes_of_its_callers_flags_those_it_declares() -> None:
    flags = {"letters": "true", "others": "7"}
    world = World(trying(), [LETTERS, say("Done.")])

    run = world.play(given_run(flags=flags, depth=1))

    assert outcomes(run) == [("succeeded", "")]


def test_a_flag_without_a_default_is_refused_where_it_is_declared() -> None:
    with pytest.raises(BrokenDefinition) as broken:
        trying(flags=Nameless)

    assert (broken.value.code, broken.value.details["token"]) == ("bad-flags", "name")
