"""The prompts of a book session's writer, planner and editor, stored before they are sent."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from penwright.ports.blobs import Blobs
from penwright.roles.ink_planner import briefing as planners_briefing
from penwright.roles.ink_session_editor import briefing as editors_briefing
from penwright.roles.ink_writer import briefing
from schemas.book import SessionPayload
from schemas.book_session import Brief, EditProse, PlanChapter, WriteProse


@dataclass(frozen=True)
class WritingActivities:
    """Activities for any worker that reaches the store."""

    blobs: Blobs

    @activity.defn
    async def brief_writer(self, request: WriteProse) -> Brief:
        """The session's prompt; harmless to repeat."""
        return await asyncio.to_thread(self._brief, request)

    @activity.defn
    async def brief_editor(self, request: EditProse) -> Brief:
        """The prompt of the session's editor; harmless to repeat."""
        return await asyncio.to_thread(editors_briefing.brief_of, request, self.blobs)

    @activity.defn
    async def brief_planner(self, request: PlanChapter) -> Brief:
        """The prompt of the session's planner; harmless to repeat."""
        return await asyncio.to_thread(planners_briefing.brief_of, request, self.blobs)

    def _brief(self, request: WriteProse) -> Brief:
        payload = SessionPayload.model_validate_json(self.blobs.get(request.payload))
        prompt = briefing.render(payload, request.payload, request.index)
        return Brief(
            task=self.blobs.put(prompt.text.encode()),
            params={type(prompt.task).__name__: prompt.task.model_dump(mode="json")},
            turn_tokens=prompt.max_output_tokens,
            context_tokens=payload.config.context_window_tokens,
            human_edits=payload.human_edits,
            awaits_editor=payload.config.craft == "edit" and prompt.task.words_wanted > 0,
        )
