"""Secrets in addresses."""

from penwright.errors import BrokenWorkspace
from penwright.masking import masked
from tests.support.each import for_each


@for_each(
    "address, shown",
    [
        ("https://ghp_abc@git.example/book.git", "https://***@git.example/book.git"),
        ("https://ada:s3cret@git.example/book.git", "https://***@git.example/book.git"),
        ("https://ada:p@ss@git.example/b", "https://***@git.example/b"),
        ("ssh://git:s3cret@git.example/b", "ssh://git:***@git.example/b"),
        ("postgresql://ada:s3cret@db:5432/x", "postgresql://ada:***@db:5432/x"),
        ("https://llm.example/v1?api_key=abc&v=2", "https://llm.example/v1?api_key=***&v=2"),
    ],
)
def test_a_secret_in_an_address_is_masked(address: str, shown: str) -> None:
    assert masked(address) == shown
    assert masked(f"fatal: unable to access '{address}': refused") == (
        f"fatal: unable to access '{shown}': refused"
    )


@for_each(
    "plain",
    [
        *("ssh://git@git.example/b", "git@git.example:b.git", "https://git.example/b", "/srv/book.git"),
        *("see https://a.example and write to ada@b.example", "http://[::1]:8080/x", "a: b@c"),
    ],
)
def test_what_is_no_secret_stays(plain: str) -> None:
    assert masked(plain) == plain


def test_no_error_carries_a_secret_in_its_message_or_details() -> None:
    error = BrokenWorkspace("x", "no answer from https://t0ken@a.example/b", cause="http://u:t0ken@h/")

    assert "t0ken" not in f"{error} {error.message} {error.details}"
