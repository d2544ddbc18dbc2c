"""The pictures of a work, as charts that pages, terminals and SVG files render."""

from gateway.desk.book import overview
from gateway.desk.book.session_log import grown_text, written_sessions
from gateway.desk.operator import spending
from gateway.desk.principals import Principal
from gateway.desk.scene import views
from gateway.desk.scene.views import ShownEnvelope
from gateway.desk.services import Services
from gateway.desk.trace.traces import origins
from gateway.desk.works import inspecting
from gateway.desk.works.books import Book
from gateway.desk.works.documents import Document
from penwright.domain.charts import made
from penwright.domain.charts.values import Chart

_SESSIONS = 60


def of_book(services: Services, book: Book) -> tuple[Chart, ...]:
    """Words per session, how the text grew, and who wrote it; times are in the user's time zone."""
    status = overview.book_status(services, book)
    log = overview.sessions(services, book, _SESSIONS).entries
    return (
        made.words_per_session(written_sessions(log, zone=None), status.words_per_session),
        made.words_so_far(grown_text(log, zone=None), status.target_length),
        made.words_by_author(origins(services, book).disclosure.chapters),
    )


def of_document(services: Services, found: Document) -> tuple[Chart, ...]:
    """The score of each critique, over all runs; raises ``EngineUnavailable`` without a store."""
    with services.open_store() as store:
        actions = inspecting.actions(store, found.key)
    return (made.score_per_critique([each.score for each in actions if each.score is not None]),)


def of_scene(services: Services, scene: str) -> tuple[Chart, ...]:
    """Tokens per section of each prompt of the newest round; raises as ``looking.envelopes``."""
    return tuple(tokens_of(each) for each in views.envelopes(services, scene) if each.envelope)


def tokens_of(call: ShownEnvelope) -> Chart:
    """Tokens per section of one prompt, which must be there."""
    budget = call.envelope.budget if call.envelope else None
    sections = [(each.section, each.used, each.allotted) for each in (budget.sections if budget else ())]
    return made.tokens_per_section(f"Tokens of {call.who}, {call.step}", sections)


def of_cost(services: Services, principal: Principal, *, days: int) -> tuple[Chart, ...]:
    """Cost per day and per model, of the subjects that ``principal`` may see."""
    by_day = spending.spent(services, principal, "day", days=days)
    by_model = spending.spent(services, principal, "model", days=days)
    return (
        made.cost("day", [(each.name, each.cost_micros) for each in reversed(by_day)]),
        made.cost("model", [(each.name, each.cost_micros) for each in by_model]),
    )
