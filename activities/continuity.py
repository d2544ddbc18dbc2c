"""Activities of a book's reading: passages, the clerk's prompts, commits of readings."""

from dataclasses import dataclass
from datetime import datetime

from temporalio import activity

from activities.books.board_entries import BoardEntries
from activities.books.continuity_reader import ContinuityReader
from activities.books.reading import BookReader
from activities.books.side_runs import SideRuns
from activities.publishing import Planned, Publisher, in_one_repository
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.continuity.files import readings_path, write_readings
from penwright.domain.continuity.known import known
from penwright.domain.continuity.passages import Passage, unread_passages
from penwright.domain.continuity.reading import AT_ONCE, PIPELINE
from penwright.domain.continuity.story import BookStory
from penwright.domain.trailers import MODEL, joined_models
from penwright.ports.blobs import Blobs
from penwright.ports.records import Records
from penwright.ports.workspaces import Workspaces
from penwright.roles.ink_clerk.briefing import brief_of
from penwright.roles.ink_clerk.definition import READER
from schemas.book_session import Brief, PushBook
from schemas.continuity import (
    BriefClerk,
    EndReading,
    Gathered,
    GatherPassages,
    PassageRead,
    PassageText,
    Portion,
    PublishReadings,
    Reading,
    ReadingsPublished,
)
from schemas.workspace import Contributor, Create, Pushed


@dataclass(frozen=True)
class ContinuityActivities:
    """Activities for one host's repositories."""

    workspaces: Workspaces
    blobs: Blobs
    records: Records

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def gather_passages(self, request: GatherPassages) -> Gathered:
        """The next unread passages, and the number of all unread words."""
        story = self._reader.story(request.workspace, request.effect.issued_at)
        config = story.view.config
        if config.continuity == "off" and not request.by_hand:
            return Gathered()
        passages = unread_passages(story.told_blocks, _has_reading(story, request))
        words = sum(each.words for each in passages)
        if request.most_words and words > request.most_words and request.since is None:
            return Gathered(words_left=words)
        if passages and request.since is None:
            self._runs.begun(request, "read")
        return Gathered(
            portions=tuple(self._portion(each) for each in passages[:AT_ONCE]),
            words_left=words,
            language=config.language,
            context_tokens=config.context_window_tokens,
        )

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def brief_clerk(self, request: BriefClerk) -> Brief:
        """The clerk's prompt for one passage; harmless to repeat."""
        story = self._reader.story(request.workspace, request.effect.issued_at)
        fresh = (Reading.model_validate_json(self.blobs.get(each)) for each in request.read)
        return brief_of(request, known((*story.read.readings, *fresh), story.told_blocks), self.blobs)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def publish_readings(self, request: PublishReadings) -> ReadingsPublished:
        """Commit readings as one file, which is never changed afterwards."""
        publisher = Publisher(self.workspaces, self.blobs, BOOK_PROFILE)
        done = publisher.found(request, ReadingsPublished) or publisher.commit(
            request, ReadingsPublished, "read", Contributor.ENGINE, lambda: self._plan(request)
        )
        commit = done.published.commit if done.published else None
        return done.outcome.model_copy(update={"commit": commit})

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def push_readings(self, request: PushBook) -> Pushed:
        """Bring the remote up to date."""
        return self._runs.push(self.workspaces, request)

    @activity.defn
    def end_reading(self, request: EndReading) -> None:
        """Note the run's end, for lists; one that found nothing to do is in none."""
        if request.result.passages or request.result.outcome != "completed":
            self._runs.ended(request.result, request.effect, words=request.result.words)
            BoardEntries(self.records).reading(request.result, request.effect.issued_at)

    @property
    def _runs(self) -> SideRuns:
        return SideRuns(self.records, PIPELINE)

    @property
    def _reader(self) -> ContinuityReader:
        return ContinuityReader(BookReader(self.workspaces, self.blobs))

    def _portion(self, passage: Passage) -> Portion:
        stored = self.blobs.put(passage.value.model_dump_json().encode())
        return Portion(text=stored, words=passage.words, chapter=passage.chapter)

    def _plan(self, request: PublishReadings) -> Planned[ReadingsPublished]:
        at = request.effect.issued_at
        pairs = zip(request.portions, request.read, strict=True)
        readings = [self._reading(portion, read, at) for portion, read in pairs]
        path = readings_path(request.session, request.batch)
        words = sum(each.words for each in readings)
        models = joined_models(*(each.model for each in readings))
        return Planned(
            ReadingsPublished(path=path),
            (Create(path=path, content=write_readings(readings)),),
            f"Read {words:,} words for the book's continuity",
            ((MODEL, models),) if models else (),
        )

    def _reading(self, portion: Portion, read: PassageRead, at: datetime) -> Reading:
        """A passage of which there is none gets an empty one: it is not asked for in each run."""
        if read.reading is not None:
            return Reading.model_validate_json(self.blobs.get(read.reading))
        passage = PassageText.model_validate_json(self.blobs.get(portion.text))
        return Reading(
            blocks=passage.blocks,
            reader=READER,
            at=at.isoformat(timespec="seconds"),
            words=portion.words,
            failure=read.failure,
        )


def _has_reading(story: BookStory, request: GatherPassages) -> frozenset[str]:
    """Blocks that are not to be read; on ``again`` only those that this clerk, or this run, has read."""
    since = request.since.isoformat(timespec="seconds") if request.since else None
    return frozenset(
        block
        for each in story.read.readings
        if not request.again or _stands(each, since)
        for block in each.blocks
    )


def _stands(reading: Reading, since: str | None) -> bool:
    ours = reading.reader == READER and not reading.failure
    return ours or (since is not None and reading.at >= since)
