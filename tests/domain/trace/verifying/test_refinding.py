"""Finding recorded blocks again: manual edits never make a session's words count as lost."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.report import VerifyOptions, VerifyReport
from penwright.domain.trace.verifying.verifier import verify
from schemas.trace import TracedCommit
from schemas.workspace import Contributor, Rename
from tests.support.books.desks import Desk
from tests.support.books.repos import plan_of
from tests.support.ledgers.traces import PARAGRAPHS, REGISTRY_TEXT, Tampered, codes, publish_text, verified
from tests.support.sweeps import examples

REVIEW, OTHER = "Review/current.md", "Review/other.md"
LONG = (
    "The bell rang twice before anybody thought of the boats. "
    "Nobody had counted them since the winter, and the rope was gone from its hook."
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return fresh(tmp_path)


def fresh(root: Path) -> Desk:
    """A book with a registry and nothing written."""
    made = Desk(root, recorder=LedgerRecorder("test", BOOK_PROFILE))
    made.commit(".orchestration/active_intents.yaml", REGISTRY_TEXT)
    return made


def text_of(*paragraphs: str) -> str:
    return "\n\n".join(paragraphs)


def past_the_engine(desk: Desk, path: str, text: str) -> VerifyReport:
    """The findings about an engine commit without a record."""
    desk.commit(path, text + "\n")
    with desk.port.trace(desk.workspace) as source:
        return verify(Signed(source), VerifyOptions())


class Signed(Tampered):
    """A source whose newest commit says that a model made it."""

    def __init__(self, source: TraceSource) -> None:
        super().__init__(source, {})

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> Iterator[TracedCommit]:
        for commit in self.source.commits(since=since, bookkeeping=bookkeeping):
            by = {"Penwright-Contributor": "model"} if commit.sha == self.tip else {}
            yield commit._replace(trailers={**commit.trailers, **by})


def test_a_block_moved_to_another_file_by_hand_is_relocated(desk: Desk) -> None:
    publish_text(desk, text_of(*PARAGRAPHS[:3]))
    desk.commit(REVIEW, text_of(*PARAGRAPHS[1:3]) + "\n")
    desk.commit("aside.md", PARAGRAPHS[0] + "\n")
    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert report.blocks == {"present": 2, "relocated": 1}


def test_more_equal_blocks_than_recorded_are_ambiguous(desk: Desk) -> None:
    publish_text(desk, text_of(PARAGRAPHS[0], LONG, PARAGRAPHS[1]))
    desk.commit(
        REVIEW, text_of(PARAGRAPHS[0], "Aye.", LONG, "No.", PARAGRAPHS[1], "Aye.", LONG, "No.") + "\n"
    )
    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert codes(report, "info") == {"HUMAN_UNTRACED", "AMBIGUOUS"}
    assert report.blocks == {"present": 1, "moved": 1, "ambiguous": 1}


def test_scene_breaks_are_all_present_although_they_are_equal(desk: Desk) -> None:
    publish_text(desk, text_of(PARAGRAPHS[0], "* * *", PARAGRAPHS[1], "* * *", PARAGRAPHS[2]))
    assert verified(desk).blocks == {"present": 5}
    desk.commit(REVIEW, text_of("Mine.", "* * *", "Yours.", "* * *", "Ours.", *PARAGRAPHS[:3]) + "\n")
    assert codes(verified(desk), "error", "warning") == set()


@pytest.mark.parametrize(
    ("changed", "fate", "code"),
    [
        (
            text_of(PARAGRAPHS[0], *LONG.split(" Nobody", 1)).replace("had", "Nobody had"),
            "split",
            "BLOCK_SPLIT",
        ),
        (f"{PARAGRAPHS[0]} {LONG}", "joined", "BLOCK_JOINED"),
        (text_of(PARAGRAPHS[0], LONG.replace("bell", "horn")), "edited-untraced", "EDITED_UNTRACED"),
        (PARAGRAPHS[0], "lost", "LOST"),
    ],
)
def test_the_state_of_a_changed_block_follows_from_similarity(
    desk: Desk, changed: str, fate: str, code: str
) -> None:
    publish_text(desk, text_of(PARAGRAPHS[0], LONG))
    report = past_the_engine(desk, REVIEW, changed)
    assert code in codes(report)
    assert "UNTRACED" in codes(report)
    assert report.blocks[fate] >= 1


def test_a_block_edited_by_hand_is_information(desk: Desk) -> None:
    publish_text(desk, text_of(PARAGRAPHS[0], LONG))
    desk.commit(REVIEW, text_of(PARAGRAPHS[0], LONG.replace("bell", "horn")) + "\n")
    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert report.blocks == {"present": 1, "edited-untraced": 1}


def test_a_manual_edit_before_the_record_excuses_nothing(desk: Desk) -> None:
    desk.commit(REVIEW, "By hand.\n")
    publish_text(desk, text_of(PARAGRAPHS[0], LONG))
    assert "LOST" in codes(past_the_engine(desk, REVIEW, PARAGRAPHS[0]), "error")


def test_equal_blocks_removed_by_a_person_and_by_a_session_are_never_lost(desk: Desk) -> None:
    publish_text(desk, text_of(*[PARAGRAPHS[0]] * 3))
    desk.commit(REVIEW, "\n")
    publish_text(desk, text_of(*[PARAGRAPHS[0]] * 2))
    publish_text(desk, text_of(PARAGRAPHS[0], PARAGRAPHS[1], PARAGRAPHS[0]))
    publish_text(desk, "")
    assert codes(verified(desk, strict=True)) == set()


def test_a_block_an_engine_dropped_is_lost_although_a_person_edited_an_equal_one(desk: Desk) -> None:
    publish_text(desk, text_of(LONG, PARAGRAPHS[0]))
    desk.commit(REVIEW, PARAGRAPHS[0] + "\n")
    publish_text(desk, text_of(PARAGRAPHS[0], LONG))
    assert "LOST" in codes(past_the_engine(desk, REVIEW, PARAGRAPHS[0]), "error")


def test_a_renamed_file_takes_its_blocks_along(tmp_path: Path) -> None:
    desk = Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))
    desk.commit(".orchestration/active_intents.yaml", REGISTRY_TEXT)
    publish_text(desk, text_of(*PARAGRAPHS[:3]))
    held = desk.port.snapshot(desk.workspace, [REVIEW]).files[REVIEW]
    plan = plan_of(
        desk.workspace, Rename(path=REVIEW, to=OTHER, base=held.blob), contributor=Contributor.HUMAN
    )
    assert desk.port.publish(plan, desk.effect()).outcome == "published"
    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert report.blocks == {"present": 3}
    publish_text(desk, text_of(*PARAGRAPHS[:2]), path=OTHER)
    assert verified(desk).blocks == {"present": 2, "superseded": 1}


def test_promotion_moves_blocks_from_file_to_file_without_losing_one(desk: Desk) -> None:
    publish_text(desk, text_of(*PARAGRAPHS[:4]))
    publish_text(desk, text_of(*PARAGRAPHS[:2]), path=OTHER)
    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert report.blocks == {"present": 6}


edits = st.lists(
    st.tuples(
        st.sampled_from(["engine", "person", "saved"]),
        st.lists(st.sampled_from([*PARAGRAPHS, LONG, "* * *", "# Heading"]), max_size=7),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=examples(40), deadline=None)
@given(edits)
def test_the_ledger_stays_clean_under_alternating_edits(
    sequence: list[tuple[str, list[str], bool]],
) -> None:
    with TemporaryDirectory() as root:
        desk = fresh(Path(root))
        held = ""
        for who, paragraphs, wrapped in sequence:
            text = text_of(*(part.replace(" the ", "\nthe ") if wrapped else part for part in paragraphs))
            if who == "engine" and text != held:
                publish_text(desk, text)
                held = text
            elif who == "person":
                desk.commit(REVIEW, text + "\n")
                held = text
            elif who == "saved":
                desk.edit(REVIEW, text + "\n")
                desk.port.save_human_edits(desk.workspace, desk.effect(), known=("Review/*",), engine=())
                held = text
            report = verified(desk, strict=True)
            expected = set() if report.records else {"NO_LEDGER"}
            assert codes(report) == expected, report.findings
        assert "lost" not in verified(desk).blocks
