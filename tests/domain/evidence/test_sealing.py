"""The seal of a reader's copy: one byte changed anywhere is named, by the product and its verifier."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.evidence.marking import Part
from penwright.domain.evidence.page import Frame, page_parts
from penwright.domain.evidence.sealing import (
    THE_SEAL,
    canonical,
    checked,
    fingerprint,
    same_fingerprint,
    sealed,
)
from schemas.readers_copy import (
    BlockAuthor,
    CitationEvidence,
    CitedWork,
    CopyEvidence,
    CopyTitle,
    SentenceEvidence,
)
from tests.support.each import for_each

VERIFIER = Path(__file__).parents[3] / "docs" / "verify_evidence.py"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes_raw()
EVIDENCE = CopyEvidence(
    document=CopyTitle(id="ebb", kind="novel", title="Ebb & 退潮", commit="1" * 40),
    blocks=(BlockAuthor(number=1, by="ai", models=("demo",)),),
    works=(CitedWork(key="lee2020", title="</script><script>alert(1)</script>", entry="@misc{lee2020,}"),),
    sentences=(
        SentenceEvidence(number=1, block=1, citations=(CitationEvidence(key="lee2020"),)),
        SentenceEvidence(number=2, block=1),
    ),
)
BODY = (
    Part("the text", "<p><span"),
    Part("sentence 1", ' id="s1" class="s" data-s="1">The lamp went out at dusk.</span'),
    Part("the text", "> <span"),
    Part("sentence 2", ' id="s2" class="s" data-s="2">潮水退了。</span'),
    Part("the text", "></p>"),
)
COPY = sealed(
    page_parts(BODY, EVIDENCE, Frame(style="\np {}\n", script="\nlet a;\n"), fingerprint(PUBLIC)),
    PUBLIC,
    KEY.sign,
)


def _verifier() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_evidence", VERIFIER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ALONE = _verifier()


@st.composite
def _changes(draw: st.DrawFn) -> bytes:
    """The copy with one byte of another value, one taken out or put in, or its end cut off."""
    at = draw(st.integers(0, len(COPY) - 1))
    kind = draw(st.sampled_from(["changed", "taken out", "put in", "cut off"]))
    if kind == "changed":
        return COPY[:at] + bytes([COPY[at] ^ draw(st.integers(1, 255))]) + COPY[at + 1 :]
    if kind == "taken out":
        return COPY[:at] + COPY[at + 1 :]
    if kind == "put in":
        return COPY[:at] + bytes([draw(st.integers(0, 255))]) + COPY[at:]
    return COPY[:at]


def test_a_copy_as_it_was_made_is_whole_and_names_its_key() -> None:
    found = checked(COPY)

    assert (found.changed, found.is_whole, found.fingerprint) == ((), True, fingerprint(PUBLIC))
    assert ALONE.check(COPY) == ([], fingerprint(PUBLIC))


@given(_changes())
def test_one_byte_changed_anywhere_is_named_by_both_alike(changed: bytes) -> None:
    found = checked(changed)

    assert found.changed
    assert ALONE.check(changed) == (list(found.changed), found.fingerprint)


def test_no_byte_can_be_flipped_unseen() -> None:
    for at in range(len(COPY)):
        assert not checked(COPY[:at] + bytes([COPY[at] ^ 1]) + COPY[at + 1 :]).is_whole


@for_each(
    "before, after, named",
    [
        ("at dusk", "at dawn", "sentence 1"),
        ("退了", "涨了", "sentence 2"),
        ('"models":["demo"]', '"models":["else"]', "the author of block 1"),
        ('{"block":1,"number":2}', '{"block":9,"number":2}', "the evidence of sentence 2"),
        ("@misc{lee2020,}", "@misc{lee2021,}", "the work lee2020"),
        ("let a;", "let b;", "the script"),
        ("p {}", "q {}", "the style"),
        ("default-src 'none'", "default-src 'self'", "the head of the page"),
        ('{"digest":"', '{ "digest":"', THE_SEAL),
        ('["sentence 1",', '["sentence 7",', THE_SEAL),
    ],
)
def test_a_change_is_named_by_what_it_is_in(before: str, after: str, named: str) -> None:
    assert COPY.count(before.encode()) == 1

    found = checked(COPY.replace(before.encode(), after.encode()))

    assert found.changed == (named,)


def test_a_line_put_in_or_taken_out_is_named_where_it_is() -> None:
    lines = COPY.split(b"\n")
    at = next(at for at, line in enumerate(lines) if b"at dusk" in line)

    more = checked(b"\n".join([*lines[:at], b"<b>more</b>", *lines[at:]]))
    less = checked(b"\n".join([*lines[:at], *lines[at + 1 :]]))

    assert more.changed == ("something put in before sentence 1",)
    assert less.changed == ("sentence 1",)


def test_what_another_key_signed_anew_is_whole_and_has_another_fingerprint() -> None:
    other = Ed25519PrivateKey.generate()
    public = other.public_key().public_bytes_raw()
    forged = sealed(BODY, public, other.sign)

    assert checked(forged).is_whole
    assert not same_fingerprint(checked(forged).fingerprint, fingerprint(PUBLIC))
    assert same_fingerprint(
        fingerprint(PUBLIC).upper(), f" {fingerprint(PUBLIC)[:32]}:{fingerprint(PUBLIC)[32:]}"
    )


def test_a_seal_with_more_in_it_than_is_signed_is_none() -> None:
    more = COPY.replace(b'"format":"penwright-evidence/1"', b'"extra":1,"format":"penwright-evidence/1"')

    assert more != COPY
    assert checked(more).changed == (THE_SEAL,)
    assert ALONE.check(more) == ([THE_SEAL], "")


def test_no_text_of_the_data_ends_their_element() -> None:
    page = COPY.decode()

    assert "<script>alert" not in page
    assert page.count("</script>") == 3
    assert "<" not in canonical("<!-- </script>")


def test_the_small_verifier_needs_nothing_of_the_product(tmp_path: Path) -> None:
    copy, broken = tmp_path / "copy.html", tmp_path / "broken.html"
    copy.write_bytes(COPY)
    broken.write_bytes(COPY.replace(b"at dusk", b"at dawn"))
    script = tmp_path / "verify.py"
    script.write_bytes(VERIFIER.read_bytes())

    def ended(*arguments: object) -> tuple[int, str]:
        command = [sys.executable, "-I", str(script), *map(str, arguments)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    assert ended(copy, fingerprint(PUBLIC).upper())[0] == 0
    assert ended(copy, "0" * 64)[0] == 1
    assert ended(broken) == (1, f"changed: 'sentence 1'\nkey: {fingerprint(PUBLIC)}\n")
    assert ended(tmp_path / "none.html")[0] == 2
    assert len(VERIFIER.read_text("utf-8").splitlines()) <= 200
    assert "penwright." not in VERIFIER.read_text("utf-8").replace("penwright-evidence", "")


@pytest.mark.parametrize("content", [b"", b"\n", b"<html>", b"\xff\xfe", COPY.rstrip(b"\n"), COPY * 2])
def test_what_is_no_copy_is_never_whole(content: bytes) -> None:
    assert not checked(content).is_whole
    assert ALONE.check(content)[0]
