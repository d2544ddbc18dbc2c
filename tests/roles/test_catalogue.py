"""The built-in agents: findable, free of lint findings, and the same in every process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from penwright.agents.definition.linting import findings
from penwright.agents.definition.manifest import definition_digest
from penwright.agents.prompt.parameters import bind
from penwright.agents.prompt.rendering import render
from penwright.errors import NotFound
from penwright.roles import catalogue
from penwright.roles.catalogue import AGENTS, Entry
from penwright.roles.ink_writer import briefing
from penwright.roles.ink_writer.answer import SessionTask
from tests.support.agents.gardener import Holding, Season, agent, gardener, section, skill, tool
from tests.support.books.payloads import session_payload
from tests.support.each import for_each

ROOT = Path(__file__).parents[2]


@for_each("entry", AGENTS.values())
def test_every_agent_renders_with_its_example_and_asks_nothing_else(entry: Entry) -> None:
    told = render(entry.definition, bind(entry.definition, entry.example), Holding())

    assert told.text
    assert findings(entry.definition) == ()


def test_an_agent_is_found_by_its_name_or_an_unshared_key() -> None:
    twin = Entry(agent(section(), namespace="a", key="k")), Entry(agent(section(), namespace="b", key="k"))
    both = {entry.definition.name: entry for entry in twin}

    assert catalogue.find("writer") is catalogue.find("ink/writer") is AGENTS["ink/writer"]
    assert catalogue.find("a/k", both) is twin[0]
    with pytest.raises(NotFound, match="no agent 'k'"):
        catalogue.find("k", both)


def test_the_writer_prompt_equals_the_counted_prompt() -> None:
    definition = catalogue.find("ink/writer").definition
    session = briefing.render(session_payload(words=5)).system

    told = render(definition, bind(definition, [SessionTask(language="English", words_wanted=5)]), Holding())

    assert session == told.text


@pytest.mark.parametrize(
    ("task", "paths"),
    [
        (SessionTask(language="English", words_wanted=5), ("craft", "book", "new-words")),
        (SessionTask(language="English", words_wanted=0), ("craft", "book", "rework")),
        (SessionTask(language="English", words_wanted=5, may_look=False), ("craft", "new-words")),
    ],
)
def test_the_writers_sections_follow_its_task(task: SessionTask, paths: tuple[str, ...]) -> None:
    definition = catalogue.find("ink/writer").definition

    assert render(definition, bind(definition, [task]), Holding()).paths == paths


def test_a_definition_has_one_digest_in_every_process() -> None:
    told = "; ".join(
        (
            "from penwright.agents.definition.manifest import definition_digest",
            "from tests.support.agents.gardener import gardener",
            "print(definition_digest(gardener()))",
        )
    )
    environ = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}

    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, env=environ, cwd=ROOT
    )

    assert done.stdout.strip() == definition_digest(gardener())


CHANGED = [
    agent(section(title="Plots")),
    agent(section(summary="Short.")),
    agent(section(body="Soil.")),
    agent(section(params=Season, defaults=Season(name="x"))),
    agent(section(params=Season, defaults=Season(name="y"))),
    agent(section(tools=(tool("dig"),))),
    agent(section(tools=(tool("dig", approval=False),))),
    agent(section(skills=(skill(),))),
    agent(section(skills=(skill(files=skill().files[:1]),))),
    agent(section(), version=2),
    agent(section(), output=Season),
]


def test_a_digest_changes_with_every_part_of_a_definition() -> None:
    digests = {definition_digest(each) for each in (agent(section()), *CHANGED)}

    assert len(digests) == len(CHANGED) + 1
