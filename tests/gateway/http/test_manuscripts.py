"""Manuscripts and their citations over the API."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from gateway.desk.engine.pipelines import Acknowledgement, Message
from schemas.base import Progress
from schemas.citation_scan import CitationScanInput, ProposalList, ScanReview
from schemas.citations import (
    CitationChange,
    CitationCounts,
    CitationDecision,
    CitationProposal,
    CitationSearch,
    CitationTarget,
    FoundWork,
    TargetStanding,
)
from schemas.manuscript import ManuscriptInput, StopRequest
from schemas.records import RunRow
from tests.support.each import for_each
from tests.support.gateway.http import Api, a_novel, key
from tests.support.gateway.services import StageServices, git_in


@dataclass
class OrderBook:
    """Implements what the routes ask of runs and scans: it takes orders, and carries none out."""

    given: list[ManuscriptInput | CitationScanInput] = field(default_factory=list)
    stopped: list[StopRequest] = field(default_factory=list)
    decided: list[CitationDecision] = field(default_factory=list)
    searched: list[CitationSearch] = field(default_factory=list)
    told: list[tuple[str, Message]] = field(default_factory=list)
    busy: bool = False
    proposes: ScanReview | None = None

    async def start(self, given: ManuscriptInput | CitationScanInput) -> bool:
        self.given.append(given)
        return not self.busy

    async def stop(self, name: str, request: StopRequest) -> None:
        self.stopped.append(request)

    async def running(self) -> Mapping[str, Progress]:
        return {}

    async def progress(self, name: str) -> Progress | None:
        return Progress(pipeline="scan", subject=name, stage="review") if self.proposes else None

    async def signal(self, name: str, message: Message) -> Acknowledgement:
        self.told.append((name, message))
        return Acknowledgement(found="session", heard=True)

    async def review(self, name: str) -> ScanReview | None:
        return self.proposes

    async def decide(self, name: str, decision: CitationDecision) -> CitationCounts:
        self.decided.append(decision)
        return CitationCounts(found=1, accepted=1)

    async def search(self, name: str, wanted: CitationSearch) -> CitationCounts:
        self.searched.append(wanted)
        return CitationCounts(found=1, verified=1)


@pytest.fixture
def novel(services: StageServices, tmp_path: Path) -> str:
    return a_novel(services, tmp_path / "novel")


@pytest.fixture
def orders(services: StageServices) -> OrderBook:
    made = OrderBook()
    # Any: of another type in stages that carry nothing out.
    stage: Any = services
    stage.manuscript_runs = stage.scans = made
    return made


async def test_documents_are_listed_without_their_folders(
    client: httpx.AsyncClient, novel: str, tmp_path: Path
) -> None:
    listed = await client.get("/manuscripts")
    shown = (await client.get(f"/manuscripts/{novel}")).json()

    assert [(each["novel"], each["scene"]) for each in listed.json()["items"]] == [(novel, "-")]
    assert str(tmp_path) not in listed.text
    assert (shown["title"], shown["items"][0]["words"]) == ("Low Tide", 9)


async def test_a_text_is_read_and_saved_by_revision(
    client: httpx.AsyncClient, novel: str, tmp_path: Path
) -> None:
    url = f"/manuscripts/{novel}/-"
    before = await client.get(url)
    base = {"if-match": before.headers["etag"]}
    same = await client.get(url, headers={"if-none-match": before.headers["etag"]})
    unseen = await client.put(url, json={"text": "Mine."})
    noon, night = (before.json()["text"].replace("dusk", when) for when in ("noon", "night"))
    saved = await client.put(url, json={"text": noon}, headers=base)
    stale = await client.put(url, json={"text": night}, headers=base)
    new = await client.put(
        f"/manuscripts/{novel}/The Pier", json={"text": "Fog.\n"}, headers={"if-none-match": "*"}
    )

    assert (same.status_code, unseen.status_code, saved.status_code) == (304, 428, 200)
    assert (stale.status_code, stale.json()["code"]) == (412, "stale-revision")
    assert (await client.get(url)).json()["text"] == noon
    assert (new.status_code, (await client.get(f"/manuscripts/{novel}/The Pier")).json()["text"]) == (
        200,
        "Fog.\n",
    )
    assert git_in(tmp_path / "novel", "log", "-1", "--format=%an") != ""


async def test_who_wrote_each_passage_of_a_document_is_told(client: httpx.AsyncClient, novel: str) -> None:
    url = f"/manuscripts/{novel}/-/blame"
    before = await client.get(f"/manuscripts/{novel}/-")
    given = {"text": before.json()["text"] + "\nA gull.\n"}
    await client.put(f"/manuscripts/{novel}/-", json=given, headers={"if-match": before.headers["etag"]})
    told = (await client.get(url)).json()
    one = (await client.get(url, params={"line": 5})).json()
    missing = await client.get(f"/manuscripts/{novel}/The Pier/blame")

    assert [(each["text"], each["who"]) for each in told["blocks"]] == [
        ("# Ebb", "unknown"),
        ("The keeper counts the lamps at dusk.", "unknown"),
        ("A gull.", "human"),
    ]
    assert one["blocks"] == told["blocks"][2:]
    assert (missing.status_code, missing.json()["code"]) == (404, "no-such-text")


async def test_versions_are_compared_taken_back_and_brought_back(
    client: httpx.AsyncClient, novel: str
) -> None:
    url = f"/manuscripts/{novel}/-"
    before = await client.get(url)
    await client.put(url, json={"text": "All new.\n"}, headers={"if-match": before.headers["etag"]})
    versions = (await client.get(f"{url}/versions")).json()["items"]
    compared = (await client.get(f"{url}/compare")).json()["lines"]
    option = await client.get(f"{url}/compare", params={"since": "--all"})
    stale = await client.post(f"{url}/undo", json={"expected": before.json()["revision"]}, headers=key())
    undone = (await client.post(f"{url}/undo", json={}, headers=key())).json()
    back = await client.post(f"{url}/rollback", json={"to": versions[0]["commit"]}, headers=key())
    nowhere = await client.post(f"{url}/rollback", json={"to": "0" * 40}, headers=key())

    assert len(versions) == 2
    assert "+All new." in compared
    assert (option.status_code, stale.status_code) == (404, 412)
    assert undone["revision"] == before.json()["revision"]
    assert (back.status_code, (await client.get(url)).json()["text"]) == (200, "All new.\n")
    assert nowhere.status_code in (404, 409)


@for_each("name", ["%2e%2e", "a%2fb", ".git", "con", "x" * 200, "a%00b", "a~b"])
async def test_a_hostile_name_reads_and_writes_nothing(
    client: httpx.AsyncClient, novel: str, name: str, tmp_path: Path
) -> None:
    head = git_in(tmp_path / "novel", "rev-parse", "HEAD")
    read = await client.get(f"/manuscripts/{novel}/{name}")
    written = await client.put(
        f"/manuscripts/{novel}/{name}", json={"text": "x"}, headers={"if-none-match": "*"}
    )

    assert read.status_code in (400, 404)
    assert written.status_code in (400, 404, 405)
    assert git_in(tmp_path / "novel", "rev-parse", "HEAD") == head


async def test_agents_write_and_stop_at_the_word_of_the_caller(
    client: httpx.AsyncClient, novel: str, orders: OrderBook, services: StageServices
) -> None:
    url = f"/manuscripts/{novel}/-"
    nothing = await client.post(f"{url}/write", json={}, headers=key())
    order = {"instructions": "A short essay.", "max_passes": 2, "cost_micros": 50}
    begun = await client.post(f"{url}/write", json=order, headers=key())
    revised = await client.post(f"{url}/revise", json={"instruction": "Shorter."}, headers=key())
    stopped = await client.post(f"{url}/stop", json={"reason": "enough"}, headers=key())
    orders.busy = True
    busy = await client.post(f"{url}/write", json=order, headers=key())

    assert (nothing.status_code, nothing.json()["code"]) == (409, "no-instructions")
    assert (begun.status_code, begun.headers["location"]) == (202, f"/api/v1/runs/{begun.json()['run_id']}")
    first, second = orders.given[:2]
    assert isinstance(first, ManuscriptInput)
    assert isinstance(second, ManuscriptInput)
    assert (first.who, first.settings.max_passes, first.settings.limits.cost_micros) == ("test", 2, 50)
    assert services.store.blobs.get(first.settings.instructions) == b"A short essay."
    assert (revised.status_code, second.only_revise, second.who) == (202, "Shorter.", "test")
    assert stopped.status_code == 200
    assert (orders.stopped[0].who, orders.stopped[0].reason) == ("test", "enough")
    assert (busy.status_code, busy.json()["code"]) == (409, "already-running")


async def test_settings_of_two_devices_do_not_overwrite_each_other(
    client: httpx.AsyncClient, novel: str
) -> None:
    url = f"/manuscripts/{novel}/-/settings"
    before = await client.get(url)
    base = {"if-match": before.headers["etag"]}
    passes = await client.patch(url, json={"max_passes": 5}, headers=base)
    other = await client.patch(url, json={"instructions": "Be brief."}, headers=base)
    same = await client.patch(url, json={"max_passes": 7}, headers=base)
    wrong = await client.patch(url, json={"min_score": 2}, headers=base)
    now = (await client.get(url)).json()

    assert [passes.status_code, other.status_code, same.status_code] == [200, 200, 412]
    assert wrong.status_code == 422
    assert (now["max_passes"], now["instructions"]) == (5, "Be brief.")


async def test_what_the_agents_know_is_shown_with_who_stored_it(
    client: httpx.AsyncClient, novel: str
) -> None:
    url = f"/manuscripts/{novel}/-"
    base = (await client.get(f"{url}/settings")).headers["etag"]
    await client.patch(f"{url}/settings", json={"max_passes": 5}, headers={"if-match": base})
    every = (await client.get(f"{url}/variables")).json()
    passes = (await client.get(f"{url}/variables/max_passes")).json()
    words = (await client.get(f"{url}/variables/manuscript_word_count")).json()
    unknown = await client.get(f"{url}/variables/moods")
    actions = (await client.get(f"{url}/actions")).json()
    calls = (await client.get(f"{url}/calls")).json()

    assert (every["version"], every["items"]["max_passes"]) == (1, 5)
    assert [(each["value"], each["by"]) for each in passes["past"]] == [(5, "test")]
    assert (words["value"], words["tokens"]) == (9, 1)
    assert (unknown.status_code, unknown.json()["code"]) == (400, "unknown-variable")
    assert actions == calls == {"items": []}


async def test_a_run_is_estimated_before_it_begins(
    client: httpx.AsyncClient, novel: str, orders: OrderBook
) -> None:
    url = f"/manuscripts/{novel}/-"
    nothing = await client.get(f"{url}/estimate")
    base = {"if-match": (await client.get(f"{url}/settings")).headers["etag"]}
    await client.patch(f"{url}/settings", json={"instructions": "Be brief."}, headers=base)
    two, four = [
        {each["role"]: each for each in (await client.get(f"{url}/estimate", params=query)).json()["items"]}
        for query in ({"max_passes": 2}, {"max_passes": 4})
    ]

    assert (nothing.status_code, nothing.json()["code"]) == (409, "no-instructions")
    assert (two["critic"]["calls"], four["critic"]["calls"]) == (6, 10)
    assert {each["model"] for each in two.values()} == {"demo"}
    assert orders.given == []


async def test_citations_are_scanned_for_shown_and_decided(
    client: httpx.AsyncClient, novel: str, orders: OrderBook, services: StageServices
) -> None:
    url = f"/manuscripts/{novel}/-/citations"
    none = await client.get(url)
    scanned = await client.post(f"{url}/scan", json={"max_targets": 3}, headers=key())
    orders.proposes = a_review(services)
    cards = (await client.get(url)).json()
    both = await client.post(
        f"{url}/decide", json={"verb": "accept", "numbers": [1], "every": "all"}, headers=key()
    )
    decided = await client.post(f"{url}/decide", json={"verb": "accept", "numbers": [1]}, headers=key())

    assert (none.status_code, none.json()["code"]) == (404, "no-scan")
    assert scanned.json()["run_id"].startswith(f"citations~{novel}~-!")
    assert isinstance(orders.given[0], CitationScanInput)
    assert (orders.given[0].who, orders.given[0].max_targets) == ("test", 3)
    assert (cards["running"], cards["items"][0]["change"]["abstract"]) == (True, "Lamps are counted.")
    assert (both.status_code, both.json()["code"]) == (400, "nothing-named")
    assert decided.json()["counts"]["accepted"] == 1
    assert orders.decided == [CitationDecision(verb="accept", who="test", numbers=(1,))]


async def test_another_work_is_searched_for_and_chosen_and_a_rejection_has_a_reason(
    client: httpx.AsyncClient, novel: str, orders: OrderBook, services: StageServices
) -> None:
    url = f"/manuscripts/{novel}/-/citations"
    orders.proposes = a_review(services)
    searched = await client.post(f"{url}/1/search", json={"words": "lamps at dusk"}, headers=key())
    chosen = await client.post(f"{url}/1/choose", json={"other": 1}, headers=key())
    unknown = await client.post(f"{url}/1/choose", json={"other": 2}, headers=key())
    nothing = await client.post(f"{url}/1/search", json={"words": "  "}, headers=key())
    absent = await client.post(f"{url}/7/search", json={"words": "lamps"}, headers=key())
    why = {"verb": "reject", "numbers": [1], "reason": "about another coast"}
    await client.post(f"{url}/decide", json=why, headers=key())

    assert (searched.status_code, chosen.status_code) == (200, 200)
    by_words, by_choice = orders.searched
    assert by_words.query is not None
    assert (by_words.number, by_words.query.text) == (1, "lamps at dusk")
    assert [each.value for each in by_choice.identifiers] == ["10.5555/lamps.2"]
    assert (unknown.status_code, unknown.json()["code"]) == (409, "unknown-work")
    assert (nothing.status_code, nothing.json()["code"]) == (400, "nothing-to-search")
    assert absent.json()["code"] == "unknown-target"
    assert orders.decided[-1].reason == "about another coast"
    ruled = {"verb": "accept", "every": "verified", "abstracts": True}
    await client.post(f"{url}/decide", json=ruled, headers=key())
    assert (orders.decided[-1].every, orders.decided[-1].abstracts) == ("verified", True)


@for_each(
    "order, given",
    [
        ("write", {"instructions": "An essay."}),
        ("revise", {"instruction": "Shorter."}),
        ("citations/scan", {}),
    ],
)
async def test_a_run_is_known_by_the_id_of_its_answer_before_its_first_step(
    client: httpx.AsyncClient, novel: str, orders: OrderBook, order: str, given: dict[str, str]
) -> None:
    begun = await client.post(f"/manuscripts/{novel}/-/{order}", json=given, headers=key())
    shown = await client.get(f"/runs/{quote(begun.json()['run_id'], safe='')}")

    assert (begun.status_code, shown.status_code) == (202, 200)


async def test_a_token_for_one_novel_sees_no_other(
    api: Api, novel: str, services: StageServices, tmp_path: Path
) -> None:
    other = a_novel(services, tmp_path / "other")
    async with api.client(api.token(subjects=(f"novel/{novel}",))) as client:
        listed = (await client.get("/manuscripts")).json()["items"]
        mine = await client.get(f"/manuscripts/{novel}/-")
        theirs = await client.get(f"/manuscripts/{other}/-")

    assert [each["novel"] for each in listed] == [novel]
    assert (mine.status_code, theirs.status_code) == (200, 403)


def a_review(services: StageServices) -> ScanReview:
    """What a scan proposes for one sentence."""
    target = CitationTarget(number=1, kind="insert", sentence=1, text="The keeper counts the lamps at dusk.")
    change = CitationChange(after="The keeper counts the lamps.", abstract="Lamps are counted.")
    other = FoundWork(source="crossref", doi="10.5555/lamps.2", title="Lamps, counted")
    proposal = CitationProposal(target=target, state="verified", change=change, others=(other,))
    listed = ProposalList(proposals=(proposal,))
    kept = services.store.blobs.put(listed.model_dump_json().encode())
    standings = (TargetStanding(number=1, state="verified"),)
    return ScanReview(proposals=kept, standings=standings, counts=CitationCounts(found=1, verified=1))


async def test_a_scan_is_paused_as_any_other_run(
    client: httpx.AsyncClient, services: StageServices, novel: str, orders: OrderBook
) -> None:
    row = RunRow(run=f"citations/{novel}/-#s1", pipeline="citation-scan", subject=novel, stage="verify")
    services.store.records.note(row, [])

    paused = await client.post(f"/runs/citations~{novel}~-!s1/pause", headers=key())

    assert paused.status_code == 200
    assert orders.told == [(f"{novel}/-", "pause")]
