"""What is said of a push that was refused."""

from penwright.domain.refused_pushes import what_it_needs
from tests.support.each import for_each


@for_each(
    "reason, needs",
    [
        (
            "[remote rejected] (protected branch hook declined) error: GH006: Protected branch update",
            "protected",
        ),
        (
            "error: GH001: Large files detected. You may want to try Git Large File Storage",
            "no file that large",
        ),
        (
            "error: File a.wav is 130.00 MB; this exceeds GitHub's file size limit of 100.00 MB",
            "no file that large",
        ),
        ("GitLab: You are not allowed to push code to protected branches on this project.", "protected"),
        ("fatal: Authentication failed for 'https://x'", "does not let this user in"),
        ("git@x: Permission denied (publickey).", "does not let this user in"),
        ("remote: Repository not found.", "no such repository"),
        ("[remote rejected] main -> main (pre-receive hook declined)", "its own rules"),
        ("Your push would exceed the storage limit of 5 GB", "space is used up"),
    ],
)
def test_a_refusal_is_told_with_what_it_needs(reason: str, needs: str) -> None:
    told = what_it_needs(reason)

    assert needs in told
    assert told.endswith("; then the next session pushes again")


@for_each("reason", ["", "ssh: Could not resolve hostname x", "Connection timed out", "The remote hung up"])
def test_a_silent_remote_needs_nothing_but_time(reason: str) -> None:
    assert what_it_needs(reason) == "the next session pushes again"
