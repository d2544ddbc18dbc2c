"""Texts of own sources by passage, found by words and by meaning."""

from alembic import op

revision = "0022"
down_revision = "0021"

_LIBRARY = """
create table library_texts (
    blob text not null, rules integer not null, model text not null, work json not null,
    pages integer, without_text json not null, words bigint not null, passages integer not null,
    used_at timestamptz not null, primary key (blob)
);
create table library_passages (
    blob text not null references library_texts (blob) on delete cascade, number integer not null,
    page integer, section text not null, text text not null, is_reference_list boolean not null,
    words tsvector not null, vector real[], primary key (blob, number)
);
create index library_passages_by_words on library_passages using gin (words);
"""


def upgrade() -> None:
    op.execute(_LIBRARY)
