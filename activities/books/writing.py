"""The writer's prompt for a book session, stored before it is sent."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from penwright.ports.blobs import Blobs
from penwright.roles.ink_writer import briefing
from schemas.book import SessionPayload
from schemas.book_session import Brief, WriteProse


@dataclass(frozen=True)
class WritingActivities:
    """Asks of any worker that reaches the store."""

    blobs: Blobs

    @activity.defn
    async def brief_writer(self, request: WriteProse) -> Brief:
        """The session's prompt; harmless to repeat.

        Raises:
            BrokenBook: ``context-too-small``.
        """
        return await asyncio.to_thread(self._brief, request)

    def _brief(self, request: WriteProse) -> Brief:
        payload = SessionPayload.model_validate_json(self.blobs.get(request.payload))
        prompt = briefing.render(payload, request.payload, request.index)
        return Brief(
            task=self.blobs.put(prompt.text.encode()),
            params={type(prompt.task).__name__: prompt.task.model_dump(mode="json")},
            turn_tokens=prompt.max_output_tokens,
            human_edits=payload.human_edits,
        )
