"""Variables that no row keeps: texts are in the repository, a critique is in its critic's reply."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from pydantic import JsonValue

from gateway.desk.manuscript import scenes
from gateway.desk.services import CommandStore, Services
from gateway.desk.works import inspecting
from gateway.desk.works.documents import Document
from gateway.desk.works.novels import Novel
from penwright.adapters.tokens import EstimatedTokens
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.text.inline_citations import entries_in
from penwright.errors import PenwrightError
from penwright.roles.manuscript.critic.definition import read_critique
from penwright.roles.tasks.task_params import TaskParams
from schemas.agent_state import PastValue, StateKey
from schemas.base import OpId

_MOST = 50
TEXTS = ("current_manuscript", "manuscript_word_count", "existing_citations")
CRITIQUES = ("critique_summary", "action_items")


def variable(services: Services, found: Document, name: str) -> inspecting.VariableView:
    """Any variable with the values that it had; raises as ``inspecting.variable`` and ``scenes.show``."""
    if name in TEXTS:
        return of_text(services, found.novel, found.scene, name)
    with services.open_store() as store:
        if name in CRITIQUES:
            return of_critique(store, found.key, name)
        return inspecting.variable(store, found.key, name)


@dataclass(frozen=True, slots=True)
class KnownNow:
    """Everything that the agents know."""

    version: int
    views: tuple[inspecting.VariableView, ...]


def variables(services: Services, found: Document) -> KnownNow:
    """As ``inspecting.variables``, with the citations of the text as it is, not as the last scan saw it."""
    with services.open_store() as store:
        version = inspecting.state(store, found.key).version
        stored = inspecting.variables(store, found.key)
    citations = _citations_now(services, found)
    views = (replace(each, value=citations) if each.name == TEXTS[-1] else each for each in stored)
    return KnownNow(version, tuple(views))


def _citations_now(services: Services, found: Document) -> list[JsonValue]:
    try:
        return list(entries_in(scenes.show(services, found.novel, found.scene).text))
    except PenwrightError:  # no text yet, or none that can be read
        return []


def written_out(value: JsonValue) -> str:
    """A value as text: a text as it is, all else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def tokens(text: str) -> int:
    """About how many tokens a model counts in a text."""
    return EstimatedTokens().count("", [text])[0]


def of_text(services: Services, novel: Novel, scene: str, name: str) -> inspecting.VariableView:
    """The committed text of a scene, its words, or citations, by version; raises as ``scenes.show``."""
    found = tuple(islice(_texts(services, novel, scene, name), _MOST))
    return inspecting.VariableView(name, found[0].value if found else None, found)


def of_critique(store: CommandStore, key: StateKey, name: str) -> inspecting.VariableView:
    """View of the critics' replies, newest first; a reply that is not kept any more is left out."""
    found = tuple(islice(_critiques(store, key, name), _MOST))
    return inspecting.VariableView(name, found[0].value if found else None, found)


def _texts(services: Services, novel: Novel, scene: str, name: str) -> Iterator[PastValue]:
    for version in scenes.versions(services, novel, scene):
        shown = scenes.show(services, novel, scene, at=version.commit) if version.blob else None
        text, words = (shown.text, shown.words) if shown else ("", 0)
        values: dict[str, JsonValue] = dict(zip(TEXTS, (text, words, list(entries_in(text))), strict=True))
        op_id = OpId(version.commit)
        yield PastValue(version=0, at=version.at, by=version.author, op_id=op_id, value=values[name])


def _critiques(store: CommandStore, key: StateKey, name: str) -> Iterator[PastValue]:
    for entry in reversed(inspecting.actions(store, key)):
        run = entry.detail.get("agent_run")
        if entry.score is None or entry.code or not isinstance(run, str):
            continue
        said = _said(store, OpId(run))
        if said is not None:
            yield PastValue(version=0, at=entry.at, by=entry.run, op_id=entry.op_id, value=said[name])


def _said(store: CommandStore, agent_run: OpId) -> dict[str, JsonValue] | None:
    try:
        view = inspecting.call(store, agent_run)
        if view.reply is None:
            return None
        told = (TaskParams(),)
        reply = RawReply(view.reply.content, told, None, view.call.model, view.call.demo, store.blobs)
        return read_critique(reply).model_dump(mode="json")
    except PenwrightError:
        return None
