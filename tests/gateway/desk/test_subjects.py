"""What a run works on."""

from pathlib import Path

import pytest

from gateway.desk.agents.runs import RunRequest, order_of
from penwright.errors import NotFound
from schemas.agent_run import RunLimits
from tests.support.gateway.services import StageServices


def request(subject: str) -> RunRequest:
    return RunRequest(
        agent="ink/editor",
        task="Correct the lore.",
        params={},
        flags={},
        subject=subject,
        limits=RunLimits(),
    )


@pytest.mark.parametrize("subject", ["nowhere", ""])
def test_an_agent_that_changes_books_is_not_started_without_one(
    services: StageServices, book: Path, subject: str
) -> None:
    with pytest.raises(NotFound) as unknown:
        order_of(services, request(subject))

    assert unknown.value.code == "unknown-book"
    assert "--subject" in unknown.value.details["hint"]


def test_a_registered_book_is_a_subject_by_its_id_and_by_its_folder(
    services: StageServices, book: Path
) -> None:
    by_folder = order_of(services, request(str(book))).subject

    assert by_folder.startswith("low-tide")
    assert order_of(services, request(by_folder)).subject == by_folder


def test_a_folder_may_be_named_without_its_path(
    services: StageServices, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(book.parent)

    assert order_of(services, request(book.name)).subject.startswith("low-tide")
