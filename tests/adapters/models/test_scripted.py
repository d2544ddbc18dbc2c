"""The scripted model plays its script and keeps its call count when a process is killed."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from penwright.adapters.models.router import build_provider
from penwright.adapters.models.scripted import Fault, Script, ScriptedAnswer, ScriptedCall, ScriptedProvider
from penwright.errors import ModelFinal, ModelMistake, ModelUnavailable, PenwrightError
from schemas.model import ModelRequest, Usage
from tests.support.agents.scripted_model import calls_made, model_request, scripted_catalog, write_script


def played(*answers: ScriptedAnswer) -> ScriptedProvider:
    return ScriptedProvider(Script(answers=answers))


async def test_answers_go_by_role_and_call_number() -> None:
    model = played(
        ScriptedAnswer(role="critic", text="Too long."),
        ScriptedAnswer(role="writer", call=2, text="Second."),
        ScriptedAnswer(role="writer", text="Any other."),
    )

    said = [
        (await model.complete(model_request(op_id=op_id, role=role))).text
        for op_id, role in (("a", "writer"), ("b", "critic"), ("c", "writer"), ("d", "writer"))
    ]

    assert said == ["Any other.", "Too long.", "Second.", "Any other."]


async def test_a_retry_of_one_op_id_is_the_same_call() -> None:
    model = played(ScriptedAnswer(call=1, text="First."), ScriptedAnswer(call=2, text="Second."))

    said = [(await model.complete(model_request(op_id=op_id))).text for op_id in ("a", "a", "b", "a")]

    assert said == ["First.", "First.", "Second.", "First."]


async def test_an_answer_can_be_for_some_op_ids_only() -> None:
    model = played(ScriptedAnswer(op="*/again", text="Better."), ScriptedAnswer(text="Bad."))

    assert (await model.complete(model_request(op_id="x:1/again"))).text == "Better."


@pytest.mark.parametrize(
    ("fault", "code", "kind"),
    [
        ("empty", "empty-reply", ModelMistake),
        ("refusal", "model-refused", ModelFinal),
        ("rate-limit", "model-rate-limited", ModelUnavailable),
        ("unavailable", "model-unavailable", ModelUnavailable),
        ("hang", "model-timeout", ModelUnavailable),
    ],
)
async def test_a_scripted_fault_occurs_n_times_then_the_answer_follows(
    fault: Fault, code: str, kind: type[PenwrightError]
) -> None:
    model = played(ScriptedAnswer(fault=fault, times=1, text="At last."))
    request = model_request(timeout_s=0.05)

    with pytest.raises(kind) as caught:
        await model.complete(request)

    assert caught.value.code == code
    assert (await model.complete(request)).text == "At last."


async def test_a_hanging_model_stops_when_cancelled() -> None:
    model = played(ScriptedAnswer(fault="hang"))

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await model.complete(model_request(timeout_s=60))


async def test_an_exhausted_script_is_an_error() -> None:
    with pytest.raises(ModelFinal) as caught:
        await played().complete(model_request())

    assert caught.value.code == "script-exhausted"


async def test_a_broken_script_is_named(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text("{")

    with pytest.raises(ModelFinal, match=r"script\.json"):
        build_provider(scripted_catalog(path).models[0], {})


_ONE_CALL = """
import asyncio, sys
from penwright.adapters.models.scripted import ScriptedProvider
from tests.support.agents.scripted_model import model_request
print(asyncio.run(ScriptedProvider.from_file(sys.argv[1]).complete(model_request(op_id=sys.argv[2]))).text)
"""


def test_a_scripted_crash_kills_the_process_only_once(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    write_script(path, ScriptedAnswer(call=1, fault="crash", times=1, text="Written after all."))

    killed = subprocess.run([sys.executable, "-c", _ONE_CALL, str(path), "a"], check=False)
    second = subprocess.run(
        [sys.executable, "-c", _ONE_CALL, str(path), "a"], check=True, capture_output=True, text=True
    )

    assert killed.returncode == -signal.SIGKILL
    assert second.stdout.strip() == "Written after all."
    assert calls_made(path) == ["a", "a"]


def turn(op_id: str = "a") -> ModelRequest:
    return model_request(op_id=op_id, within_loop=True)


async def test_tools_are_called_as_the_script_says() -> None:
    calls = (
        ScriptedCall(name="read_chapter", arguments={"number": 1}),
        ScriptedCall(name="nobody_knows", arguments="{no JSON", id="twin"),
        ScriptedCall(name="read_chapter", id="twin"),
    )

    said = await played(ScriptedAnswer(call=1, text="Look.", tool_calls=calls)).complete(turn())

    assert [(call.id, call.name, call.arguments) for call in said.tool_calls] == [
        ("call_1_1", "read_chapter", '{"number": 1}'),
        ("twin", "nobody_knows", "{no JSON"),
        ("twin", "read_chapter", ""),
    ]
    assert (said.text, said.finish_reason) == ("Look.", "tool")


async def test_an_answer_for_every_call_never_ends_and_never_repeats_an_id() -> None:
    model = played(ScriptedAnswer(tool_calls=(ScriptedCall(name="read_chapter"),)))

    ids = [(await model.complete(turn(f"op {n}"))).tool_calls[0].id for n in range(50)]
    repeated = (await model.complete(turn("op 7"))).tool_calls[0].id

    assert len(set(ids)) == 50
    assert repeated == ids[7]


@pytest.mark.parametrize(
    "answer",
    [
        ScriptedAnswer(stretch=6_000_000),
        ScriptedAnswer(tool_calls=(ScriptedCall(name="x", stretch=6_000_000),)),
        ScriptedAnswer(tool_calls=(ScriptedCall(name="x", arguments="{", stretch=6_000_000),)),
    ],
)
async def test_a_short_script_makes_a_huge_answer(answer: ScriptedAnswer) -> None:
    said = await played(answer).ask(turn())

    assert 6_000_000 <= len(said.text + "".join(call.arguments for call in said.tool_calls)) < 6_001_000


async def test_a_script_sets_the_usage_of_an_answer() -> None:
    usage = Usage(input_tokens=900, output_tokens=100, cost_micros=7)

    assert (await played(ScriptedAnswer(text="So.", usage=usage)).complete(turn())).usage == usage


async def test_a_script_with_calls_survives_its_file(tmp_path: Path) -> None:
    answer = ScriptedAnswer(tool_calls=(ScriptedCall(name="read_chapter", arguments={"number": 1}),))
    catalog = write_script(tmp_path / "script.json", answer)
    model = build_provider(catalog.models[0], {})

    said = [(await model.ask(turn(f"op {n}"))).tool_calls[0].id for n in range(3)]

    assert said == ["call_1_1", "call_2_1", "call_3_1"]
    assert calls_made(tmp_path / "script.json") == ["op 0", "op 1", "op 2"]
