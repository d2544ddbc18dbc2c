"""``penwright scene``: every verb for scenes."""

from gateway.cli.lazy import lazy_group

_HELP = """\
Play scenes: a director decides who acts, and a cast of characters answers.

A scene belongs to an arc of a campaign of a world. ID is a scene's id, or its title.

\b
Begin:      create, form, import, remove
Play:       play, say, continue, narrate, watch
Again:      regenerate, edit, choose, undo, redo, branch
Steer:      cast, note, direct, approve, force, veto, hand-over, take-over,
            give-back, pause, resume, stop, kill
Table:      invite, seats, take-away
Look:       list, show, state, why, report, log, events, certify
Pictures:   picture, pictures
Take away:  export
"""

group = lazy_group(
    _HELP,
    {
        "create": ("gateway.cli.scene.creating:create", "Make a scene in an arc, or in a world."),
        "form": (
            "gateway.cli.worlds.scene:form",
            "Edit title, notes, persona and settings of a scene in your editor.",
        ),
        "list": ("gateway.cli.scene.listing:list_", "List the scenes, and what runs in them."),
        "show": (
            "gateway.cli.scene.views:show",
            "Show cast, state and the newest messages; a round; or an envelope.",
        ),
        "play": (
            "gateway.cli.scene.live_view.play:play",
            "Play on this terminal; replies show as they come.",
        ),
        "say": (
            "gateway.cli.scene.speaking:say",
            "Say something; the director decides who answers, and the cast does.",
        ),
        "continue": ("gateway.cli.scene.speaking:continue_", "Play on without a message."),
        "narrate": (
            "gateway.cli.scene.speaking:narrate",
            "Have the narrator describe something; nobody else acts, and no state changes.",
        ),
        "watch": (
            "gateway.cli.scene.speaking:watch",
            "Follow the round that runs, or show how the last one ended.",
        ),
        "regenerate": (
            "gateway.cli.scene.speaking:regenerate",
            "Have a reply, or the last round, made again; the old stays as an alternative.",
        ),
        "edit": (
            "gateway.cli.scene.changing:edit",
            "Give a message a text of your own; the old one stays as an alternative.",
        ),
        "choose": ("gateway.cli.scene.changing:choose", "Take another alternative of a message."),
        "branch": (
            "gateway.cli.scene.changing:branch",
            "Make a new scene of all up to a round; memories and states come along.",
        ),
        "undo": (
            "gateway.cli.scene.changing:undo",
            "Take the newest round back: its messages, states and memories.",
        ),
        "redo": (
            "gateway.cli.scene.changing:redo",
            "Bring back a round that was taken back, or another take of the last one.",
        ),
        "picture": (
            "gateway.cli.scene.picturing:picture",
            "Have a picture of this moment described, and painted by a model for images.",
        ),
        "pictures": (
            "gateway.cli.scene.picturing:pictures",
            "List the pictures of a scene or character, save one, or take one away.",
        ),
        "note": (
            "gateway.cli.scene.direction:note",
            "Tell the director something, for one round or for all that follow.",
        ),
        "direct": (
            "gateway.cli.scene.direction:direct",
            "Ask the director for something; its plan waits for your word.",
        ),
        "approve": (
            "gateway.cli.scene.direction:approve",
            "Have the plan that waits be played, as it is or as you want it.",
        ),
        "force": (
            "gateway.cli.scene.steering:force",
            "Have a character act next: in the round that runs, or else in the next one.",
        ),
        "veto": (
            "gateway.cli.scene.steering:veto",
            "Keep a character from acting in the round that runs, or else in the next one.",
        ),
        "hand-over": (
            "gateway.cli.scene.steering:hand_over",
            "Speak as another persona from the next round on.",
        ),
        "cast": (
            "gateway.cli.scene.casting:cast",
            "Show who is present and who else may come, or have characters come and go.",
        ),
        "take-over": (
            "gateway.cli.scene.casting:take_over",
            "Play a character yourself from the next round on.",
        ),
        "give-back": (
            "gateway.cli.scene.casting:give_back",
            "Have the model play a character again, from the next round on.",
        ),
        "invite": (
            "gateway.cli.scene.seating:invite",
            "Invite a person to play a character; prints the link, which is shown once.",
        ),
        "seats": (
            "gateway.cli.scene.seating:seats",
            "List who was invited, who is at the table, and which seats are over.",
        ),
        "take-away": (
            "gateway.cli.scene.seating:take_away",
            "End a seat at once: its link opens nothing, and the model plays again.",
        ),
        "pause": ("gateway.cli.scene.steering:pause", "Pause the round after its current step."),
        "resume": ("gateway.cli.scene.steering:resume", "Resume a paused round."),
        "stop": (
            "gateway.cli.scene.steering:stop",
            "End the round in mid-reply: what is spoken stays, nobody else acts.",
        ),
        "kill": (
            "gateway.cli.scene.steering:kill",
            "End the round at once, whatever it does; what is spoken stays.",
        ),
        "state": ("gateway.cli.scene.states:state", "Show or set states, facts, trackers and settings."),
        "why": (
            "gateway.cli.scene.views:why",
            "Say for each lore entry why it fired, did not, or was cut.",
        ),
        "report": (
            "gateway.cli.charts.reporting:scene",
            "Show the tokens of each section of the newest round's prompts.",
        ),
        "log": (
            "gateway.cli.scene.listing:log",
            "List the rounds: outcome, who spoke, cost. The oldest comes first.",
        ),
        "events": (
            "gateway.cli.scene.listing:events",
            "Print what happened since a cursor, each event once, in order.",
        ),
        "certify": (
            "gateway.cli.scene.certifying:certify",
            "Check that no prompt of a character held what it had not witnessed.",
        ),
        "import": (
            "gateway.cli.scene.chats:import_",
            "Make a scene of a SillyTavern chat or our own JSON, with every alternative.",
        ),
        "export": (
            "gateway.cli.scene.chats:export",
            "Write a scene as Markdown, JSON or a SillyTavern chat.",
        ),
        "remove": ("gateway.cli.scene.creating:remove", "Delete a scene with all that happened in it."),
    },
)
