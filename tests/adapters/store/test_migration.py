"""Bringing the tables up to date."""

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import get_args

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from penwright.adapters.store import open_store
from penwright.adapters.store.database import parse_url
from penwright.adapters.store.migration import (
    current_revision,
    finds_by_meaning,
    head_revision,
    upgrade,
)
from penwright.adapters.store.migrations.versions import masked_remotes
from penwright.adapters.store.tables import metadata
from penwright.errors import PermanentError, Refused, StoreUnavailable
from schemas.memory import Memory, MemoryQuery, Vectors
from schemas.records import Spending, SpendingBy
from tests.adapters.store.builders import NOON, SetClock
from tests.adapters.store.scenes.builders import a_branch, a_memory, a_scene, an_edit, play
from tests.support.engine.migrating import upgrade_to
from tests.support.engine.postgres import Template

pytestmark = pytest.mark.server


@pytest.fixture
def empty_url(database_template: Template) -> Iterator[str]:
    name = database_template.empty()
    yield database_template.url(name)
    database_template.drop(name)


def test_an_empty_database_reaches_the_newest_revision(empty_url: str) -> None:
    before = current_revision(empty_url)

    reached = upgrade(empty_url)

    assert before is None
    assert reached == current_revision(empty_url) == head_revision()


def test_upgrading_again_changes_nothing(empty_url: str) -> None:
    upgrade(empty_url)

    assert upgrade(empty_url) == head_revision()


def test_processes_that_start_together_upgrade_once(empty_url: str) -> None:
    with ThreadPoolExecutor(4) as starters:
        reached = list(starters.map(lambda _: upgrade(empty_url), range(4)))

    assert reached == [head_revision()] * 4
    assert current_revision(empty_url) == head_revision()


def test_the_migrations_make_the_tables_that_queries_expect(database_url: str) -> None:
    engine = create_engine(parse_url(database_url), poolclass=NullPool)

    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)

    assert differences == []


def test_tokens_in_stored_addresses_of_remotes_are_masked(empty_url: str) -> None:
    upgrade(empty_url)
    engine = create_engine(parse_url(empty_url), poolclass=NullPool)
    stored = {
        "a": "https://t0ken@h.example/b",
        "b": "ssh://git:t0ken@h/b",
        "c": "git@h:b",
        "d": "ssh://git@h/b",
    }
    insert = text(
        "insert into books (book_id, path, title, queue, remote_url, kind, created_at)"
        " values (:id, '/', '', '', :url, 'book', now())"
    )
    with engine.begin() as connection:
        for name, url in stored.items():
            connection.execute(insert, {"id": name, "url": url})
        with Operations.context(MigrationContext.configure(connection)):
            masked_remotes.upgrade()

    with engine.connect() as connection:
        rows = connection.execute(text("select remote_url from books order by book_id")).scalars().all()
    assert rows == ["https://***@h.example/b", "ssh://git:***@h/b", "git@h:b", "ssh://git@h/b"]


def test_events_of_an_older_version_keep_their_cursors(empty_url: str) -> None:
    engine = create_engine(parse_url(empty_url), poolclass=NullPool)
    insert = text(
        "insert into events (run, subject, kind, at, op_id, data) values ('r', 's', 'k', now(), :op_id, '{}')"
    )
    upgrade_to(empty_url, "0013")
    with engine.begin() as connection:
        connection.execute(insert, [{"op_id": "1"}, {"op_id": "2"}, {"op_id": "3"}])
        connection.execute(text("delete from events where op_id = '2'"))

    upgrade(empty_url)

    with closing(open_store(empty_url, clock=SetClock())) as store, engine.begin() as connection:
        assert store.records.newest_event() == 3
        connection.execute(insert, {"op_id": "4"})
        connection.commit()
        told = [(event.cursor, event.op_id) for event in store.records.events_after(0)]
    assert told == [(1, "1"), (3, "3"), (4, "4")]


def test_rounds_of_an_older_version_are_filed_under_their_scene(empty_url: str) -> None:
    engine = create_engine(parse_url(empty_url), poolclass=NullPool)
    insert = text(
        "insert into runs (run, pipeline, subject, stage, outcome, words, cost_micros, detail, noted_at)"
        " values (:run, :pipeline, 'quay', 'ended', '', 0, 0, '{}', now())"
    )
    upgrade_to(empty_url, "0015")
    with engine.begin() as connection:
        connection.execute(insert, {"run": "scene/quay#1", "pipeline": "director-round"})
        connection.execute(insert, {"run": "book/quay#1", "pipeline": "book-session"})

    upgrade(empty_url)

    with engine.connect() as connection:
        rows = connection.execute(text("select subject from runs order by run")).scalars().all()
    assert rows == ["quay", "scene/quay"]


def test_the_summary_of_an_older_version_is_the_first_stretch_also_of_a_branch(empty_url: str) -> None:
    upgrade(empty_url)
    with closing(open_store(empty_url, clock=SetClock())) as store:
        scene = a_scene(store).id
        for said in ("One.", "Two.", "Three."):
            play(store, scene, said)
        branch = store.scenes.branch(a_branch(scene, 2)).scene
        assert branch is not None
        engine = create_engine(parse_url(empty_url), poolclass=NullPool)
        with engine.begin() as connection:
            connection.execute(text("drop table scene_stretches"))
            connection.execute(text("update alembic_version set version_num = '0023'"))
            connection.execute(text(_OLD_SUMMARY))

        upgrade(empty_url)

        for id in (scene, branch.id):
            (stretch,) = store.scenes.summed_up(id).stretches
            assert (stretch.text, stretch.witnesses) == ("They met.", ("mira",))
            assert (tuple(stretch.readings), stretch.rounds) == ((1, 2, 3, 4), (1, 2))
        store.scenes.edit(an_edit(f"{branch.id}/1", "Otherwise."))
        assert store.scenes.summed_up(branch.id).stretches == ()
        assert len(store.scenes.summed_up(scene).stretches) == 1


_OLD_SUMMARY = """
    update scene_views set body = (body::jsonb || '{
        "summary": "They met.", "summarised_to": 4, "summary_witnesses": ["mira"]
    }')::json
"""


def test_what_an_older_version_spent_is_in_the_groups_as_in_the_days(empty_url: str) -> None:
    engine = create_engine(parse_url(empty_url), poolclass=NullPool)
    upgrade_to(empty_url, "0016")
    with engine.begin() as connection:
        connection.execute(text(_OLD_CALL))
        connection.execute(text("insert into spending values ('day', '2026-03-14', 3, 90, 60, 1500, 1)"))
    upgrade(empty_url)

    with closing(open_store(empty_url, clock=SetClock())) as store:
        found = {by: store.ledger.grouped(by, since=NOON.date()) for by in get_args(SpendingBy)}

    counted = {by: {name: _counts(each) for name, each in groups.items()} for by, groups in found.items()}
    assert counted == {
        "role": {"writer": (1, 30, 20, 500, 1), "unknown": (2, 60, 40, 1000, 0)},
        "model": {"quill-1": (1, 30, 20, 500, 1), "unknown": (2, 60, 40, 1000, 0)},
        "day": {"2026-03-14": (3, 90, 60, 1500, 1)},
    }


_OLD_CALL = """
    insert into model_calls (
        op_id, state, attempt, lost, role, run, subject, day, prompt_digest, held_tokens, held_micros,
        held_until, model, input_tokens, output_tokens, started_at
    )
    values ('1', 'done', 1, 0, 'writer', 'r', 'lamp', '2026-03-14', '', 0, 500,
            '2026-03-14', 'quill-1', 30, 20, '2026-03-14')
"""


def _counts(each: Spending) -> tuple[int, int, int, int, int]:
    return (each.calls, each.input_tokens, each.output_tokens, each.cost_micros, each.unknown_prices)


def test_a_database_of_a_newer_version_is_left_alone(database_url: str) -> None:
    engine = create_engine(parse_url(database_url), poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))

    with pytest.raises(PermanentError) as caught:
        upgrade(database_url)

    assert caught.value.code == "store-newer"
    assert current_revision(database_url) == "9999"


def test_a_missing_server_is_reported(database_url: str) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        current_revision("postgresql://nobody@127.0.0.1:1/nothing")

    assert caught.value.code == "store-unreachable"


@pytest.fixture
def restricted_url(empty_url: str) -> Iterator[str]:
    """An empty database in which the user may make tables, and no extension."""
    name = f"plain_{secrets.token_hex(4)}"
    administrator = create_engine(parse_url(empty_url), poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with administrator.connect() as connection:
        connection.execute(text(f"create role {name} login password 'sesame'"))
        connection.execute(text(f"grant create, usage on schema public to {name}"))
    url = parse_url(empty_url).set(username=name, password="sesame")
    yield url.render_as_string(hide_password=False).replace("+psycopg", "")
    with administrator.connect() as connection:
        connection.execute(text(f"drop owned by {name}"))
        connection.execute(text(f"drop role {name}"))


def test_a_database_without_pgvector_works_by_words_and_gets_vectors_later(
    empty_url: str, restricted_url: str
) -> None:
    reached = upgrade(restricted_url)

    with closing(open_store(restricted_url, clock=SetClock())) as store:
        scene = a_scene(store)
        memory = a_memory(scene.id, "The lamp is out.")
        kept = store.memories.remember([memory], vectors_of(memory))
        about = {"scene": scene.id, "world": "coast", "character": "mira", "text": "lamp"}
        asked = MemoryQuery.model_validate(about | {"now_round": 2, "limit": 4})
        found = store.memories.recall(asked, None)
        with pytest.raises(Refused) as refused:
            store.memories.embed([memory], vectors_of(memory))
        assert store.memories.without("a-model") == ()

    assert (reached, kept.model, finds_by_meaning(restricted_url)) == (head_revision(), "", False)
    assert [each.text for each in found] == ["The lamp is out."]
    assert refused.value.code == "no-pgvector"
    assert "penwright up" in refused.value.details["hint"]

    administrator = create_engine(parse_url(empty_url), poolclass=NullPool)
    with administrator.begin() as connection:
        connection.execute(text("create extension vector"))
    upgrade(restricted_url)

    assert finds_by_meaning(restricted_url)
    with closing(open_store(restricted_url, clock=SetClock())) as store:
        assert [each.id for each in store.memories.without("a-model")] == [memory.id]
        store.memories.embed([memory], vectors_of(memory))
        assert store.memories.without("a-model") == ()


def vectors_of(memory: Memory) -> Vectors:
    assert memory.text
    return Vectors(model="a-model", dimensions=2, vectors=((1.0, 0.0),))
