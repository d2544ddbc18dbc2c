"""A small agent to declare, render and open: a gardener with a shed that may be locked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition, Section, Skill, SkillFile
from penwright.agents.guardrails.guardrail import Allow, Call, Policy, Verdict
from penwright.agents.prompt.parameters import Parameters, bind
from penwright.agents.prompt.rendering import NO_OVERRIDES, Rendered, render
from penwright.agents.state import SliceItem, StateView
from penwright.agents.tools.offers import TextOverrides
from penwright.agents.tools.tool import Arguments, Ok, Tool, ToolContext, ToolExample, ToolResult

Item = TypeVar("Item", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Holding:
    """A state that holds these items."""

    items: tuple[BaseModel, ...] = ()

    def all(self, kind: type[Item]) -> tuple[Item, ...]:
        return tuple(item for item in self.items if isinstance(item, kind))

    def latest(self, kind: type[Item]) -> Item | None:
        return next(reversed(self.all(kind)), None)

    def newest(self, kind: type[Item], most: int) -> tuple[Item, ...]:
        return self.all(kind)[-most:] if most else ()

    def after(self, events: Sequence[BaseModel]) -> "Holding":
        return Holding((*self.items, *events))


class Season(Arguments):
    """What the garden's sections are filled with."""

    name: str
    weeks: int = 12
    note: str | None = None


class Bed(Arguments):
    """Which bed."""

    bed: str
    """Its letter."""
    litres: int = 5


class Locked(SliceItem):
    """The shed was locked or unlocked."""

    event_name: ClassVar[str] = "garden.locked"

    locked: bool


class Named(Policy):
    """Allows everything; only its name matters."""

    def check(self, call: Call, state: StateView) -> Verdict:
        return Allow()


async def no_work(params: Any, context: ToolContext) -> ToolResult:  # Any: of whichever tool
    return Ok()


def looked(params: Any, state: StateView) -> ToolResult:  # Any: as above
    return Ok(text="green")


def shed_open(params: BaseModel | None, state: StateView) -> bool:
    newest = state.latest(Locked)
    return newest is None or not newest.locked


def tool(name: str = "water", **changes: Any) -> Tool:  # Any: any field of a tool
    given = {"description": f"To {name}.", "params": Bed, "effect": "external", "handler": no_work}
    return Tool(name=name, **{**given, **changes})


def section(key: str = "beds", **changes: Any) -> Section:  # Any: any field of a section
    return Section(key=key, **{"title": key.title(), **changes})


def agent(*sections: Section, **changes: Any) -> AgentDefinition:  # Any: any field of a definition
    given = {"namespace": "garden", "key": "keeper", "title": "The gardener", "sections": sections}
    return AgentDefinition(**{**given, **changes})


def skill(name: str = "pruning", **changes: Any) -> Skill:  # Any: any field of a skill
    files = (
        SkillFile(path="SKILL.md", content=b"Cut above the bud."),
        SkillFile(path="pictures/bud.png", content=b"\x89PNG\xff"),
    )
    given = {"description": "How to prune.", "folder": f"tests:{name}", "files": files}
    return Skill(name=name, **{**given, **changes})


def gardener() -> AgentDefinition:
    """Beds in full; a shed with tools and a skill that may be locked; an almanac to read; a yard after it."""
    water = tool(
        examples=(ToolExample(description="A dry day.", params=Bed(bed="A", litres=9)),),
        effect="pure",
        handler=looked,
    )
    drawer = section("drawer", body="String and labels.", tools=(tool("label"),))
    cellar = section(
        "cellar", body="Potatoes lie here.", summary="A cellar.", visibility="summary", tools=(tool("store"),)
    )
    shed = section(
        "shed",
        body="Spades and forks.",
        summary="A shed with tools.",
        enabled=shed_open,
        visibility="summary",
        tools=(tool("dig"),),
        skills=(skill(),),
        policies=(Named(name="gloves"),),
        children=(drawer, cellar),
    )
    almanac = section("almanac", body="Frost until $name.", summary="Dates.", visibility="summary")
    return agent(
        section("beds", body="It is $name, for $weeks weeks.", params=Season, tools=(water,)),
        shed,
        almanac.model_copy(update={"params": Season}),
        section("yard", body="Sweep it; $$5 a week."),
        policies=(Named(name="daylight"),),
    )


def in_spring() -> Parameters:
    return bind(gardener(), [Season(name="spring")])


def rendered(
    state: StateView | None = None,
    overrides: TextOverrides = NO_OVERRIDES,
    definition: AgentDefinition | None = None,
) -> Rendered:
    """The gardener in spring, in this state."""
    return render(definition or gardener(), in_spring(), state or Holding(), overrides)
