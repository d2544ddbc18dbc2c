"""The board shows what waits, and what a caller may see."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from nicegui.testing import User

from gateway.desk.principals import Principal
from gateway.ui import absent, frame
from schemas.base import Progress
from schemas.records import RunRow
from tests.support.each import for_each
from tests.support.gateway.services import StageServices
from workers.engine.children import NO_ANSWER
from workers.home.folder import ChildRecord


def moved(book: Path) -> None:
    book.rename(book.with_name("elsewhere"))


@pytest.mark.long
async def test_an_empty_board_says_that_nothing_waits(user: User) -> None:
    await user.open("/")

    await user.should_see("Nothing waits for you.")
    await user.should_see("Nothing has run yet.")


async def test_an_empty_board_leads_to_what_can_be_begun(user: User) -> None:
    await user.open("/")

    for shown, address in (
        ("A new book", "books"),
        ("A new manuscript", "manuscripts"),
        ("A new scene", "scenes"),
    ):
        (found,) = user.find(shown).elements
        assert found.props["href"] == f"/ui/{address}/new"


async def test_a_filtered_board_says_that_nothing_fits(user: User) -> None:
    await user.open("/?kind=book")

    await user.should_see("No run fits these filters.")
    await user.should_not_see("A new manuscript")


async def test_a_book_whose_folder_is_gone_waits_for_a_person(
    user: User, book: Path, services: StageServices
) -> None:
    moved(book)

    await user.open("/")

    await user.should_see("Low Tide")
    await user.should_see("1 waiting")


@pytest.fixture
def gone(book: Path) -> None:
    moved(book)


@pytest.mark.usefixtures("gone")
@for_each("page", ["/scenes", "/worlds", "/health"])
async def test_every_page_says_how_many_things_wait(user: User, page: str) -> None:
    await user.open(page)

    await user.should_see("1 waiting", retries=20)


class TestStrangers:
    """A caller with one subject of its own."""

    @pytest.fixture
    def principal(self) -> Principal:
        return Principal("bob", frozenset({"read"}), frozenset({"book/another"}))

    async def test_books_of_others_are_not_listed(self, user: User, book: Path) -> None:
        moved(book)

        await user.open("/")

        await user.should_see("Nothing waits for you.")
        await user.should_not_see("Low Tide")

    @pytest.mark.long
    async def test_a_run_of_others_is_told_as_one_that_is_not_there(
        self, user: User, services: StageServices
    ) -> None:
        run = RunRow(run="book/tide#one", pipeline="book-session", subject="tide", stage="ended")
        services.store.records.note(run, [])

        answer = await user.http_client.get("/runs/book%2Ftide%23one")

        assert (answer.status_code, "unknown-run" in answer.text) == (404, True)


class TestWithoutScope:
    """A caller who may not even read."""

    @pytest.fixture
    def principal(self) -> Principal:
        return Principal("carl", frozenset())

    async def test_no_page_is_built(self, user: User) -> None:
        await user.open("/")

        await user.should_see("not-permitted")
        await user.should_not_see("Runs, newest first")


@pytest.mark.long
async def test_a_filter_that_is_none_of_ours_is_left_out(user: User) -> None:
    await user.open("/?kind=<script>&state=x")

    await user.should_see("Nothing has run yet.")


async def test_a_session_has_a_bundle_of_evidence(user: User, services: StageServices) -> None:
    run = RunRow(run="book/tide#one", pipeline="book-session", subject="tide", stage="ended")
    services.store.records.note(run, [])

    await user.open("/runs/book%2Ftide%23one")

    (found,) = user.find("Evidence bundle").elements
    assert found.props["href"] == "/api/v1/runs/book~tide!one/bundle"


@pytest.mark.long
async def test_an_unknown_run_is_said_with_its_code(user: User) -> None:
    answer = await user.http_client.get("/runs/book%2Fnone%23one")

    assert (answer.status_code, "unknown-run" in answer.text) == (404, True)


async def test_what_was_done_is_said_on_the_page_that_loads_itself_again(user: User) -> None:
    await user.open("/health")
    await user.should_not_see("examined again")

    user.find("Examine again").click()
    await asyncio.sleep(1.0)  # it loads itself again

    await user.should_see("examined again")
    await user.open("/health")
    await user.should_not_see("examined again")


async def test_what_was_done_is_said_although_a_browser_lost_the_page_that_said_it(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(frame._CARRIED, ("ann", "/health"), "examined again")
    lost = await user.http_client.get("/health")
    await user.open("/health")

    assert "examined again" in lost.text
    await user.should_see("examined again")


@pytest.fixture
def document(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the status of the engine says; all its processes are ready."""
    monkeypatch.setattr(absent, "_LOOK_S", 0.05)
    ready = {name: process("ready") for name in ("workflows", "activities", "models", "web")}
    document: dict[str, Any] = {"running": True, "silent": [], "children": ready}
    monkeypatch.setattr(StageServices, "engine_status", lambda _: document)
    return document


def process(state: str, **facts: Any) -> dict[str, Any]:
    return ChildRecord(state=state, **facts).model_dump()


async def test_every_page_says_which_process_is_absent_until_it_is_back(
    user: User, document: dict[str, Any]
) -> None:
    document["children"] |= {"activities": process("failed"), "models": process("waiting")}
    await user.open("/books")
    await user.should_see("The process activities is not ready (failed)")
    await user.should_see("The process models is not ready (waiting)")
    await user.should_not_see("is not known")

    document["children"] |= {"activities": process("ready"), "models": process("ready")}

    await user.should_not_see("The process activities")


async def test_every_page_says_which_process_hangs_though_it_calls_itself_ready(
    user: User, document: dict[str, Any]
) -> None:
    document["children"]["models"] = process("ready", lacks=NO_ANSWER)
    document["silent"] = ["engine", "models"]

    await user.open("/books")

    await user.should_see("The process models is not ready (does not answer): no model is asked")
    await user.should_see("The process engine is not ready (does not answer): no process that ends")


async def test_the_page_of_health_calls_no_process_ready_that_hangs(
    user: User, document: dict[str, Any]
) -> None:
    document["children"] = {"web": process("ready", lacks=NO_ANSWER)}

    await user.open("/health")

    await user.should_see("does not answer")


async def test_the_page_of_health_names_each_document_that_waits_for_a_registry(
    user: User, services: StageServices
) -> None:
    detail = "Waiting until 2030-01-06 04:00 UTC to ask registries again for 2 of 9 entries"
    shown = {"pipeline": "citation-audit", "subject": "n1/-", "detail": detail}
    services.audits.at_work["n1/-"] = Progress(stage="registries", **shown)
    services.audits.at_work["n2/-"] = Progress(stage="audit", **{**shown, "subject": "n2/-"})

    await user.open("/health")

    await user.should_see("Waiting for registries")
    await user.should_see(detail)
    await user.should_not_see("n2/-")
