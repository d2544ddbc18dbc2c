"""A person seeds overrides and edits the file; the prompt holds the edited text."""

from pathlib import Path

import pytest

from penwright.adapters.overrides import JsonOverrideFiles
from penwright.agents.prompt.overrides import amended, resolve, seeded, texts_of
from penwright.errors import UsageMistake
from schemas.overrides import Override
from tests.support.agents.gardener import gardener, rendered


def test_an_edited_seed_takes_effect_and_seeding_again_keeps_it(tmp_path: Path) -> None:
    files = JsonOverrideFiles(tmp_path)
    files.keep(seeded(gardener(), "spring"))
    place = tmp_path / "garden" / "keeper" / "spring.json"
    place.write_text(place.read_text().replace("Sweep it; $$5 a week.", "Leave it; $$9 a week."))

    stands = files.keep(seeded(gardener(), "spring"))
    resolved = resolve(gardener(), stands)

    assert [(each.path, each.field) for each in resolved.texts] == [("yard", "body")]
    assert resolved.skipped == ()
    assert "Leave it; $9 a week." in rendered(None, texts_of(resolved)).text


def test_a_mistyped_placeholder_in_an_override_file_is_named_on_use(tmp_path: Path) -> None:
    files = JsonOverrideFiles(tmp_path)
    files.keep(seeded(gardener(), "spring"))
    place = tmp_path / "garden" / "keeper" / "spring.json"
    place.write_text(place.read_text().replace("It is $name", "It is $nane"))

    (skipped,) = resolve(gardener(), files.read("garden", "keeper", "spring")).skipped

    assert "$nane" in skipped.model_dump_json()


def test_a_stale_override_changes_no_file(tmp_path: Path) -> None:
    files = JsonOverrideFiles(tmp_path)
    before = files.keep(seeded(gardener(), "spring"))
    written = (tmp_path / "garden" / "keeper" / "spring.json").read_bytes()
    stale = Override(path="yard", field="body", expected="0" * 64, text="Rake it.")

    with pytest.raises(UsageMistake):
        files.replace(before, amended(gardener(), before, stale))

    assert (tmp_path / "garden" / "keeper" / "spring.json").read_bytes() == written
