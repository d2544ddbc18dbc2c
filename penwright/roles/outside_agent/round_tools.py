"""The tools of a scene that is played, for an outside agent."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import Field

from penwright.agents.tools.tool import Arguments
from penwright.roles.outside_agent.admission import OutsideTool

LONGEST_SAYING: Final = 512 * 1024
"""Bytes of a call that carries a message, as JSON."""

Name = Annotated[str, Field(min_length=1, max_length=200)]
MessageName = Annotated[str, Field(max_length=300)]
Text = Annotated[str, Field(min_length=1, max_length=100_000)]
RoundNumber = Annotated[int, Field(ge=0)]


class ShowPlay(Arguments):
    messages: Annotated[int, Field(ge=0, le=200)] = 20
    """How many of the newest messages."""
    before: RoundNumber = 0
    """Only messages with a lower number than this; 0: the newest ones."""


class Say(Arguments):
    text: Text
    """What the user of the scene says."""
    voice: Annotated[str, Field(max_length=200)] = ""
    """A character that a person took over and that says it; empty: the user's persona."""
    queue: bool = False
    """Wait for the end of a round that runs, in place of a refusal."""


class PlayOn(Arguments):
    queue: bool = False
    """As for `scene_say`."""


class Narrate(Arguments):
    text: Annotated[str, Field(max_length=20_000)] = ""
    """What to describe; empty: whatever is fitting."""
    queue: bool = False
    """As for `scene_say`."""


class Regenerate(Arguments):
    message: MessageName = ""
    """Number of a reply; empty: the whole last round."""
    queue: bool = False
    """As for `scene_say`."""


class EditPlayed(Arguments):
    message: MessageName
    """Number of the message."""
    text: Text
    """Its new text; the old one stays as an alternative."""


class ChoosePlayed(Arguments):
    message: MessageName
    """Number of the message."""
    number: Annotated[int, Field(ge=1)]
    """Which alternative; the first is 1."""


class UndoPlayed(Arguments):
    pass


class RedoPlayed(Arguments):
    round: RoundNumber = 0
    """Its number, for another take of the newest round; 0: the round that was taken back last."""
    take: RoundNumber = 0
    """Which take of it; 0: the only one that is not played."""


class BranchPlayed(Arguments):
    after: RoundNumber
    """The last round that both scenes share."""
    title: Name
    """The new scene's title."""


class StateField(Arguments):
    name: Name
    """`mood`, `location`, `activity`, `clothing` or `intentions`; of `world` and `tracker`, any name."""
    value: Annotated[str, Field(max_length=2_000)]
    """Its new value."""


class PlayState(Arguments):
    who: Annotated[str, Field(max_length=200)] = ""
    """A character, the persona, `world` or `tracker`; empty: everyone, without `fields`."""
    fields: Annotated[tuple[StateField, ...], Field(max_length=50)] = ()
    """What to set; empty: only show."""


class ApprovedActor(Arguments):
    who: Name
    """A character."""
    guidance: Annotated[str, Field(max_length=4_000)] | None = None
    """What it is told; null: as planned, which only those have who are in the plan."""


class Steer(Arguments):
    verb: Literal["force", "veto"]
    """`force`: acts next. `veto`: does not act. Of the round that runs, or else of the next one."""
    who: Name
    """A character."""


class TakeOver(Arguments):
    who: Name
    """A character."""
    back: bool = False
    """Have the model play it again."""


class MakePicture(Arguments):
    wish: Annotated[str, Field(max_length=4_000)] = ""
    """What is to be seen; empty: the moment as it is."""
    of: Annotated[str, Field(max_length=200)] = ""
    """A character, with whom the picture is kept; empty: the scene."""
    paint: bool | None = None
    """Whether a model for images paints it; null: if there is one."""


class ShowPictures(Arguments):
    of: Annotated[str, Field(max_length=200)] = ""
    """A character; empty: the scene."""


class RemovePicture(Arguments):
    number: Annotated[int, Field(ge=1)]
    """As `scene_pictures` has it."""
    of: Annotated[str, Field(max_length=200)] = ""
    """A character; empty: the scene."""


class ApprovePlan(Arguments):
    turns: Annotated[tuple[ApprovedActor, ...] | None, Field(max_length=50)] = None
    """Who acts, in this order; null: as planned."""
    pass_number: Annotated[int, Field(ge=0)] = 0
    """The pass whose plan you saw; 0: the one that waits."""


class StopPlay(Arguments):
    reason: Annotated[str, Field(max_length=500)] = ""
    """Kept in the round's history."""


class WhyLore(Arguments):
    who: Annotated[str, Field(max_length=200)] = "director"
    """Whose prompt: `director`, or a character."""
    round: RoundNumber = 0
    """0: the newest."""
    take: RoundNumber = 0
    """0: the one that is played."""
    entry: Annotated[str, Field(max_length=200)] = ""
    """Only entries that have this in their title."""


class ShowRound(Arguments):
    number: RoundNumber = 0
    """0: the newest."""
    take: RoundNumber = 0
    """0: the one that is played."""


_TOOLS = (
    OutsideTool("scene_show", "Show the scene: cast, states, trackers, newest messages.", ShowPlay),
    OutsideTool(
        "scene_say",
        "Say something. The director decides who answers, and the cast does; answers with their replies.",
        Say,
        writes=True,
        longest=LONGEST_SAYING,
    ),
    OutsideTool("scene_continue", "Play a round on without a message.", PlayOn, writes=True),
    OutsideTool(
        "scene_narrate",
        "Have the narrator describe something. No character acts, and no state changes.",
        Narrate,
        writes=True,
    ),
    OutsideTool(
        "scene_regenerate",
        "Have a reply, or the whole last round, made again. What was there stays as an alternative.",
        Regenerate,
        writes=True,
    ),
    OutsideTool(
        "scene_edit",
        "Give a message a text of your own. What was there stays as an alternative.",
        EditPlayed,
        writes=True,
        longest=LONGEST_SAYING,
    ),
    OutsideTool("scene_choose", "Take another alternative of a message.", ChoosePlayed, writes=True),
    OutsideTool(
        "scene_undo", "Take the newest round back, its states and memories included.", UndoPlayed, writes=True
    ),
    OutsideTool(
        "scene_redo",
        "Bring back a round that was taken back, or another take of the newest one.",
        RedoPlayed,
        writes=True,
    ),
    OutsideTool(
        "scene_branch",
        "Make a new scene of everything up to a round. You go on in the old one.",
        BranchPlayed,
        writes=True,
    ),
    OutsideTool(
        "scene_state",
        "Show states of characters, facts and trackers; with `fields`, set them.",
        PlayState,
        writes=True,
    ),
    OutsideTool("scene_steer", "Have a character act next, or keep it from acting.", Steer, writes=True),
    OutsideTool(
        "scene_approve",
        "Have the director's plan that waits for approval be played, as it is or as you want it.",
        ApprovePlan,
        writes=True,
    ),
    OutsideTool(
        "scene_take_over",
        "Play a character yourself from the next round on, by `voice` of `scene_say`; or give it back.",
        TakeOver,
        writes=True,
    ),
    OutsideTool(
        "scene_picture",
        "Have a picture of this moment, or of a character, described, and painted if a model can.",
        MakePicture,
        writes=True,
    ),
    OutsideTool("scene_pictures", "List the pictures of the scene, or of a character.", ShowPictures),
    OutsideTool("scene_remove_picture", "Take a picture away.", RemovePicture, writes=True),
    OutsideTool(
        "scene_stop", "End the round that runs, in mid-reply. What is spoken stays.", StopPlay, writes=True
    ),
    OutsideTool(
        "scene_round", "Show a round's timeline: plans, guidance, replies, changes of state.", ShowRound
    ),
    OutsideTool("scene_why", "Say for each lore entry why it was in a prompt, was not, or was cut.", WhyLore),
)
TOOLS: Mapping[str, OutsideTool] = MappingProxyType({tool.name: tool for tool in _TOOLS})

_SHOW = "`scene_show` shows what there is"
HINTS: Mapping[str, str] = MappingProxyType(
    {
        "ambiguous-name": "name it by its id",
        "context-too-small": "ask a person to raise `context_tokens` of the scene",
        "empty-message": "say something, or call `scene_continue`",
        "no-cast": "call `scene_steer` to bring a character in, or ask a person for a cast",
        "no-message": "`scene_show` numbers the replies; `scene_say` has one made",
        "no-envelope": "`scene_round` shows who was asked in a round",
        "no-plan-held": "`scene_round` shows the plan that is being played",
        "no-round-runs": "call `scene_say` or `scene_continue`",
        "no-such-alternative": _SHOW,
        "no-such-picture": "`scene_pictures` numbers them",
        "not-permitted": "name only who is or was in the scene, or ask a person to serve it with `--worlds`",
        "not-taken": "call `scene_take_over` first",
        "no-image-model": "leave `paint` out; a person may set a model for images",
        "no-guidance": "say what the character is told, as its `guidance`",
        "unknown-name": _SHOW,
        "no-such-character": _SHOW,
        "no-such-message": _SHOW,
        "no-such-round": "`scene_show` tells the number of the newest round",
        "nothing-to-undo": "go on with `scene_say`",
        "nothing-to-redo": "go on with `scene_say`",
        "round-runs": "repeat the call with `queue`, or call `scene_stop`",
        "seat-given": "leave the character to the person who plays it",
        "stale": "look with `scene_show`, then repeat the call",
        "unknown-field": "use mood, location, activity, clothing or intentions, or `world` or `tracker`",
    }
)
"""Advice to the agent, in its own calls, where a book's agent would do something else."""
