"""Of the entries of one group only one goes into the prompt."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from penwright.domain.lore.draws import chosen, draw
from penwright.domain.lore.judging import Ruling, shown


@dataclass(slots=True)
class Draws:
    """The draws of one scan; a group is decided once."""

    seed: str
    _winners: dict[str, Ruling] = field(default_factory=dict)

    def apply(self, fired: Sequence[Ruling]) -> list[Ruling]:
        """Let groups and probabilities decide: each ruling, or the one that takes its place.

        The winner of a group may still lose by its probability; then the group has none.
        """
        left = sorted(fired, key=lambda ruling: ruling.ref)
        lost: list[Ruling] = []
        for group in sorted({group for ruling in left for group in ruling.entry.groups}):
            rivals = [ruling for ruling in left if group in ruling.entry.groups]
            if not rivals:
                continue
            winner = self._winners.setdefault(group, self._winner(group, _with_most_keys(rivals)))
            losers = [ruling for ruling in rivals if ruling is not winner]
            name = shown(winner.entry.title or winner.entry.uid)
            lost += [each.but("group", f", but {name} won the group {shown(group)}") for each in losers]
            left = [ruling for ruling in left if ruling not in losers]
        return [*map(self._by_chance, left), *lost]

    def _winner(self, group: str, rivals: Sequence[Ruling]) -> Ruling:
        """Pick the winner: what stays, then what wins undrawn (of several the highest order), then a draw."""
        staying = [ruling for ruling in rivals if ruling.stays] or rivals
        if favoured := [ruling for ruling in staying if ruling.entry.group_wins]:
            return max(favoured, key=lambda ruling: ruling.entry.order)
        weights = [ruling.entry.group_weight for ruling in staying]
        return staying[chosen(weights, self.seed, "group", group)]

    def _by_chance(self, ruling: Ruling) -> Ruling:
        chance = ruling.entry.probability
        if ruling.stays or chance >= 100:
            return ruling
        drawn = draw(100, self.seed, "entry", ruling.book.id, ruling.entry.uid)
        if drawn < chance:
            return ruling.but("fired", f"; the draw was {drawn}, below {chance}")
        return ruling.but("chance", f", but the draw was {drawn}, and it must be below {chance}")


def _with_most_keys(rivals: Sequence[Ruling]) -> Sequence[Ruling]:
    """Leave out the scored ones with fewer keys that occur than another has; none if one stays."""
    if any(ruling.stays for ruling in rivals):
        return rivals
    most = max(ruling.score for ruling in rivals)
    return [each for each in rivals if each.score == most or not each.entry.group_scored]
