"""Attendance of a round, walked through from its start by what its passes recorded of comings and goings."""

from collections.abc import Iterable, Mapping

from schemas.scene import Round, SceneMessage


def present_at(message: SceneMessage, rounds: Mapping[int, Round]) -> frozenset[str] | None:
    """Return the ids of the characters who can have heard a message; None if its round is not known."""
    found = rounds.get(message.round)
    if found is None:
        return None
    speaker = {message.speaker_id} - {""}
    if message.speaker == "user":
        return frozenset(found.before.roster) | speaker
    return frozenset(_present_in_turn(found, message.stored)) | speaker


def _present_in_turn(played: Round, stored: int) -> set[str]:
    """Return those who were there when the turn of this message was taken; without such a turn, all ever."""
    present = set(played.before.roster)
    for made in played.passes:
        present |= {*made.applied.roster, *(each.who for each in made.applied.entries)}
        leaving = set(made.applied.leaving)
        for turn in (each for each in played.turns if each.pass_number == made.number):
            if _number(turn.message) == stored:
                return present
            if turn.message:
                present -= leaving & {turn.character}
        present -= leaving
    turns_of_passes = {made.number for made in played.passes}
    others = (each for each in played.turns if each.pass_number not in turns_of_passes)
    if any(_number(each.message) == stored for each in others):
        return present
    return set(played.before.roster).union(*(each.applied.roster for each in played.passes))


def _number(message: str) -> int:
    return int(message.rpartition("/")[2]) if message else 0


def heard_by_all(messages: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return those who heard every one of these messages; nobody, if there is none."""
    heard = tuple(messages)
    return frozenset.intersection(*heard) if heard else frozenset()
