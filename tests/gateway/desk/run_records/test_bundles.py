"""A bundle for a caller without a folder here is the same bundle."""

from pathlib import Path

from gateway.desk.run_records import bundles


def test_a_packed_bundle_is_the_one_that_is_written(tmp_path: Path) -> None:
    about, files = {"run_id": "notes-7"}, {"main/result.json": {"text": "é"}, "readme.md": "# Run"}
    (tmp_path / "packed.zip").write_bytes(bundles.packed("notes-7", about, files))
    bundles.write(tmp_path / "written.zip", "notes-7", about, files)

    found, written = (bundles.read(tmp_path / name) for name in ("packed.zip", "written.zip"))

    assert found == written
    assert found.json("main/result.json") == {"text": "é"}
