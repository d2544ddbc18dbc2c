"""Next steps after a refusal, where the desk's own hint names a command and a page has a button."""

from penwright.errors import PenwrightError

_REOPENS = "it is complete; History can take it back to before the last session, which opens it again"
_INTENTS = "what a session may change is said by the book's intents, on the server's command line"
ON_PAGES = {
    # any work
    "already-running": "wait until it ends; the page of the work can pause and stop it",
    "not-acknowledged": "it acts as soon as a worker runs; Health shows the processes",
    "not-permitted": "sign in with a link that the user of this machine makes",
    "not-scheduled": "Write on a timetable on the page of the work makes a schedule",
    "no-proposed-outline": "it was answered already; load the page again",
    "no-such-finding": "the text was changed meanwhile, or it was decided already; load the page again",
    "not-in-story": "load the page again and choose a name that it lists",
    "no-such-fact": "the text was changed meanwhile; load the page again",
    "no-such-conflict": "it may be settled already; load the page again",
    "nothing-remembers": "it may have ended meanwhile; load the page again to see how",
    "nothing-reads": "it may have ended meanwhile; load the page again to see how",
    "nothing-runs": "it may have ended meanwhile; load the page again to see how",
    "nothing-to-approve": "it may be decided already; load the page again to see what runs",
    "nothing-to-export": "have a text written first, or write one",
    "run-ended": "load the page again to see how it ended",
    "run-stuck": "Health shows what is missing; the work on disk and in the store stays as it is",
    "stale-revision": "it was changed meanwhile; load the page again, then repeat",
    "stale": "it was changed meanwhile; load the page again, then repeat",
    "unknown-run": "Runs lists those that are known; old ones are forgotten",
    "changed-since": "take the citation out of the text by hand, under Write",
    "which-approval": "load the page again and answer the change that it shows",
    # the engine and its workers
    "engine-no-answer": "Health shows the processes and what is missing",
    "scan-over": "the Reference tab shows what it left",
    # books
    "is-a-novel": "it is listed under Manuscripts",
    "no-such-commit": "take a version that History shows",
    "no-such-tag": "take a restore point that History shows; the first session makes one",
    "nothing-written": "Runs shows what has begun",
    "unknown-book": "Books lists those that are registered",
    "unknown-format": "take one of the links under Export",
    "source-not-utf8": "save it as UTF-8 in the program that made it, then give it again",
    "source-not-text": "save it as plain text in the program that made it, then give it again",
    "no-such-chapters": "leave the field empty to see the chapters that are found without it",
    "bad-schedule": "choose days and an hour, or write a cron line such as 30 6 * * *",
    "already-complete": _REOPENS,
    "book-sealed": _REOPENS,
    "sealed": _REOPENS,
    "intent-not-writable": _INTENTS,
    "intent-owns-other-files": _INTENTS,
    "intent-unknown": _INTENTS,
    **dict.fromkeys(
        ("config-broken-yaml", "config-duplicate-key", "config-missing-key", "config-wrong-value"),
        "correct the file in the book's folder, or take back a version that History shows",
    ),
    "no-writable-intent": _INTENTS,
    # manuscripts
    "instruction-too-long": "give it in parts",
    "no-instructions": "say under Instructions what to write",
    "no-such-scene": "Manuscripts and Scenes list what there is",
    "no-such-version": "take a version that History shows",
    "scene-exists": "give the new one another name",
    "unknown-call": "What was done lists them",
    "unknown-novel": "Manuscripts lists those that are registered",
    "unknown-variable": "Inspector lists them",
    "unknown-version": "Inspector lists the versions that are kept",
    # citations
    "cited-already": "change it in the text, then scan again",
    "no-scan": "Scan for sentences that need a source, under AI Reference, makes one",
    "no-scan-runs": "it may have ended meanwhile; load the page again to see what was found",
    "nothing-waits": "load the page again to see what became of each",
    "not-waiting": "it was decided meanwhile; load the page again to see how",
    "nothing-cited": "accept a proposal under AI Reference first",
    "nothing-named": "take a card under AI Reference",
    "scan-runs": "wait until it ends, then load the page again to see how the proposals stand",
    "undone-already": "History lists the changes of the text",
    "unknown-target": "load the page again; AI Reference shows the sentences that there are",
    "unknown-work": "load the page again; the card shows the works that were found",
    # scenes
    "empty-message": "say something first",
    "empty-title": "write a title",
    "import-unfinished": "drop the same file onto Worlds once more, and the rest of it comes in",
    "in-use": "press Stop on the page of the scene, or wait until its round ends",
    **dict.fromkeys(
        ("context-too-small", "prompt-past-window"),
        "give prompts more room under Settings of the scene, or shorten its notes and cards",
    ),
    "no-cast": "bring characters in under Cast",
    "no-envelope": "Log shows who acted in each round",
    "unusable-reply": "have it written once more, or give the writer another model, see Settings",
    "no-image-model": "a model for images is set in penwright.toml on the server, see Settings",
    "no-message": "say something in the chat to have a reply made",
    "no-place": "choose a world",
    "no-plan-held": "Hold each plan under Direction has later ones wait",
    "no-round-runs": "say something in the chat to begin one",
    "no-such-alternative": "load the page again to see the alternatives that there are",
    "no-such-message": "it may have been taken back meanwhile; load the page again",
    "no-such-round": "Log has the rounds of the scene",
    "not-overruled": "Log shows what was overruled in each round",
    "not-taken": "it was given back meanwhile; load the page again",
    "seat-given": "take that seat away first",
    "no-such-seat": "it is over; load the page again",
    "nothing-to-undo": "Log has the rounds of the scene",
    "nothing-to-redo": "Log has the rounds of the scene",
    "which-take": "Log has the takes of the round, each with its button",
    "round-runs": "wait until it ends, or press Stop",
    "too-many-pictures": "Remove under Pictures takes one away",
    "unknown-to-round": "bring this one in under Cast when the round has ended",
    # what scenes share
    "already-imported": "you find it on this page by its name",
    "ambiguous-name": "give the id in place of the name",
    "bad-set": "write it into a field of the page",
    "bad-setting": "choose one that the page offers",
    "in-scenes": "take the character out of these scenes first: Send out, on the page of each",
    "no-content": "write what the entry says",
    "no-keys": "give the entry a key, or have it always fire",
    "no-such-arc": "Worlds shows the campaigns with their arcs",
    "no-such-campaign": "Worlds lists them all",
    "no-such-character": "Worlds lists them all",
    "no-such-entry": "the page of the lorebook lists its entries",
    "no-such-lorebook": "Worlds lists them all",
    "no-such-persona": "Worlds lists them all",
    "no-such-world": "Worlds lists them all",
}
"""Code of what was refused -> what to do on a page."""
_ELSEWHERE = "this is done on the server's command line"


def hint_of(error: PenwrightError) -> str:
    """In words of the page where there are some, otherwise the desk's; empty: there is none."""
    return words_for(error.code, error.details.get("hint", ""))


def words_for(code: str, hint: str) -> str:
    """As ``hint_of``, for a code and the desk's hint; of a command it says where that is used."""
    if words := ON_PAGES.get(code):
        return words
    return f"{_ELSEWHERE}: {hint}" if "penwright " in hint else hint
