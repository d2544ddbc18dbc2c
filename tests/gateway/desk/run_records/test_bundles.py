"""A bundle for a caller without a folder here is the same bundle; of a damaged one nothing is read."""

import random
import zipfile
from pathlib import Path

import pytest

from gateway.desk.run_records import bundles
from penwright.errors import UsageMistake


def test_a_packed_bundle_is_the_one_that_is_written(tmp_path: Path) -> None:
    about, files = {"run_id": "notes-7"}, {"main/result.json": {"text": "é"}, "readme.md": "# Run"}
    (tmp_path / "packed.zip").write_bytes(bundles.packed("notes-7", about, files))
    bundles.write(tmp_path / "written.zip", "notes-7", about, files)

    found, written = (bundles.read(tmp_path / name) for name in ("packed.zip", "written.zip"))

    assert found == written
    assert found.json("main/result.json") == {"text": "é"}


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bundle_that_would_unpack_at_once_is_refused(tmp_path: Path, packing: int) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", packing) as made:
        made.writestr("run/manifest.json", b"0" * 10_000_000)

    with pytest.raises(UsageMistake) as refused:
        bundles.read(tmp_path / "bomb.zip")

    assert refused.value.code == "bundle-damaged"
    assert "another way" in refused.value.message


def test_a_bundle_damaged_anywhere_is_named_as_such(tmp_path: Path) -> None:
    whole = bundles.packed("notes-7", {"run_id": "notes-7"}, {"main/result.json": {"text": "x" * 300}})
    chance, path, said = random.Random(7), tmp_path / "run.zip", set[str]()
    for _ in range(200):
        damaged = bytearray(whole)
        for _ in range(3):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            said.add(bundles.read(path).json("main/result.json")["text"])
        except UsageMistake as mistake:
            said.add(mistake.code)

    assert "bundle-damaged" in said
    assert said <= {"bundle-damaged", "no-bundle", "x" * 300}


def test_a_folder_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(UsageMistake) as refused:
        bundles.read(tmp_path)

    assert refused.value.code == "no-bundle"
