"""``penwright demo scene``: three rounds by a director and a cast of two, with lore and a memory."""

from gateway.cli.demo_stage import Json, Stage
from gateway.cli.wrapping import wrapped

TITLE = "Harbour at dusk"
SETTINGS = "# The demo's own settings: every default.\n"
SAYINGS = (
    "Who lit the lamp on the jetty?",
    "I saw a light out on the water. Is that the ferry?",
    "Then who lit the lamp, if neither of you did?",
)
_WORLD = ("--description", "An island with one harbour, one road, and a lamp nobody has lit for years.")
_CAST = (
    ("Ann Quist", "Keeper of the ferry; dry, careful, kind to strangers.", "She has sold the ferry."),
    ("Bob Vane", "A surveyor who measures the road.", "The road will be closed."),
)
_LORE = (
    ("lamp", "The lamp on the jetty went out in the year of the great storm; to light it is a debt."),
    ("ferry", "The ferry crosses at slack water only, and never after dark."),
    ("lighthouse", "The lighthouse keeper left a logbook."),
)

_HISTORY = 4
"""Messages in a prompt."""


def play(stage: Stage) -> Json:
    """Every step of the demo, told on the way; returns its facts."""
    note = stage.out.note
    note("[2/6] a world, a cast of two, a lorebook …")
    scene = _laid_out(stage)
    note(f"      “{TITLE}” in Skerrow, with {' and '.join(name for name, _, _ in _CAST)}")
    rounds = []
    for number, saying in enumerate(SAYINGS, start=1):
        note(f"[{number + 2}/6] round {number}. Mira: “{saying}”")
        rounds.append(_told(stage, stage.call("scene", "say", scene, saying)))
    note("[6/6] what was in the prompts of the last round …")
    lore = _lore(stage, scene)
    recalled = _recalled(stage, scene)
    exported = stage.call("scene", "export", scene, "--to", "markdown")
    return {
        "scene": scene,
        "rounds": rounds,
        "lore": lore,
        "recalled": recalled,
        "transcript": str(stage.place / exported["path"]),
        "home": stage.environment["PENWRIGHT_HOME"],
    }


def closing_lines(facts: Json, *, kept: bool) -> list[str]:
    """Summary at the end of the demo, in lines."""
    replies = sum(len(each["replies"]) for each in facts["rounds"])
    lines = [
        "",
        f"rounds:      {len(facts['rounds'])}, {replies} replies, by the demo model, which makes no sense",
        f"lore:        {', '.join(facts['lore']['fired']) or 'nothing'} in the director's last prompt",
        f"memories:    {len(facts['recalled'])} recalled in the last round",
        f"transcript:  {facts['transcript']}",
    ]
    if kept:
        lines.append(f"play on:     PENWRIGHT_HOME={facts['home']} penwright scene play {facts['scene']}")
        lines.append(f"stop it all: PENWRIGHT_HOME={facts['home']} penwright down")
    return lines


def _laid_out(stage: Stage) -> str:
    stage.call("world", "create", "Skerrow", *_WORLD)
    for name, description, secret in _CAST:
        stage.call("character", "create", name, "--description", description, "--secrets", secret)
    stage.call("persona", "create", "Mira", "--description", "A stranger with a lantern.")
    stage.call("lore", "create", "Skerrow")
    for key, content in _LORE:
        stage.call("lore", "add", "Skerrow", "--title", key, "--key", key, "--content", content)
    stage.call("lore", "attach", "Skerrow", "--world", "Skerrow")
    cast = ",".join(name for name, _, _ in _CAST)
    made = stage.call("scene", "create", TITLE, "--world", "Skerrow", "--cast", cast, "--persona", "Mira")
    scene: str = made["scene"]
    # So short a history leaves the first round to the memories, as a long scene does.
    stage.call("scene", "form", scene, "--set", f"settings.history_messages={_HISTORY}")
    return scene


def _told(stage: Stage, ended: Json) -> Json:
    """The facts of a round, its replies told."""
    replies = [each for each in ended["messages"] if each["speaker"] != "user"]
    for each in replies:
        _note(stage, each["name"], each["text"])
    told = [{"name": each["name"], "text": each["text"]} for each in replies]
    return {"round": ended["round"], "status": ended["status"], "demo": ended["demo"], "replies": told}


def _lore(stage: Stage, scene: str) -> Json:
    """Titles of entries by what became of them, in the director's prompt."""
    verdicts = stage.call("scene", "why", scene)["calls"][0]["verdicts"]
    for each in verdicts:
        _note(stage, f"lore “{each['title']}” {each['outcome']}", each["why"])
    fired = [each["title"] for each in verdicts if each["outcome"] == "fired"]
    return {"fired": fired, "others": [each["title"] for each in verdicts if each["title"] not in fired]}


def _recalled(stage: Stage, scene: str) -> list[str]:
    """Collect what characters remembered in the last round."""
    shown = stage.call("scene", "show", scene, "--envelope")["envelopes"]
    recalled = [
        (each["who"], memory["round"], memory["text"])
        for each in shown
        for memory in (each["envelope"] or {}).get("memories", [])
        if each["who"] != "director"
    ]
    for who, round_, text in recalled[:2]:
        _note(stage, f"{who} recalls round {round_}", text)
    return [f"{who} recalls round {round_}: {text}" for who, round_, text in recalled]


def _note(stage: Stage, who: str, text: str) -> None:
    """One reply or the like; of a long one, how it begins."""
    head, *rest = wrapped(f"      {who}: ", text)
    stage.out.note(head + (f"\n      {rest[0].strip()} …" if rest else ""))
