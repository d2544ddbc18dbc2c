"""``penwright scene certify``: a scene that keeps its secrets, and one that does not."""

import json

import pytest

from gateway.desk.scene.table import exporting
from gateway.desk.scene.table.seats import invite
from schemas.envelope import Envelope, PromptMessage
from schemas.scene import Round, TurnRecord
from schemas.worlds import Character
from tests.gateway.cli.scene.conftest import Told
from tests.support.gateway.scenes import an_envelope
from tests.support.gateway.services import Run, StageServices

SECRET = "The light is in the third boathouse, under the nets."


@pytest.fixture
def played(scene: str, told: Told, people: StageServices) -> str:
    """A scene after one round, in which Bob has a secret."""
    bob = people.store.worlds.find(Character, "Bob Vane")[0]
    people.store.worlds.change(bob.model_copy(update={"secrets": SECRET}))
    told("say", scene, "Who lit the lamp?")
    return scene


def _shown_to_ann(monkeypatch: pytest.MonkeyPatch, people: StageServices, scene: str, *texts: str) -> None:
    """Keep a prompt of Ann's in the last round, with these texts in its history."""
    lines = tuple(PromptMessage(id=f"{scene}/1", name="Mira", text=each, round=1) for each in texts)
    envelope: Envelope = an_envelope(scene, 1).model_copy(update={"history": lines})
    kept = people.store.blobs.put(envelope.model_dump_json().encode())
    read = people.store.scenes.rounds

    def with_prompt(id: str, **how: int) -> tuple[Round, ...]:
        *before, last = read(id, **how)
        turn: TurnRecord = last.turns[0].model_copy(update={"envelope": kept})
        return (*before, last.model_copy(update={"turns": (turn, *last.turns[1:])}))

    monkeypatch.setattr(people.store.scenes, "rounds", with_prompt)


def test_a_scene_that_keeps_its_secrets_is_certified(
    run: Run, played: str, people: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shown_to_ann(monkeypatch, people, played, "Who lit the lamp?")

    code, out, _ = run("scene", "certify", played)

    assert code == 0
    assert "no leak in 1 prompt of the cast" in out
    assert "Ann Quist" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_leak_is_named_with_its_round_its_reader_and_its_source(
    run: Run, played: str, people: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shown_to_ann(monkeypatch, people, played, "Who lit the lamp?", f"I say: {SECRET}")

    code, out, _ = run("scene", "certify", played)
    as_json, told, _ = run("scene", "certify", played, "--json")

    assert (code, as_json) == (1, 1)
    assert "leak in round 1, Ann Quist: secrets of Bob Vane" in out
    (leak,) = json.loads(told)["leaks"]
    assert leak["text"] == SECRET.removesuffix(".")
    assert (leak["round"], leak["take"], leak["who"], leak["kind"]) == (1, 1, "ann-quist", "card")


def test_a_leak_at_a_seat_is_named_with_the_part_that_shows_it(
    run: Run, played: str, people: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    invite(people, played, "Ann Quist")
    code, out, _ = run("scene", "certify", played)
    assert code == 0
    assert "at 1 seat" in out
    monkeypatch.setattr(exporting, "_markdown", lambda title, heard: f"{title}: {SECRET}".encode())

    code, out, _ = run("scene", "certify", played)
    _, told, _ = run("scene", "certify", played, "--json")

    assert code == 1
    assert "leak at the seat of Ann Quist, export: secrets of Bob Vane" in out
    (leak,) = json.loads(told)["leaks"]
    assert (leak["round"], leak["who"], leak["part"]) == (0, "ann-quist", "export")
