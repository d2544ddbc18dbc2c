"""Redaction removes secrets from a run's records and changes nothing else."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.desk.disclosure import HIDDEN, Redactor, disclosure
from tests.support.each import for_each
from workers.settings import load

ENVIRON = {
    "PENWRIGHT_CONFIG": "",
    "MOON_API_KEY": "moon-key-0815",
    "CI_JOB_TOKEN": "job-token-4711",
    "PROXY": "http://ann:proxy-pass-1@proxy:3128",
    "PWD": "/books/tide",
    "PENWRIGHT_DATABASE_URL": "postgresql://ann:data-pass-2@127.0.0.1/books",
    "PENWRIGHT_ENCRYPTION_KEY": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlYzE=",
    "PENWRIGHT_NOTIFY__COMMAND": '["/bin/tell", "--key", "teller-key-3"]',
    "PENWRIGHT_NOTIFY__APPRISE_URLS": '["mailto://ann:mail-pass-4@example.org"]',
}


def test_secrets_of_settings_and_environment_are_known_and_not_shown() -> None:
    told = disclosure(load(ENVIRON, folder=Path("/nowhere")))

    shown = json.dumps(told.settings)
    wanted = {"moon-key-0815", "job-token-4711", "proxy-pass-1", "data-pass-2", "mail-pass-4"}
    assert wanted <= told.secrets
    assert "/books/tide" not in told.secrets
    assert [
        each for each in (*wanted, "teller-key-3", ENVIRON["PENWRIGHT_ENCRYPTION_KEY"]) if each in shown
    ] == []
    assert told.settings["notify"]["command"][0] == "/bin/tell"


@for_each(
    "value",
    [
        {"password": "s3cret-word"},
        {"apiKey": "s3cret-word"},
        {"openai_api_key": ["s3cret-word"]},
        {"arguments": '{"access_token": "s3cret-word", "path": "a"}'},
        {"deep": [{"Authorization": "Bearer s3cret-word"}]},
        "curl -H 'Authorization: Bearer s3cret-word'",
        "https://ann:s3cret-word@example.org/books",
        "password=s3cret-word&user=ann",
        'token: "s3cret-word"',
    ],
)
def test_values_under_sensitive_field_names_are_redacted(value: object) -> None:
    hiding = Redactor(())
    hiding.learn(value)

    assert "s3cret-word" not in json.dumps(hiding.hidden(value))


@pytest.mark.parametrize(
    "text", ["sk-abcdefghijklmnop1234", "ghp_abcdefghij1234", "AKIAABCDEFGHIJKLMNOP", "xoxb-1234567890-abc"]
)
def test_keys_of_known_vendors_are_redacted_anywhere(text: str) -> None:
    assert Redactor(()).hidden({"note": f"use {text} for it"}) == {"note": f"use {HIDDEN} for it"}


def test_a_secret_found_under_its_field_name_is_hidden_everywhere() -> None:
    hiding = Redactor(())
    hiding.learn({"arguments": '{"password": "open sesame"}'})

    assert hiding.hidden(["I said open sesame.", {"text": '{"said": "open sesame"}'}]) == [
        f"I said {HIDDEN}.",
        {"text": f'{{"said": "{HIDDEN}"}}'},
    ]


def test_spared_names_are_not_redacted() -> None:
    hiding = Redactor((), spared=("read_page",))
    hiding.learn({"token": "read_page"})

    assert hiding.hidden({"token": "read_page", "tool": "read_page"}) == {
        "token": "read_page",
        "tool": "read_page",
    }


@pytest.mark.parametrize(
    "value",
    [
        {"input_tokens": 12, "token": 7, "author": "Ann Orr", "keys": ["a"], "digest": "ab" * 32},
        "The secret: nobody knew it. A token of love, a password whispered.",
        {"text": '{"a": 1,   "b": "as it was written"}'},
        "see https://example.org/a:b@c",
    ],
)
def test_ordinary_values_are_not_redacted(value: object) -> None:
    hiding = Redactor(("another-secret",))
    hiding.learn(value)

    assert hiding.hidden(value) == value


@given(
    secret=st.text(min_size=6, max_size=30).filter(lambda text: text.strip() == text and text not in HIDDEN),
    around=st.text(max_size=10),
)
def test_a_known_secret_is_hidden_in_every_form(secret: str, around: str) -> None:
    document = {"plain": around + secret, "json": json.dumps({"said": [secret, around]}), "list": [secret]}

    hidden = Redactor((secret,)).hidden(document)

    assert secret not in hidden["plain"].replace(HIDDEN, "")
    assert json.loads(hidden["json"])["said"][0] == HIDDEN
    assert hidden["list"] == [HIDDEN]
