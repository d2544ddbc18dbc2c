"""Changes of a person to a director's plan before it was played."""

from collections.abc import Mapping

from schemas.scene import PassRecord


def changes_in_words(record: PassRecord, names: Mapping[str, str]) -> tuple[str, ...]:
    """One sentence for each change; none where the plan was played as the director made it.

    Args:
        names: names of characters by id.
    """
    if record.planned is None:
        return ()
    before = {each.character: each.guidance for each in record.planned}
    after = {each.character: each.guidance for each in record.applied.turns}
    told = [f"{names.get(each, each)} was struck." for each in before if each not in after]
    for who, guidance in after.items():
        name = names.get(who, who)
        if who not in before:
            told.append(f"{name} was added.")
        elif before[who] != guidance:
            told.append(f"{name} was to be told: {before[who] or 'nothing'}")
    if [each for each in before if each in after] != [each for each in after if each in before]:
        told.append(f"The director's order was {', '.join(names.get(each, each) for each in before)}.")
    return tuple(told)
