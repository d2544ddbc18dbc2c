"""Seats of scenes: characters that invited people play."""

from alembic import op

revision = "0023"
down_revision = "0022"

_SEATS = """
create table scene_seats (
    id text collate "C" primary key, digest text collate "C" not null unique,
    scene text collate "C" not null references scenes (id) on delete cascade,
    character text collate "C" not null references characters (id) on delete cascade,
    name text not null, since timestamptz not null, expires_at timestamptz not null,
    seen_at timestamptz, over_at timestamptz, over text, draft text not null default ''
);
create index scene_seats_by_scene on scene_seats (scene, since);
create unique index scene_seats_one_of_a_character on scene_seats (scene, character) where over is null;
"""


def upgrade() -> None:
    op.execute(_SEATS)
