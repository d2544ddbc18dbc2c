"""Segments that a branch reads of the scenes it comes from."""

from dataclasses import dataclass

from sqlalchemy import Connection, text

_LINE = text(
    """
    with recursive line (scene, parent, shared_to, branched_at, to_message, to_round, depth) as (
        select id, branched_from, shared_to, branched_at, 2147483647, 2147483647, 0
        from scenes where id = :scene
        union all
        select above.id, above.branched_from, above.shared_to, above.branched_at,
               least(line.to_message, line.shared_to), least(line.to_round, line.branched_at), line.depth + 1
        from line join scenes as above on above.id = line.parent
    )
    select scene, to_message, to_round from line order by depth
    """
)


@dataclass(frozen=True, slots=True)
class Segment:
    """A scene of the line, and the newest message and round of it that are seen.

    A message that a nearer scene holds is that one's copy: it was changed there, or kept there because it was
    changed in the scene it came from.
    """

    scene: str
    to_message: int
    to_round: int


def line_of(connection: Connection, scene: str) -> tuple[Segment, ...]:
    """The scene, the one it was branched from, and so on; empty if there is no such scene."""
    rows = connection.execute(_LINE, {"scene": scene})
    return tuple(Segment(row.scene, row.to_message, row.to_round) for row in rows)
