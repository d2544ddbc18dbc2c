"""Activities of an agent's run in the store: its pins, its messages, its transcript, its end."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from temporalio import activity

from activities.agents.chain_recovery import recover_chain
from activities.agents.conversation import Conversation
from activities.agents.transcripts import Transcripts
from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.manifest import definition_digest
from penwright.agents.prompt.overrides import resolve, unknown_tag
from penwright.domain.models.choice import role_of
from penwright.errors import ChainBroken, NotFound, PassingError
from penwright.ports.agents import OverrideFiles
from penwright.ports.notices import Notifier
from penwright.roles import catalogue
from schemas.agent_run import (
    AnnounceCall,
    ChainHead,
    EndRun,
    NewMessage,
    Pins,
    Prepared,
    PrepareRun,
    Stored,
    StoreMessages,
)
from schemas.overrides import ResolvedOverrides


@dataclass(frozen=True)
class AgentRunActivities:
    """The steps of a run that need no model and no tool."""

    overrides: OverrideFiles
    conversation: Conversation
    transcripts: Transcripts
    notifier: Notifier
    tags: Mapping[str, str] = field(default_factory=dict)
    """Of the override sets that settings name, by role."""

    @activity.defn
    async def prepare_run(self, request: PrepareRun) -> Prepared:
        """Look the agent up, resolve its overrides, and pin both for the whole run."""
        return await asyncio.to_thread(self._prepared, request)

    def _prepared(self, request: PrepareRun) -> Prepared:
        definition = catalogue.find(request.agent).definition
        tag = self._tag(definition, request)
        resolved = self._resolved(definition, tag)
        kept = self.conversation.blobs.put(resolved.model_dump_json().encode()) if resolved.texts else None
        return Prepared(
            pins=Pins(
                definition=definition_digest(definition),
                overrides=resolved.digest,
                overrides_at=kept,
            ),
            overrides=resolved,
            override_tag=tag,
        )

    def _tag(self, definition: AgentDefinition, request: PrepareRun) -> str:
        """The run's own tag, else that of its pipeline if the agent has such a set, else its profile's."""
        if request.override_tag:
            return request.override_tag
        if request.shared_tag in self.overrides.tags(definition.namespace, definition.key):
            return request.shared_tag
        return self.tags.get(role_of(request.model_role), "")

    def _resolved(self, definition: AgentDefinition, tag: str) -> ResolvedOverrides:
        if not tag:
            return ResolvedOverrides()
        found = self.overrides.read(definition.namespace, definition.key, tag)
        if found is None:
            raise unknown_tag(definition, tag, self.overrides.tags(definition.namespace, definition.key))
        return resolve(definition, found)

    @activity.defn
    async def store_messages(self, request: StoreMessages) -> Stored:
        """Store all messages before the run continues as new."""
        head = await self._appended(request.run_id, request.head, request.new)
        await asyncio.to_thread(self.transcripts.keep, request.run_id, request.subject, request.entries)
        return Stored(head=head)

    async def _appended(
        self, run_id: str, head: ChainHead | None, new: Sequence[NewMessage]
    ) -> ChainHead | None:
        """The chain with ``new``; messages that the store has lost are put back before."""
        try:
            return await asyncio.to_thread(self._held, run_id, head, new)
        except ChainBroken as broken:
            await recover_chain(self.conversation, run_id, head, broken)
            return await asyncio.to_thread(self._held, run_id, head, new)

    def _held(self, run_id: str, head: ChainHead | None, new: Sequence[NewMessage]) -> ChainHead | None:
        if head is not None and not new:
            return self.conversation.chains.append(head, ())
        return self.conversation.append(run_id, head, new)

    @activity.defn
    async def announce_call(self, request: AnnounceCall) -> None:
        """Tell people that a call waits for one of them."""
        await asyncio.to_thread(self._tell, request)

    def _tell(self, request: AnnounceCall) -> None:
        asked = request.request
        failed = self.notifier.notify(
            title=f"{request.subject}: a call of {asked.tool} waits for you",
            body=(
                f"{request.agent} wants to call {asked.tool} with {asked.arguments}. "
                f"Decide with `penwright run approve {request.run_id} --call {asked.id}` or "
                f"`penwright run deny {request.run_id} --call {asked.id}` "
                f"before {asked.expires_at:%Y-%m-%d %H:%M} UTC."
            ),
            key=request.effect.op_id,
            data=request.model_dump(mode="json", exclude={"effect"}),
        )
        if failed:
            raise PassingError("notify-failed", f"could not notify {', '.join(failed)}; trying again")

    @activity.defn
    async def end_run(self, request: EndRun) -> None:
        """The last step of every run; each part is harmless to repeat."""
        ending = request.result
        try:
            await self._appended(ending.run_id, request.head, request.new)
        except (ChainBroken, NotFound):
            # The store has lost a text, or its histories do not hold the messages any more; that must not
            # keep the run from ending.
            activity.logger.exception("the messages of %s are lost", ending.run_id)
        await asyncio.to_thread(self.transcripts.keep, ending.run_id, ending.subject, request.entries, ending)
