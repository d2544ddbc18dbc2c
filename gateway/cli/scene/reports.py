"""Scenes and rounds in words, at most 80 columns wide."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gateway.cli.live import money
from gateway.cli.tables import WIDTH
from gateway.cli.wrapping import wrap, wrapped
from penwright.domain.scene.board import unfinished
from penwright.domain.text.counted import counted
from penwright.domain.text.escaping import printable
from schemas.director import FIELDS, CastMember, StateChange
from schemas.director_round import NumberedResult
from schemas.scene import SceneMessage, SceneState, SceneView

_NONE = "-"


def message_lines(message: SceneMessage) -> list[str]:
    """One message: its number, who speaks, which alternative, and the words."""
    has = len(message.alternatives)
    which = f" [{message.chosen + 1} of {has}]" if has > 1 else ""
    stopped = " (stopped)" if message.stopped else ""
    gone = " (undone)" if message.undone else ""
    return [f"#{message.number} {printable(message.name)}{which}{stopped}{gone}", *paragraphs(message.text)]


def paragraphs(text: str, indent: str = "   ") -> list[str]:
    """A text in lines, its own line breaks kept."""
    return [
        part
        for line in text.splitlines()
        for part in wrap(printable(line), WIDTH, first=indent, rest=indent) or [""]
    ]


def scene_lines(view: SceneView, width: int = WIDTH) -> list[str]:
    """Lines on a scene: its place, who is in it, and its state."""
    located, names = view.located, _names(view)
    scene = located.scene
    above = f"{located.world.name} › {located.campaign.name} › {located.arc.name}"
    playing = f", round {view.running} runs" if view.running else ""
    lines = [printable(scene.title), f"   {scene.id}, in {printable(above)}"]
    if scene.branched_from:
        lines.append(f"   a branch of {scene.branched_from} after round {scene.branched_at}")
    lines.append(f"   {counted(view.rounds, 'round')}{playing}")
    if stands := unfinished(scene):
        lines += wrapped(
            "unfinished: ",
            f"{stands}; `penwright scene import FILE` with the same file and options "
            f"goes on, `penwright scene remove {scene.id}` takes it back",
            width,
        )
    persona = located.persona.name if located.persona else "none; you speak under your own name"
    present = ", ".join(_told_apart([each for each in view.cast if each.present])) or "nobody yet"
    lines += wrapped("cast:     ", present, width)
    lines += wrapped("persona:  ", persona, width)
    for name in ("scenario", "location", "time_of_day"):
        if said := getattr(scene.notes, name):
            lines += wrapped(f"{name.replace('_', ' ')}: ", said, width)
    asked = [*(f"{names.get(each, each)} must act" for each in scene.steering.force)]
    asked += [f"{names.get(each, each)} must not act" for each in scene.steering.veto]
    if asked:
        lines += wrapped("next:     ", ", ".join(asked), width)
    return [*lines, *state_lines(view.state, names, width)]


def _told_apart(people: Sequence[CastMember]) -> list[str]:
    """Their names, with the id where several have one name."""
    many = Counter(each.name for each in people)
    return [f"{each.name} ({each.id})" if many[each.name] > 1 else each.name for each in people]


def state_lines(state: SceneState, names: Mapping[str, str], width: int = WIDTH) -> list[str]:
    """State of each character, in lines, then facts and trackers."""
    lines = []
    for each in state.characters:
        told = [f"{field} {value}" for field in FIELDS if (value := getattr(each, field))]
        if told:
            lines += wrapped(f"{names.get(each.id, each.id)}: ", "; ".join(told), width)
    for word, kept in (("world", state.world), ("tracker", state.trackers)):
        for name, value in kept.items():
            lines += wrapped(f"{word} {name}: ", value, width)
    return lines


def ending_lines(
    ended: NumberedResult, spoken: int, notes: Sequence[str] = (), names: Mapping[str, str] | None = None
) -> list[str]:
    """Lines on the end of a round, and what can be done next.

    Args:
        notes: why no character acted.
        names: of characters, by id.
    """
    by = f" by {ended.stopped_by}" if ended.stopped_by else ""
    told = ended.message.removeprefix(f"ended{by}").removeprefix(": ")
    why = f": {told}" if told else ""
    name = ended.name.words if ended.round else "the round"
    lines = wrapped("", f"{name.capitalize()} {ended.outcome.replace('-', ' ')}{by}{why}.")
    said = "nobody acted" if ended.silent else counted(spoken, "reply", "replies")
    said = said.replace("replys", "replies")
    lines.append(f"{said}, {money(ended.cost_micros, ended.unknown_prices)}")
    for note in notes:
        lines += wrapped("the director was told: ", note)
    for warning in ended.warnings:
        lines += wrapped("warning: ", warning)
    if ended.left_over:
        lines += wrapped("left over: ", ", ".join(_called(ended.left_over, names)))
    if ended.failed:
        lines += wrapped("failed: ", ", ".join(_called(ended.failed, names)))
    scene = ended.scene
    return [*lines, *next_lines(f"penwright scene say {scene} TEXT", f"penwright scene continue {scene}")]


def _called(ids: Iterable[str], names: Mapping[str, str] | None) -> list[str]:
    return [(names or {}).get(each, each) for each in ids]


def next_lines(*commands: str) -> list[str]:
    """Commands that come next, each whole on a line of its own, so that it can be copied."""
    return [f"{'      ' if place else 'next: '}`{command}`" for place, command in enumerate(commands)]


def writer_lines(models: Sequence[str], *, is_demo: bool) -> list[str]:
    """Lines on the writers; the demo model is called by its name."""
    if is_demo:
        said = "Written by the demo model, which makes sentences without sense. "
        return wrapped("", said + "`penwright models --help` shows the lines that add a real one.")
    return wrapped("", f"Written by {', '.join(models)}.") if models else []


def demo_wrote(messages: Iterable[SceneMessage]) -> bool:
    """Whether the demo model wrote any alternative that is shown."""
    return any(each.alternatives[each.chosen].author.demo for each in messages)


def change_lines(change: StateChange, names: Mapping[str, str]) -> list[str]:
    """Old and new value of a field, and where the new one is from."""
    who = names.get(change.subject, change.subject)
    lost = ", overruled" if change.overruled else ""
    told = f"{change.old or _NONE} → {change.new or _NONE} ({change.source}{lost})"
    return wrapped(f"   {who}, {change.field}: ", told)


def _names(view: SceneView) -> dict[str, str]:
    persona = view.located.persona
    known = {each.id: each.name for each in view.cast}
    return known | ({persona.id: persona.name} if persona else {})
