"""The tools of a novel that an outside agent is given."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import Field

from penwright.agents.tools.tool import Arguments
from penwright.roles.outside_agent.admission import OutsideTool
from schemas.patching import OperationKind

LONGEST_EDIT: Final = 1024 * 1024
"""Bytes of a call that carries operations, as JSON."""
MOST_OPERATIONS: Final = 200
_LONGEST_FIND = 20_000

Scene = Annotated[str, Field(min_length=1, max_length=200)]
Revision = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})?$")]
Session = Annotated[str, Field(max_length=100)]


class ListScenes(Arguments):
    pass


class ReadScene(Arguments):
    scene: Scene
    """A name from `list_scenes`; `-` is the whole-novel manuscript."""
    offset: Annotated[int, Field(ge=0)] = 0
    """Characters to skip; `next_offset` of the answer before."""
    revision: Revision = ""
    """Read on in the revision that you began with; empty: the newest."""


class SelectSceneIntent(Arguments):
    scene: Scene
    """The scene that you want to change."""
    intent_id: Annotated[str, Field(min_length=1, max_length=200)]
    """An intent in progress, such as INT-001."""
    session: Session = ""
    """Of a session of yours for this scene that goes on; empty: a new one."""


class SceneOperation(Arguments):
    kind: OperationKind = "replace"
    """`append` puts `replace` at the end of the scene; the others change or follow the passage `find`."""
    find: Annotated[str, Field(max_length=_LONGEST_FIND)] = ""
    """The passage, copied from the text, long enough to stand there only once; empty only for `append`."""
    replace: str = ""
    """The new text, taken literally. `delete` does not read it."""
    count: Annotated[int, Field(ge=1)] | Literal["all"] = 1
    """How many of the passages; 1 means the only one."""
    reason: Annotated[str, Field(max_length=2_000)] = ""
    """Why, in your words."""


class EditScene(Arguments):
    scene: Scene
    """The scene to change."""
    session: Session = ""
    """What `select_active_intent` gave you."""
    base: Revision = ""
    """The revision that you read; empty only for a scene that has no text yet."""
    operations: Annotated[tuple[SceneOperation, ...], Field(min_length=1, max_length=MOST_OPERATIONS)]
    """All are looked up in the text of `base`, and made together."""
    summary: Annotated[str, Field(max_length=200)] = ""
    """What the change is, in one line, for its commit."""


class SceneStatus(Arguments):
    scene: Scene
    """The scene that you ask about."""


_TOOLS = (
    OutsideTool("list_scenes", "List the scenes of the novel with their revisions.", ListScenes),
    OutsideTool(
        "read_scene",
        "Read the committed text of a scene, page by page, with its revision and its sections.",
        ReadScene,
    ),
    OutsideTool(
        "select_active_intent",
        "Say which intent you work for in a scene. Required before anything may be changed, and again after "
        "its entry was changed. Answers with a session, and the intent's scope, constraints and history.",
        SelectSceneIntent,
        writes=True,
    ),
    OutsideTool(
        "edit_scene",
        "Propose operations on a scene: one commit under the selected intent. Answers what became of each; "
        "of one that was not made, the nearest text there is.",
        EditScene,
        writes=True,
        longest=LONGEST_EDIT,
        shorter="send fewer operations",
    ),
    OutsideTool(
        "scene_status",
        "Show the revision of a scene and what runs on it. Changes nothing.",
        SceneStatus,
    ),
)
TOOLS: Mapping[str, OutsideTool] = MappingProxyType({tool.name: tool for tool in _TOOLS})

_SELECT = "call `select_active_intent` for this scene, then repeat the call with the session it gives you"
HINTS: Mapping[str, str] = MappingProxyType(
    {
        "bad-scene-name": "`list_scenes` shows the names there are",
        "document-busy": "wait until the run has ended (`scene_status` shows it); then read the scene again",
        "editing-busy": "repeat the call in a moment",
        "editing-ended": "repeat the call in a moment",
        "intent-changed": "call `select_active_intent` with your session again, see what it asks now, and "
        "repeat the call",
        "intent-not-selected": _SELECT,
        "intent-unknown": "name an intent that the message lists, or ask a person",
        "no-such-scene": "`list_scenes` shows those there are; `edit_scene` without `base` begins a new one",
        "no-such-version": "read the scene again, and name the revision that it has",
        "other-session": _SELECT,
        "scene-name-taken": "use the scene that the message names, or another name",
    }
)
"""Advice to the agent, in its own calls, where a book's agent would do something else."""
