"""A save beside a session comes to the same through every door: editor, command, API and folder."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gateway.desk.drafts.desk import DraftDesk
from gateway.desk.principals import local_user
from gateway.ink import program as ink_cli
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.text.merging.changesets import between
from penwright.domain.text.merging.units import has_words, split_units
from schemas.base import Effect
from schemas.workspace import MutationPlan, Published
from tests.support.gateway.http import api_over
from tests.support.gateway.services import Run, StageServices

FIRST = "The keeper counted three lamps at dusk, and then he slept."
SECOND = "A ship passed without a light and did not answer her signal."
NEW = "By midnight the wind had taken the shutters from the tower."
HERS = "Far out a bell rang twice, though nobody on the quay looked up."
EDITED = SECOND.replace("without a light", "without a single light")


@dataclass
class Desk:
    """A book whose session before the last left two passages, and its author, who types."""

    services: StageServices
    run: Run
    folder: Path
    patch: pytest.MonkeyPatch

    @property
    def book_id(self) -> str:
        return self.services.book(self.folder).book_id

    def session(self, prose: str) -> None:
        """An outside agent writes; what waited for review moves into the book."""
        self.services.stdin = prose.encode()
        for verb in ("session-open", "session-close"):
            assert ink_cli.run((verb, str(self.folder)), obj=self.services) == 0

    def paragraphs(self, path: str) -> list[str]:
        return [each.text for each in split_units((self.folder / path).read_text()) if has_words(each.text)]

    def typed(self) -> str:
        """The text that waits, with a word more in its second passage and a passage of her own."""
        return f"{(self.folder / REVIEW).read_text().replace(SECOND, EDITED).rstrip()}\n\n{HERS}\n"


Door = Callable[[Desk], Iterator[None]]
"""Opens the text; the session closes while it waits; then it saves what was typed."""


def through_the_editor(desk: Desk) -> Iterator[None]:
    ann, drafts = local_user("ann"), DraftDesk(desk.services)
    opened = drafts.open(ann, desk.book_id, REVIEW)
    draft = opened.draft.draft_id
    drafts.change(ann, draft, 0, "a1", between(opened.text, desk.typed()))
    yield
    asyncio.run(drafts.save(ann, draft))


def through_the_command(desk: Desk) -> Iterator[None]:
    place, new = ("--book", str(desk.folder)), desk.folder.with_name("new.md")
    revision = json.loads(desk.run("book", "text", REVIEW, *place, "--json")[1])["revision"]
    new.write_text(desk.typed())
    yield
    assert desk.run("book", "save", REVIEW, "--from", str(new), "--based-on", revision, *place)[0] == 0


def through_the_api(desk: Desk) -> Iterator[None]:
    api, url = api_over(desk.services), f"/books/{desk.book_id}/text/{REVIEW}"

    async def asked(etag: str = "", text: str = "") -> str:
        async with api.client(api.token()) as client:
            put = (
                client.put(url, json={"text": text}, headers={"if-match": etag}) if etag else client.get(url)
            )
            answer = await put
        assert answer.status_code == 200, answer.text
        return str(answer.headers["etag"])

    etag, text = asyncio.run(asked()), desk.typed()
    yield
    asyncio.run(asked(etag, text))


def in_the_folder(desk: Desk) -> Iterator[None]:
    text, publish = desk.typed(), GitWorkspaces.publish

    def typed_before(self: GitWorkspaces, plan: MutationPlan, effect: Effect) -> Published:
        if plan.tool == "book.close":
            (desk.folder / REVIEW).write_text(text)
        return publish(self, plan, effect)

    with desk.patch.context() as patched:
        patched.setattr(GitWorkspaces, "publish", typed_before)
        yield
    assert ink_cli.run(("session-open", str(desk.folder)), obj=desk.services) == 0


@pytest.mark.parametrize("door", [through_the_editor, through_the_command, through_the_api, in_the_folder])
def test_every_paragraph_stands_once_and_as_the_side_left_it_that_touched_it(
    door: Door, services: StageServices, run: Run, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(services, run, book, monkeypatch)
    desk.session(f"{FIRST}\n\n{SECOND}")
    before = desk.paragraphs(FULL_BOOK)
    saving = door(desk)
    next(saving)

    desk.session(NEW)
    next(saving, None)

    assert desk.paragraphs(FULL_BOOK) == [*before, FIRST, EDITED]
    assert sorted(desk.paragraphs(REVIEW)) == sorted([HERS, NEW])
