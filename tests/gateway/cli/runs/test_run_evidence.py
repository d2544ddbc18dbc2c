"""A23: all that is known of a run in one file, without secrets, and replayed."""

import base64
import json
import os
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from activities.histories import payloads
from gateway.desk.run_records import bundles
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.agents.loop.transcript import gaps
from schemas.agent_run import RunLimits, TranscriptEntry
from tests.support.gateway.agent_services import Desk, desk
from tests.support.workflows.librarian import calls, says

pytestmark = pytest.mark.server

PLANTED = {
    "MOON_API_KEY": "planted-in-a-vendors-variable",
    "SOME_SERVICE_TOKEN": 'planted in the environment "quoted" é',
    "PENWRIGHT_NOTIFY__WEBHOOK_SECRET": "planted-in-a-setting",
    "PENWRIGHT_DATABASE_URL": "postgresql://ann:planted-in-an-address@127.0.0.1/books",
}
ARGUMENT = "planted-in-an-argument"
CHATTY = (
    calls(("read_page", {"path": "a", "api_key": ARGUMENT})),
    calls(("ask_clerk", {"text": f"Use {ARGUMENT} and {PLANTED['SOME_SERVICE_TOKEN']}"})),
    says(f"I used {ARGUMENT} with {PLANTED['MOON_API_KEY']}."),
    calls(("write_page", {"path": "b", "text": f"{PLANTED['PENWRIGHT_NOTIFY__WEBHOOK_SECRET']} is it"})),
    ScriptedAnswer(fault="refusal"),
)

Opens = Callable[..., AbstractAsyncContextManager[Desk]]


@pytest.fixture
def opens(temporal_env: WorkflowEnvironment, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Opens:
    @asynccontextmanager
    async def opened(*answers: ScriptedAnswer, **pages: str) -> AsyncIterator[Desk]:
        place = desk(temporal_env.client, tmp_path, capsys, *answers, pages=pages, environ=PLANTED)
        async with place as at:
            yield at

    return opened


async def bundled(at: Desk, to: Path) -> Mapping[str, Any]:  # Any: JSON
    code, out, err = await at.run("run", "bundle", at.here.queue, "--output", str(to), "--json")
    assert code == 0, (out, err)
    return dict(json.loads(out))


async def test_a23_a_failed_run_is_bundled_without_secrets_and_replays(opens: Opens, tmp_path: Path) -> None:
    to = tmp_path / "run.zip"
    async with opens(*CHATTY, a="old") as at:
        with pytest.raises(WorkflowFailureError):
            await at.here.run(at.here.given(limits=RunLimits(segment_steps=3)))
        manifest = await bundled(at, to)
        code, out, _ = await at.run("run", "replay", str(to), "--json")

    main, clerk = manifest["runs"]
    found = bundles.read(to)
    assert main["histories"] >= 2
    assert (main["outcome"], clerk["outcome"]) == ("failed", "completed")
    assert manifest["missing"] == []
    lines = found.files["transcript.jsonl"].splitlines()
    entries = [TranscriptEntry.model_validate_json(line) for line in lines]
    assert gaps(entries) == ()
    assert {entry.source for entry in entries} == {"main", f"{at.here.queue}/call/2"}
    assert found.json("main/result.json")["code"] == "model-refused"
    assert revealed(found) == []
    assert (code, json.loads(out)["status"]) == (0, "passes")


def revealed(found: bundles.Bundle) -> list[tuple[str, str]]:
    """Files and texts in which something that was planted can be read."""
    texts = [(path, content.decode()) for path, content in found.files.items()]
    for path in found.files:
        if "/history-" in path:
            data = (each["data"] for each in payloads(found.json(path)) if "data" in each)
            texts += [(path, base64.b64decode(each).decode()) for each in data]
    return [(path, text) for path, text in texts if "planted" in text or base64_of("planted") in text]


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode().rstrip("=")[:-1]


async def test_debug_bundle_holds_the_prompt_of_each_turn(opens: Opens, tmp_path: Path) -> None:
    to = tmp_path / "run.zip"
    async with opens(calls(("read_page", {"path": "a"})), says("Done."), a="old") as at:
        await at.here.run()
        manifest = await bundled(at, to)

    found = bundles.read(to)
    turns = [json.loads(line) for line in found.files["main/turns.jsonl"].splitlines()]
    messages = [json.loads(line) for line in found.files["main/messages.jsonl"].splitlines()]
    offered = [tool["name"] for tool in found.json(turns[0]["tools"])]
    definition = found.json("definitions/test/librarian.json")
    assert [turn["turn"] for turn in turns] == [1, 2]
    assert "Keep the pages." in found.files[turns[0]["prompt"]].decode()
    assert offered == ["read_page", "write_page", "send_letter", "ask_clerk"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant"]
    assert definition["digest"] == manifest["runs"][0]["definition"]
    assert {"path": "desk", "field": "body"}.items() <= definition["texts"][0].items()
    assert found.json("settings.json")["notify"]["webhook_secret"] == "[hidden]"
    assert found.json("environment.json")["packages"]["temporalio"]


async def test_a_bundle_has_one_folder_and_appears_whole_or_not_at_all(opens: Opens, tmp_path: Path) -> None:
    to = tmp_path / "run.zip"
    async with opens(says("Done.")) as at:
        await at.here.run()
        await bundled(at, to)
        before = to.read_bytes()
        code, out, _ = await at.run("run", "bundle", at.here.queue, "-o", str(to), "--json")

    with zipfile.ZipFile(to) as packed:
        roots = {name.partition("/")[0] for name in packed.namelist()}
    assert roots == {f"penwright-run-{at.here.queue}"}
    assert (code, json.loads(out)["code"]) == (3, "output-exists")
    assert to.read_bytes() == before
    assert [path.name for path in os.scandir(tmp_path) if "run.zip" in path.name] == ["run.zip"]


async def test_a_running_run_is_bundled_up_to_its_last_step(opens: Opens, tmp_path: Path) -> None:
    to = tmp_path / "run.zip"
    async with opens(ScriptedAnswer(fault="hang")) as at:
        await at.here.start()
        await at.here.until_asked()
        manifest = await bundled(at, to)
        code, _, _ = await at.run("run", "replay", str(to))
        await at.run("run", "kill", at.here.queue)
        await at.here.until_ended()

    assert (manifest["runs"][0]["outcome"], code) == ("", 0)
    assert bundles.read(to).json("main/result.json") is None


async def test_a_step_that_current_code_does_not_take_is_named(opens: Opens, tmp_path: Path) -> None:
    to = tmp_path / "run.zip"
    async with opens(says("Done.")) as at:
        await at.here.run()
        await bundled(at, to)
        other = altered(to, b'"call_model"', b'"sing_a_song"')
        code, out, _ = await at.run("run", "replay", str(other), "--json")
        _, lines, _ = await at.run("run", "replay", str(other))

    told = json.loads(out)
    assert (code, told["status"], told["first"]["history"]) == (1, "diverges", "main/history-001.json")
    assert told["first"]["step"] == "ACTIVITY_TASK_SCHEDULED sing_a_song"
    assert "'sing_a_song' does not match" in told["first"]["why"]
    assert f"event {told['first']['event']} (" in lines


def altered(bundle: Path, before: bytes, after: bytes) -> Path:
    """The same bundle with another first history, its checksums made to fit."""
    found = bundles.read(bundle)
    changed = found.files["main/history-001.json"].replace(before, after)
    files = {path: json.loads(changed) if path == "main/history-001.json" else {} for path in KEPT}
    about = {name: value for name, value in found.manifest.items() if name != "files"}
    to = bundle.with_name("altered.zip")
    bundles.write(to, "altered", about, files)
    return to


KEPT = ("main/history-001.json", "settings.json")


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-300]), "no whole zip"),
        (lambda path: path.write_bytes(b""), "no whole zip"),
        (lambda path: path.write_bytes(b"not a zip at all"), "no whole zip"),
        (lambda path: replaced(path, "r/a.json", b"{}"), "'a.json' was changed"),
        (lambda path: replaced(path, "r/b.json", b"{}"), "'b.json' was added"),
        (lambda path: replaced(path, "elsewhere/b.json", b"{}"), "2 folders"),
        (lambda path: replaced(path, "r/manifest.json", b"[]"), "no readable manifest.json"),
        (lambda path: replaced(path, "r/manifest.json", b'{"files": {}}'), "this program reads"),
        (lambda path: path.unlink(), "there is no file"),
    ],
)
async def test_a_bundle_that_cannot_be_trusted_is_not_replayed(
    opens: Opens, tmp_path: Path, harm: Callable[[Path], object], said: str
) -> None:
    to = tmp_path / "harmed.zip"
    bundles.write(to, "r", {"run_id": "x", "runs": []}, {"a.json": [1]})
    harm(to)
    async with opens() as at:
        code, out, _ = await at.run("run", "replay", str(to), "--json")

    assert (code, json.loads(out)["code"] in ("bundle-damaged", "no-bundle")) == (2, True)
    assert said in json.loads(out)["error"]


def replaced(path: Path, name: str, content: bytes) -> None:
    """Replace the content of ``name`` in the zip."""
    with zipfile.ZipFile(path) as packed:
        kept = {each: packed.read(each) for each in packed.namelist()}
    with zipfile.ZipFile(path, "w") as packed:
        for each, old in (kept | {name: content}).items():
            packed.writestr(each, old)
