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
        "create": "gateway.cli.scene.creating:create",
        "form": "gateway.cli.worlds.scene:form",
        "list": "gateway.cli.scene.listing:list_",
        "show": "gateway.cli.scene.views:show",
        "play": "gateway.cli.scene.live_view.play:play",
        "say": "gateway.cli.scene.speaking:say",
        "continue": "gateway.cli.scene.speaking:continue_",
        "narrate": "gateway.cli.scene.speaking:narrate",
        "watch": "gateway.cli.scene.speaking:watch",
        "regenerate": "gateway.cli.scene.speaking:regenerate",
        "edit": "gateway.cli.scene.changing:edit",
        "choose": "gateway.cli.scene.changing:choose",
        "branch": "gateway.cli.scene.changing:branch",
        "undo": "gateway.cli.scene.changing:undo",
        "redo": "gateway.cli.scene.changing:redo",
        "picture": "gateway.cli.scene.picturing:picture",
        "pictures": "gateway.cli.scene.picturing:pictures",
        "note": "gateway.cli.scene.direction:note",
        "direct": "gateway.cli.scene.direction:direct",
        "approve": "gateway.cli.scene.direction:approve",
        "force": "gateway.cli.scene.steering:force",
        "veto": "gateway.cli.scene.steering:veto",
        "hand-over": "gateway.cli.scene.steering:hand_over",
        "cast": "gateway.cli.scene.casting:cast",
        "take-over": "gateway.cli.scene.casting:take_over",
        "give-back": "gateway.cli.scene.casting:give_back",
        "invite": "gateway.cli.scene.seating:invite",
        "seats": "gateway.cli.scene.seating:seats",
        "take-away": "gateway.cli.scene.seating:take_away",
        "pause": "gateway.cli.scene.steering:pause",
        "resume": "gateway.cli.scene.steering:resume",
        "stop": "gateway.cli.scene.steering:stop",
        "kill": "gateway.cli.scene.steering:kill",
        "state": "gateway.cli.scene.states:state",
        "why": "gateway.cli.scene.views:why",
        "report": "gateway.cli.charts.reporting:scene",
        "log": "gateway.cli.scene.listing:log",
        "events": "gateway.cli.scene.listing:events",
        "certify": "gateway.cli.scene.certifying:certify",
        "import": "gateway.cli.scene.chats:import_",
        "export": "gateway.cli.scene.chats:export",
        "remove": "gateway.cli.scene.creating:remove",
    },
)
