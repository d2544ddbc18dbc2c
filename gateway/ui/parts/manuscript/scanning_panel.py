"""AI Reference: how many sentences a scan may look up, what that may cost, and its beginning."""

from nicegui import background_tasks, ui

from gateway.desk.citations import estimating, scans
from gateway.desk.works.documents import Document
from gateway.ui import addresses
from gateway.ui.elements.html import box, link, text
from gateway.ui.elements.money import estimated
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.manuscript.drafting import Drafting
from gateway.ui.parts.tag_choice import tag_choice
from gateway.ui.visit import Visit
from penwright.domain.text.counted import counted
from penwright.errors import PenwrightError
from schemas.agent_state import MOST_TARGETS

_INSPECTED = ("existing_citations", "citation_targets")


class ScanningPanel:
    """The form of the next scan."""

    def __init__(self, visit: Visit, frame: Frame, found: Document) -> None:
        self._visit, self._frame, self._found = visit, frame, found

    def draw(self, now: Drafting) -> None:
        """The field, the buttons, and the variables of a scan."""
        with box(classes="row-of knobs"):
            most = now.stands.settings.max_targets
            self._most = ui.number("Sentences at most", value=most, min=1, max=MOST_TARGETS, precision=0)
            self._most.props("outlined dense").on_value_change(self._priced)
            self._cost = text("span", "", classes="soft")
            self._tag = tag_choice(self._visit, "scan")
        background_tasks.create(self._priced(), name="price of a scan")
        with box(classes="row-of"):
            action(
                self._frame,
                "Scan for sentences that need a source",
                self._scan,
                look="main",
                icon="manage_search",
            )
        with box("nav", label="Variables of a scan"), box("ul", classes="filters"):
            for each in _INSPECTED:
                with box("li"):
                    link(each.replace("_", " "), self._inspector(each))
        text("p", "Nothing enters the text before you accept it.", classes="soft")

    def _inspector(self, variable: str) -> str:
        novel, scene = self._found.novel.novel_id, self._found.scene
        return addresses.page("manuscripts", novel, scene, tab="inspect", variable=variable)

    def _max_targets(self) -> int | None:
        said = self._most.value
        return int(said) if isinstance(said, int | float) and not isinstance(said, bool) else None

    async def _scan(self) -> str:
        self._visit.require("run", f"novel/{self._found.novel.novel_id}")
        wish = scans.ScanWish(
            max_targets=self._max_targets(), tag=self._tag(), who=self._visit.principal.name
        )
        begun = await self._visit.ask_engine(scans.scan, self._found, wish, wait=None)
        return "the scan has begun" if begun.fresh else "a scan goes on already; nothing was started"

    async def _priced(self) -> None:
        """Say beside the field what the scan may cost."""
        place = self._cost
        try:
            said = await self._estimate()
        except PenwrightError as error:
            said = error.message
        if not place.is_deleted:
            place.set_text(said)

    async def _estimate(self) -> str:
        made = await self._visit.ask(estimating.estimate_now, self._found, self._max_targets())
        calls = sum(each.calls for each in made.roles)
        total = estimated([each.cost_micros for each in made.roles])
        return (
            f"at most {made.targets} of {made.sentences} sentences, about {counted(calls, 'call')}, {total}"
        )
