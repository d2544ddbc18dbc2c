"""Books over the API: what is read, what is written, and who may."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.desk.works import books
from penwright.domain.book.files.layout import FULL_BOOK, chapter_path, proposed_path
from schemas.base import BookId
from schemas.records import BoardRow
from tests.support.each import for_each
from tests.support.gateway.http import Api, key
from tests.support.gateway.services import IDENTITY, REWRITTEN, StageServices, git_in

CHAPTER = "Chapters material/Chapter_01.md"


@pytest.fixture
def book_id(services: StageServices, book: Path) -> str:
    return books.at(services, book).book_id


async def test_books_are_listed_without_their_folders(
    client: httpx.AsyncClient, book: Path, book_id: str
) -> None:
    answer = await client.get("/books")

    assert [each["book_id"] for each in answer.json()["items"]] == [book_id]
    assert str(book) not in answer.text


async def test_a_book_that_is_not_sealed_has_no_sealing_to_review(
    client: httpx.AsyncClient, book_id: str
) -> None:
    early = await client.post(f"/books/{book_id}/sealing-reviewed", headers=key())

    assert (early.status_code, early.json()["code"]) == (409, "not-sealed")


async def test_what_a_session_sealed_is_seen_once(
    client: httpx.AsyncClient, sealed: None, book_id: str
) -> None:
    address = f"/books/{book_id}/sealing-reviewed"

    seen, again = [await client.post(address, headers=key()) for _ in range(2)]

    assert seen.json() == {"settled": ["The last 9 words were sealed."]}
    assert again.json() == {"settled": []}


async def test_a_list_goes_on_after_its_cursor(client: httpx.AsyncClient, book_id: str) -> None:
    first = await client.get("/books", params={"limit": 1})
    forged = await client.get("/books", params={"cursor": "%%%"})
    unknown = await client.get("/books", params={"offset": 3})

    assert first.json()["next"] is None
    assert (forged.status_code, forged.json()["code"]) == (400, "bad-cursor")
    assert (unknown.status_code, unknown.json()["code"]) == (400, "unknown-parameter")


async def test_a_page_of_the_list_reads_no_other_books(
    client: httpx.AsyncClient, services: StageServices, book_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = services.store.records.book(BookId(book_id))
    assert known
    for number in range(1, 8):
        gone = {"book_id": f"gone-{number}", "path": f"/gone/{number}"}
        services.store.records.register(known.model_copy(update=gone))
    read: list[int] = []
    board = services.store.records.board

    def counted(*given: Any, **options: Any) -> tuple[BoardRow, ...]:
        rows = board(*given, **options)
        read.append(len(rows))
        return rows

    monkeypatch.setattr(services.store.records, "board", counted)
    listed: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = (await client.get("/books", params={"limit": 3, "cursor": cursor})).json()
        listed, cursor = [*listed, *(each["book_id"] for each in page["items"])], page["next"]

    assert listed == sorted([book_id, *(f"gone-{number}" for number in range(1, 8))])
    assert max(read) == 4
    waits = (await client.get("/books", params={"limit": 2, "attention": True})).json()
    assert [each["book_id"] for each in waits["items"]] == ["gone-1", "gone-2"]
    assert waits["next"]


async def test_a_book_is_shown_with_its_status_and_texts(client: httpx.AsyncClient, book_id: str) -> None:
    shown = (await client.get(f"/books/{book_id}")).json()
    tree = (await client.get(f"/books/{book_id}/tree")).json()["items"]

    assert shown["title"] == "Low Tide"
    assert shown["initialized"]
    assert CHAPTER in [each["path"] for each in tree]


async def test_a_text_is_read_by_revision(client: httpx.AsyncClient, book_id: str) -> None:
    first = await client.get(f"/books/{book_id}/text/{CHAPTER}")
    again = await client.get(
        f"/books/{book_id}/text/{CHAPTER}", headers={"if-none-match": first.headers["etag"]}
    )
    line = await client.get(f"/books/{book_id}/text/{CHAPTER}", params={"from_line": 1, "to_line": 1})

    assert first.headers["etag"] == f'"{first.json()["revision"]}"'
    assert (again.status_code, again.content) == (304, b"")
    assert first.json()["text"].startswith(line.json()["text"])
    assert line.json()["text"].count("\n") == 1


async def test_a_text_is_saved_only_with_the_revision_it_was_made_from(
    client: httpx.AsyncClient, book_id: str, book: Path
) -> None:
    url = f"/books/{book_id}/text/{CHAPTER}"
    before = await client.get(url)
    without = await client.put(url, json={"text": "Mine.\n"})
    saved = await client.put(
        url,
        json={"text": before.json()["text"] + "\nA gull.\n"},
        headers={"if-match": before.headers["etag"]},
    )
    after = await client.get(url)

    assert (without.status_code, without.json()["code"]) == (428, "revision-missing")
    assert (saved.status_code, saved.json()["outcome"]) == (200, "saved")
    assert saved.headers["etag"] == after.headers["etag"] != before.headers["etag"]
    assert after.json()["text"].endswith("A gull.\n")
    assert git_in(book, "log", "-1", "--format=%s") != ""


async def test_a_text_saved_without_a_word_is_warned_of(client: httpx.AsyncClient, book_id: str) -> None:
    url = f"/books/{book_id}/text/{CHAPTER}"
    before = await client.get(url)
    etag = before.headers["etag"]
    written = await client.put(url, json={"text": "Four words of mine.\n"}, headers={"if-match": etag})
    empty = await client.put(url, json={"text": "\n"}, headers={"if-match": written.headers["etag"]})

    back = f"`penwright book restore {book_id} --text '{CHAPTER}'` brings them back"
    assert written.json()["warnings"] == []
    assert empty.json()["warnings"] == [f"{CHAPTER} holds no words any more, 4 words went; {back}"]


async def test_words_that_both_changed_are_not_overwritten(client: httpx.AsyncClient, book_id: str) -> None:
    url = f"/books/{book_id}/text/Notes.md"
    made = await client.put(url, json={"text": "A grey day.\n"}, headers={"if-none-match": "*"})
    base = {"if-match": made.headers["etag"]}
    first = await client.put(url, json={"text": "A blue day.\n"}, headers=base)
    second = await client.put(url, json={"text": "A red day.\n"}, headers=base)
    text = (await client.get(url)).json()["text"]

    assert (first.status_code, second.status_code) == (200, 412)
    assert second.json()["code"] == "stale-revision"
    assert text == "A blue day.\n"


HOSTILE_PATHS = (
    *("../secret", "..%2fsecret", "%2e%2e/secret", "%252e%252e%252fsecret", "/etc/passwd", "//etc/passwd"),
    *(".git/config", ".GIT/config", "Chapters material/../.git/config", ".ink-state.yml", "a%00b", "~/x"),
    *(".orchestration/active_intents.yaml", "Chapters material", "Chapters%20material/", "x" * 3000),
    *("Chapters material/..%5c..%5cx.md", "C:\\x", "Review//current.md", "Review/%252e%252e/x.md"),
)


@for_each("path", HOSTILE_PATHS)
async def test_a_hostile_path_reads_and_writes_nothing(
    client: httpx.AsyncClient, book_id: str, book: Path, path: str
) -> None:
    before = git_in(book, "rev-parse", "HEAD")
    read = await client.get(f"/books/{book_id}/text/{path}")
    written = await client.put(
        f"/books/{book_id}/text/{path}", json={"text": "x"}, headers={"if-none-match": "*"}
    )

    assert read.status_code in (400, 404, 409)
    assert written.status_code in (400, 404, 409)
    assert git_in(book, "rev-parse", "HEAD") == before


@pytest.mark.parametrize("named", ["nowhere", "..", "%2e%2e", "~", "Low Tide", "/", "a" * 100])
async def test_a_book_is_found_by_its_registered_id_only(client: httpx.AsyncClient, named: str) -> None:
    assert (await client.get(f"/books/{named}/tree")).status_code in (400, 404)


async def test_a_folder_is_no_name_of_a_book(client: httpx.AsyncClient, book: Path) -> None:
    answer = await client.get(f"/books/{str(book).replace('/', '%2F')}")

    assert answer.status_code in (400, 404)


async def test_an_order_that_is_sent_again_is_carried_out_once(
    client: httpx.AsyncClient, book_id: str, services: StageServices
) -> None:
    order = key()
    first = await client.post(f"/books/{book_id}/sessions", json={}, headers=order)
    again = await client.post(f"/books/{book_id}/sessions", json={}, headers=order)
    other = await client.post(f"/books/{book_id}/sessions", json={"intent": "INT-001"}, headers=order)
    without = await client.post(f"/books/{book_id}/sessions", json={})
    weak = await client.post(f"/books/{book_id}/sessions", json={}, headers={"idempotency-key": "short"})
    log = (await client.get(f"/books/{book_id}/sessions")).json()["items"]

    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json() == first.json()
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["idempotency-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "key-reused")
    assert (without.status_code, without.json()["code"]) == (400, "key-missing")
    assert weak.status_code == 400
    assert [each["session"] for each in log] == [first.json()["session"]]


async def test_a_rewritten_passage_waits_among_the_approvals_and_counts_once_it_is_approved(
    client: httpx.AsyncClient, book_id: str, book: Path
) -> None:
    (book / FULL_BOOK).write_text("# Chapter 1\n\nShe took the rope.\n", encoding="utf-8")
    order = {"chapter": 1, "instruction": "make her left-handed", "passage": "the rope"}

    begun = await client.post(f"/books/{book_id}/rewrites", json=order, headers=key())
    vague = await client.post(f"/books/{book_id}/rewrites", json={"chapter": 1}, headers=key())
    (waits,) = (await client.get("/approvals")).json()["items"]
    await client.post(f"/approvals/{waits['id']}/approve", json={}, headers=key())

    assert begun.status_code == 202
    assert vague.json()["code"] == "instruction-empty"
    assert "-She took the rope." in waits["diff"]
    assert f"{REWRITTEN} She took the rope." in (book / FULL_BOOK).read_text()


async def test_an_order_that_was_refused_may_be_sent_again(
    client: httpx.AsyncClient, book_id: str, services: StageServices
) -> None:
    order = key()
    refused = await client.post(f"/books/{book_id}/pause", headers=order)
    again = await client.post(f"/books/{book_id}/pause", headers=order)

    assert (refused.status_code, refused.json()["code"]) == (409, "nothing-runs")
    assert again.status_code == 409


async def test_a_rollback_is_planned_and_confirmed_by_its_digest(
    client: httpx.AsyncClient, book_id: str, book: Path
) -> None:
    await client.post(f"/books/{book_id}/sessions", json={}, headers=key())
    planned = await client.post(f"/books/{book_id}/rollback", json={}, headers=key())
    head = git_in(book, "rev-parse", "HEAD")
    stale = await client.post(f"/books/{book_id}/rollback", json={"confirm": "0" * 64}, headers=key())
    unchanged = git_in(book, "rev-parse", "HEAD") == head
    done = await client.post(
        f"/books/{book_id}/rollback", json={"confirm": planned.json()["plan"]["digest"]}, headers=key()
    )

    assert planned.json()["done"] is None
    assert planned.json()["plan"]["commits"]
    assert (stale.status_code, unchanged) == (412, True)
    assert done.json()["done"]["status"] == "rolled_back"


async def test_what_the_remote_lost_is_told_and_published_again_once(
    client: httpx.AsyncClient, book_id: str, lost_by_remote: str
) -> None:
    waits = (await client.get(f"/books/{book_id}")).json()
    decided, again = [await client.post(f"/books/{book_id}/restore-session", headers=key()) for _ in range(2)]
    after = (await client.get(f"/books/{book_id}")).json()

    assert "no longer has what was published" in waits["remote_lost"]
    assert (decided.status_code, decided.json()["status"]) == (200, "published")
    assert (again.status_code, again.json()["code"]) == (409, "nothing-lost")
    assert after["remote_lost"] == ""


async def test_what_the_remote_lost_is_taken_out_as_it_was_listed_or_not_at_all(
    client: httpx.AsyncClient, book_id: str, lost_by_remote: str, book: Path
) -> None:
    url = f"/books/{book_id}/accept-remote"
    planned = await client.post(url, json={}, headers=key())
    listed = {"confirm": planned.json()["plan"]["digest"]}
    git_in(book, "commit", "-q", "--allow-empty", "-m", "Meanwhile")
    stale = await client.post(url, json=listed, headers=key())
    waits = (await client.get(f"/books/{book_id}")).json()["remote_lost"]
    seen = await client.post(url, json={}, headers=key())
    done = await client.post(url, json={"confirm": seen.json()["plan"]["digest"]}, headers=key())

    assert (planned.json()["done"], seen.json()["plan"]["commits"]) == (
        None,
        planned.json()["plan"]["commits"],
    )
    assert planned.json()["plan"]["commits"]
    assert (stale.status_code, stale.json()["code"], waits != "") == (412, "stale-revision", True)
    assert (done.status_code, done.json()["done"]["status"]) == (200, "accepted")


async def test_a_timetable_is_made_paused_and_deleted(client: httpx.AsyncClient, book_id: str) -> None:
    url = f"/books/{book_id}/schedule"
    none = await client.get(url)
    made = await client.put(url, json={"every": "6h"})
    paused = await client.post(f"{url}/pause", headers=key())
    wrong = await client.put(url, json={"cron": "soon"})
    never = await client.put(url, json={"cron": "0 0 30 2 *"})
    unused = await client.put(url, json={"every": "1d", "time_zone": "Europe/Berlin"})
    kept = await client.get(url)
    gone = await client.delete(url)

    assert none.status_code == 404
    assert (made.status_code, made.json()["paused"]) == (200, False)
    assert paused.json()["paused"]
    assert (wrong.status_code, wrong.json()["code"]) == (400, "bad-cron")
    assert (never.status_code, never.json()["code"]) == (400, "never-runs")
    assert (unused.status_code, unused.json()["code"]) == (400, "zone-without-cron")
    assert kept.json()["rhythm"] == made.json()["rhythm"]
    assert gone.status_code == 204


async def test_provenance_is_told(client: httpx.AsyncClient, book_id: str) -> None:
    await client.post(f"/books/{book_id}/sessions", json={}, headers=key())
    blame = await client.get(f"/books/{book_id}/blame", params={"path": "Review/current.md"})
    why = await client.get(f"/books/{book_id}/why", params={"commit": "HEAD"})
    disclosure = await client.get(f"/books/{book_id}/disclosure")
    missing = await client.get(f"/books/{book_id}/blame", params={"path": "/etc/passwd"})
    option = await client.get(f"/books/{book_id}/why", params={"commit": "--all"})

    assert blame.json()["blocks"]
    assert why.status_code == disclosure.status_code == 200
    assert (missing.status_code, option.status_code) == (404, 404)


async def test_an_export_is_always_a_download(client: httpx.AsyncClient, book_id: str) -> None:
    await client.post(f"/books/{book_id}/sessions", json={}, headers=key())
    answer = await client.get(f"/books/{book_id}/export", params={"format": "text"})

    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment; ")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert b"tide" in answer.content


@pytest.mark.parametrize(
    ("scope", "method", "path", "body"),
    [
        ("read", "PUT", f"/text/{CHAPTER}", {"text": "x"}),
        ("read", "POST", "/sessions", {}),
        ("write", "POST", "/sessions", {}),
        ("read", "POST", "/rollback", {}),
        ("run", "POST", "/rollback", {}),
        ("run", "POST", "/accept-remote", {}),
        ("run", "POST", "/restore-session", {}),
        ("read", "PUT", "/schedule", {"every": "6h"}),
        ("write", "GET", "", None),
        ("run", "GET", "/tree", None),
    ],
)
async def test_a_scope_that_is_missing_is_refused(
    api: Api, book_id: str, scope: str, method: str, path: str, body: dict[str, str] | None
) -> None:
    async with api.client(api.token(scope)) as client:  # type: ignore[arg-type]
        answer = await client.request(
            method, f"/books/{book_id}{path}", json=body, headers={**key(), "if-match": '"x"'}
        )

    assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")


async def test_a_token_for_other_subjects_sees_nothing_of_a_book(api: Api, book_id: str) -> None:
    async with api.client(api.token("read", subjects=("book/other",))) as client:
        listed = (await client.get("/books")).json()["items"]
        known = await client.get(f"/books/{book_id}")
        unknown = await client.get("/books/nothing-of-the-kind")

    assert listed == []
    assert (known.status_code, unknown.status_code) == (403, 403)


async def test_without_an_engine_a_book_is_still_an_answer(
    api: Api, services: StageServices, book_id: str
) -> None:
    token = api.token()
    async with api.client(token) as client:
        services.runs = False
        answer = await client.get(f"/books/{book_id}")

    assert (answer.status_code, answer.json()["retryable"]) == (503, True)


async def test_waiting_prose_is_decided_passage_by_passage(client: httpx.AsyncClient, book_id: str) -> None:
    await client.post(f"/books/{book_id}/sessions", json={}, headers=key())
    queue = await client.get(f"/books/{book_id}/review")
    passage = queue.json()["items"][0]["id"]
    order = {"decisions": [{"passage": passage, "verdict": "comment", "text": "Name the boat."}]}
    url, base = f"/books/{book_id}/review/decide", {"if-match": queue.headers["etag"]}
    unseen = await client.post(url, json=order, headers=key())
    done = await client.post(url, json=order, headers={**key(), **base})
    stale = await client.post(url, json=order, headers={**key(), **base})
    notes = (await client.get(f"/books/{book_id}/notes")).json()["items"]

    assert [unseen.status_code, done.status_code, stale.status_code] == [428, 200, 412]
    assert "Name the boat." in done.json()["queue"]["items"][0]["notes"]
    assert [(each["path"], each["kind"], each["text"]) for each in notes] == [
        ("Review/current.md", "instruction", "Name the boat.")
    ]


async def test_a_finding_is_meant_so_and_counts_again(
    client: httpx.AsyncClient, book: Path, book_id: str
) -> None:
    written = {
        "Global Material/Characters.md": "# Characters\n\n## Mara Voss\nShe.\n",
        "Review/current.md": "Then came Marra, and sat down.\n",
    }
    for path, text in written.items():
        (book / path).write_text(text, encoding="utf-8")
    url = f"/books/{book_id}/findings"
    git_in(book, *IDENTITY, "commit", "-qam", "Write a name")
    (found,) = (await client.get(url)).json()["items"]
    named = {each: found[each] for each in ("rule", "quote", "other")}

    meant = await client.post(f"{url}/decide", json={"intended": [named]}, headers=key())
    queue = (await client.get(f"/books/{book_id}/review")).json()["items"]
    twice = await client.post(f"{url}/decide", json={"intended": [named]}, headers=key())
    again = await client.post(f"{url}/decide", json={"not_intended": [named]}, headers=key())
    gone = await client.post(f"{url}/decide", json={"not_intended": [named]}, headers=key())

    assert named == {"rule": "name-slip", "quote": "Marra", "other": "Mara"}
    assert meant.json()["findings"]["items"] == queue[0]["found"] == []
    assert meant.json()["findings"]["intended"] == queue[0]["intended"] == [found]
    assert (bool(meant.json()["commit"]), twice.json()["commit"]) == (True, "")
    assert again.json()["findings"]["items"] == [found]
    assert (gone.status_code, gone.json()["code"]) == (404, "no-such-finding")
    assert f"`penwright book findings {book_id}`" in gone.json()["hint"]


async def test_a_proposed_outline_is_accepted_once(
    client: httpx.AsyncClient, book: Path, book_id: str
) -> None:
    outline, url = "# The Storm\n\n1. It rains.\n", f"/books/{book_id}/outlines"
    (book / proposed_path(2)).write_text(outline, encoding="utf-8")
    git_in(book, "add", "-A")
    git_in(book, *IDENTITY, "commit", "-qm", "Propose an outline")
    (shown,) = (await client.get(url)).json()["proposed"]

    done = await client.post(f"{url}/2", json={"accept": True}, headers=key())
    again = await client.post(f"{url}/2", json={"accept": False}, headers=key())

    assert (shown["chapter"], shown["text"]) == (2, outline)
    assert done.json()["planning"]["proposed"] == []
    assert 2 not in done.json()["planning"]["missing"]
    assert (book / chapter_path(2)).read_text() == outline
    assert (again.status_code, again.json()["code"]) == (404, "no-proposed-outline")


async def test_missing_outlines_are_asked_for_once(
    client: httpx.AsyncClient, book: Path, book_id: str, services: StageServices
) -> None:
    url, keyed = f"/books/{book_id}/outlines", key()
    wish = {"chapters": 2, "premise": "She waits."}

    answers = [await client.post(url, json=wish, headers=keyed) for _ in range(2)]
    refused = await client.post(url, json={"premise": " "}, headers=key())

    (order,) = services.plannings.started
    assert [each.status_code for each in answers] == [202, 202]
    assert answers[0].json() == {"run": f"planning/{book_id}#{order.session}", "fresh": True}
    assert answers[1].json() == answers[0].json()
    assert (refused.status_code, refused.json()["code"]) == (400, "empty-premise")


async def test_any_two_commits_of_a_book_are_compared(client: httpx.AsyncClient, book_id: str) -> None:
    await client.post(f"/books/{book_id}/sessions", json={}, headers=key())
    moments = (await client.get(f"/books/{book_id}/history")).json()["items"]
    ends = {"before": moments[-1]["commit"], "after": moments[0]["commit"]}
    compared = (await client.get(f"/books/{book_id}/compare", params=ends)).json()
    foreign = await client.get(f"/books/{book_id}/compare", params={**ends, "after": "0" * 40})
    option = await client.get(f"/books/{book_id}/compare", params={**ends, "after": "--output=x".ljust(40)})

    assert "Review/current.md" in compared["files"]
    assert [foreign.status_code, option.status_code] == [400, 400]
