"""Keep the secrets in remotes' addresses out of the arguments of processes, which every user can list.

git starts a program with the address of the remote as its argument. So git is told, by variables that only
its own user can read, to use the address without the secret, and to send the secret in a header.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from urllib.parse import unquote, urlsplit

from penwright.adapters.workspace.git.configured_programs import Setting


def hidden(settings: Sequence[Setting]) -> dict[str, str]:
    """Variables for git; empty if no remote's address over HTTP has a user or a password."""
    addresses = dict.fromkeys(each.value for each in settings if _is_address(each.key))
    pairs = [pair for address in addresses for pair in _overrides(address)]
    if not pairs:
        return {}
    numbered = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (key, value) in enumerate(pairs):
        numbered |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return numbered


def _is_address(key: str) -> bool:
    return key.startswith("remote.") and key.endswith((".url", ".pushurl"))


def _overrides(address: str) -> Iterator[tuple[str, str]]:
    try:
        parts = urlsplit(address)
    except ValueError:
        return  # git will say what is wrong with it
    secret, at, host = parts.netloc.rpartition("@")
    if parts.scheme not in ("http", "https") or not at:
        return
    plain = parts._replace(netloc=host).geturl()
    yield f"url.{plain}.insteadOf", address
    user, has_password, password = secret.partition(":")
    if has_password:
        basic = b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode()
        yield f"http.{plain}.extraHeader", f"Authorization: Basic {basic}"
    else:
        yield f"credential.{plain}.username", unquote(user)
