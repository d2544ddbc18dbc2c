"""The verbs about agents list definitions and report their faults."""

import json
from pathlib import Path

import pytest

from gateway.cli.agents import verbs as agent_verbs
from gateway.desk.agents import definitions as agents
from penwright.adapters.overrides.file_format import dump_overrides
from penwright.agents.prompt.overrides import seeded
from penwright.roles.catalogue import AGENTS, Entry
from tests.agents.definition.test_purity import clock
from tests.support.agents.gardener import agent, gardener, section
from tests.support.each import for_each
from tests.support.gateway.services import Run


@pytest.mark.parametrize("verb", ["list", "show", "render", "lint", "seed", "amend"])
def test_every_agent_verb_teaches_with_an_example_and_knows_json(run: Run, verb: str) -> None:
    code, out, _ = run("agent", verb, "--help")

    assert code == 0
    assert f"penwright agent {verb}" in out.split("Options")[0]
    assert "--json" in out


def test_the_list_has_every_built_in_agent(run: Run) -> None:
    code, out, _ = run("agent", "list", "--json")

    assert code == 0
    names = [each["name"] for each in json.loads(out)["agents"]]
    # Other tests of this process may have hired agents of their own.
    assert names[: len(AGENTS)] == list(AGENTS)


def test_the_list_is_a_table_for_people(run: Run) -> None:
    lines = run("agent", "list")[1].splitlines()

    assert lines[0].split()[:2] == ["name", "version"]
    assert lines[1].startswith("ink/writer")


def test_an_agent_is_shown_with_its_sections_and_parameters(run: Run) -> None:
    _, out, _ = run("agent", "show", "writer")
    made = json.loads(run("agent", "show", "ink/writer", "--json")[1])

    assert "(craft)" in out
    assert "SessionTask (language, words_wanted" in out
    assert made["sections"][0]["path"] == "craft"
    assert made["parameters"]["SessionTask"]["required"] == ["language", "words_wanted"]


def test_tools_are_shown_with_their_effect_and_section() -> None:
    lines = agent_verbs.shown_lines(agents.shown(gardener()))

    assert "2 Shed (shed)  [visibility summary; only in some states]" in lines
    assert "  2.2 Cellar (shed/cellar)  [visibility summary]" in lines
    assert "    tool store (external, asks a person): To store." in lines
    assert "  skill pruning" in lines
    assert "policies: daylight" in lines


def test_overridable_texts_are_shown_with_their_digests(run: Run) -> None:
    made = json.loads(run("agent", "show", "ink/writer", "--json")[1])
    craft = next(each for each in made["texts"] if (each["path"], each["field"]) == ("craft", "body"))

    lines = run("agent", "show", "ink/writer")[1].splitlines()

    assert len(craft["digest"]) == 64
    assert ["craft", "body", craft["digest"][:12]] in [line.split() for line in lines]


@pytest.mark.parametrize("verb", ["show", "render", "lint"])
def test_an_unknown_agent_error_suggests_the_nearest_name(run: Run, verb: str) -> None:
    code, out, err = run("agent", verb, "ink/writre")

    assert (code, out) == (1, "")
    assert "unknown-agent" in err
    assert "did you mean 'ink/writer'?" in err


def test_rendering_prints_the_prompt_alone_on_stdout(run: Run) -> None:
    code, out, err = run("agent", "render", "ink/writer")

    assert code == 0
    assert out.startswith("## 1 How you write (craft)")
    assert "400 words" in out
    assert "digest:" in err


def test_rendering_takes_single_fields(run: Run) -> None:
    fields = ("--set", "SessionTask.words_wanted=0", "--set", "SessionTask.language=Deutsch")

    _, out, _ = run("agent", "render", "writer", *fields)

    assert "you write in Deutsch" in out
    assert "Write no NEW block" in out


def test_rendering_takes_parameters_from_a_file(run: Run, tmp_path: Path) -> None:
    given = {"SessionTask": {"language": "Suomi", "words_wanted": 7, "may_look": False}}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(given))

    told = json.loads(run("agent", "render", "writer", "--params", str(path), "--json")[1])

    assert told["parameters"]["SessionTask"].items() >= given["SessionTask"].items()
    assert told["sections"] == ["craft", "new-words"]
    assert "Suomi" in told["text"]


def test_rendering_applies_overrides_and_names_the_stale_ones(run: Run, tmp_path: Path) -> None:
    seed = seeded(AGENTS["ink/writer"].definition, "bolder")
    fresh = seed.overrides[0].model_copy(update={"text": "Write boldly."})
    stale = seed.overrides[1].model_copy(update={"expected": "0" * 64})
    path = tmp_path / "bolder.json"
    path.write_bytes(dump_overrides(seed.model_copy(update={"overrides": (fresh, stale)})))

    told = json.loads(run("agent", "render", "writer", "--overrides", str(path), "--json")[1])
    note = run("agent", "render", "writer", "--overrides", str(path))[2]

    assert "Write boldly." in told["text"]
    assert [(each["path"], each["field"]) for each in told["skipped_overrides"]] == [
        (stale.path, stale.field)
    ]
    assert f"skipped: body at {stale.path}, written against 000000000000" in note


@for_each(
    "arguments, status, code",
    [
        (("--set", "words"), 2, "bad-set"),
        (("--set", "SessionTask.words_wanted=many"), 2, "parameter-invalid"),
        (("--set", "SessionTask.mood=1"), 2, "parameter-invalid"),
        (("--set", "Weather.rain=1"), 2, "parameter-unknown"),
        (("--open", "attic"), 1, "unknown-section"),
        (("--params", "/nowhere.json"), 1, "file-system"),
        (("--overrides", "/nowhere.json"), 1, "file-system"),
    ],
)
def test_a_failed_render_has_a_code_and_advice(
    run: Run, arguments: tuple[str, str], status: int, code: str
) -> None:
    exit_code, out, _ = run("agent", "render", "writer", *arguments, "--json")

    told = json.loads(out)
    assert (exit_code, told["code"]) == (status, code)
    assert told["next"]


@pytest.mark.parametrize(
    ("text", "code"), [("{", "params-not-json"), ("[]", "params-not-fields"), ("\xff", "params-not-json")]
)
def test_an_invalid_parameter_file_is_a_usage_error(run: Run, tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(text.encode("latin-1"))

    exit_code, out, _ = run("agent", "render", "writer", "--params", str(path), "--json")

    assert (exit_code, json.loads(out)["code"]) == (2, code)


def test_the_built_in_agents_pass_the_lint(run: Run) -> None:
    code, out, _ = run("agent", "lint", "--json")

    assert code == 0
    found = json.loads(out)["agents"][: len(AGENTS)]
    assert found == [{"name": name, "findings": []} for name in AGENTS]


def test_a_finding_names_code_section_and_what_is_asked() -> None:
    found = agents.linted(Entry(agent(section("a", children=(section("b", enabled=clock),)))))

    assert [(each["code"], each["section"], each["token"]) for each in found["findings"]] == [
        ("impure", "a/b", "enabled")
    ]
    assert agent_verbs.linted_lines([found])[0] == "garden/keeper: 1 finding"
    assert "'time.time'" in agent_verbs.linted_lines([found])[1]


def test_lint_reports_an_agent_whose_example_is_incomplete() -> None:
    found = agents.linted(Entry(gardener()))

    assert [each["code"] for each in found["findings"]] == ["parameter-missing"]


def test_a_set_of_overrides_is_seeded_and_amended(run: Run, tmp_path: Path) -> None:
    (tmp_path / "craft.md").write_text("Write boldly.", "utf-8")
    amend = (
        "agent",
        "amend",
        "ink/editor",
        "--tag",
        "bolder",
        "--from",
        str(tmp_path / "craft.md"),
        "--json",
    )

    early = run(*amend, "--path", "craft")
    seeded_ = json.loads(run("agent", "seed", "ink/editor", "--tag", "bolder", "--json")[1])
    again = run("agent", "seed", "ink/editor", "--tag", "bolder", "--json")
    amended_ = run(*amend, "--path", "craft")
    nowhere = run(*amend, "--path", "nowhere")
    stale = run(*amend, "--path", "craft", "--expected", "another")

    assert early[0] == 1
    assert seeded_["texts"] > 1
    assert (again[0], json.loads(again[1])["code"]) == (3, "overrides-exist")
    assert (amended_[0], json.loads(amended_[1])["status"]) == (0, "amended")
    assert json.loads(nowhere[1])["code"] == "override-unknown"
    assert json.loads(stale[1])["code"] == "override-stale"
