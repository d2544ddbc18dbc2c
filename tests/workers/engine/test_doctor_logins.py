"""``penwright doctor`` names the people who can log in here while orders are not signed."""

import os
import pwd
from collections.abc import Mapping

import pytest

from workers.engine import doctor
from workers.settings import load


def _entry(name: str, uid: int, shell: str = "/bin/bash") -> pwd.struct_passwd:
    return pwd.struct_passwd((name, "x", uid, uid, "", "/", shell))


def _findings(environ: Mapping[str, str]) -> list[doctor.Finding]:
    return [one for one in doctor.examine(load({"PENWRIGHT_CONFIG": "", **environ})) if one.name == "logins"]


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ([], ""),
        ([_entry("daemon", 2), _entry("nobody", 65534), _entry("svc", 2001, "/usr/sbin/nologin")], ""),
        ([_entry("bob", 2001), _entry("ann", 2002)], "ann, bob can log in"),
    ],
)
def test_other_people_are_named_and_programs_are_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object, more: list[pwd.struct_passwd], named: str
) -> None:
    us = _entry("us", os.getuid())
    monkeypatch.setattr(pwd, "getpwall", lambda: [us, *more])
    environ = {"PENWRIGHT_HOME": str(tmp_path), "PATH": os.environ["PATH"]}

    found = _findings(environ)
    signed = _findings({**environ, "PENWRIGHT_ENGINE__SHARED": "true"})

    assert [named in one.message and "engine.shared" in one.advice for one in found] == (
        [True] if named else []
    )
    assert signed == []
