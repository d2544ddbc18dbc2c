"""A mistyped name of anything is answered with the name that was probably meant."""

import json
from pathlib import Path

import pytest

from gateway.desk.manuscript import new_novels
from penwright.domain.text.nearest import nearest, nearest_of
from schemas.base import BookId
from schemas.records import BookRow
from tests.support.gateway.http import a_scene, a_world
from tests.support.gateway.services import Run, StageServices

MISTYPED = {
    "book status low-tyde": "low-tide",
    "book forget low-tyde": "low-tide",
    "book rollback {book} --to ink-2026-2-22-14-30 --yes": "{tag}",
    "manuscript show low-tyde": "{novel_id}",
    "manuscript forget low-tyde": "{novel_id}",
    "manuscript show {novel} arival": "arrival",
    "manuscript export {novel} arival --to html": "arrival",
    "manuscript inspect {novel} --variable section_plans": "section_plan",
    "world show Skery": "skerrow",
    "character show Anne": "ann",
    "persona show Mirra": "mira",
    "scene show the-key": "the-quay",
    "scene take-over the-quay Annn": "Ann",
    "agent show ink/writter": "ink/writer",
    "models test deno": "demo",
    "logs activitys": "activities",
    "campaign show Autum": "autumn",
    "scene state the-quay --who Ann --set moode=glad": "mood",
    "scene form the-quay --set settings.hold_plann=true": "hold_plan",
    "lore show Skerow": "skerrow-tides",
    "run start ink/editr --task Go": "ink/editor",
    "web tokens revoke readr": "{token}",
}


@pytest.fixture
def named(run: Run, book: Path, services: StageServices, tmp_path: Path) -> dict[str, str]:
    """A book with a session, a novel with two texts, a world and a scene; what the lines above call them."""
    services.store.records.register(BookRow(book_id=BookId("low-tide"), path=str(book), title="Low Tide"))
    novel = tmp_path / "ebb"
    texts = {"-": "# Ebb\n", "arrival": "Mara arrives.\n"}
    made = new_novels.create(services, novel, {"title": "Low Tide", "author": "M. Orr"}, scenes=texts)
    run("book", "session", str(book))
    (tag,) = services.git.tags(services.book(book).workspace)
    a_scene(services, a_world(services))
    run("campaign", "create", "Autumn", "--world", "skerrow")
    run("lore", "create", "Skerrow Tides")
    token = json.loads(run("web", "tokens", "create", "reader", "--scope", "read", "--json")[1])["id"]
    return {"book": str(book), "tag": tag, "novel": str(novel), "novel_id": made.novel_id, "token": token}


def test_a_mistyped_name_is_answered_with_what_was_meant(run: Run, named: dict[str, str]) -> None:
    said = {words: run(*words.format(**named).split()) for words in MISTYPED}

    wrong = [
        f"{words}: {told[2]}"
        for words, told in said.items()
        if f"did you mean {MISTYPED[words].format(**named)!r}?" not in told[2]
    ]
    assert not wrong, "\n".join(wrong)


def test_case_and_missing_words_do_not_hide_a_name() -> None:
    assert nearest("NORRA", ["Nora Quist", "Bob"]) == ["Nora Quist"]
    assert nearest_of("kwist", {"nora-1": ("nora-1", "Nora Quist")}) == ["nora-1"]
    assert nearest("x" * 100_000, ["nora"]) == []
    assert nearest("", ["nora"]) == []
