"""The key that signs reader's copies: made once, for its owner alone to read."""

import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from penwright.adapters.signing import FILE_NAME, signing_key
from penwright.errors import PermanentError


def test_a_key_is_made_on_first_use_and_stays(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first, second = signing_key(home), signing_key(home)

    Ed25519PublicKey.from_public_bytes(second.public).verify(first.sign(b"tide"), b"tide")
    assert first.file == home / FILE_NAME
    assert first.file.stat().st_mode & 0o777 == 0o600
    assert os.listdir(home) == [FILE_NAME]


def test_a_key_that_is_exposed_or_damaged_is_named(tmp_path: Path) -> None:
    file = signing_key(tmp_path).file
    file.chmod(0o644)
    with pytest.raises(PermanentError) as exposed:
        signing_key(tmp_path)
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(PermanentError) as damaged:
        signing_key(tmp_path)

    assert exposed.value.code == "signing-key-exposed"
    assert damaged.value.code == "signing-key-damaged"


def test_a_home_in_which_nothing_can_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(PermanentError) as refused:
        signing_key(tmp_path / "file" / "home")

    assert refused.value.code == "signing-key-not-written"
