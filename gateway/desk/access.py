"""Access to the workspace and its API: one-time codes, sessions of browsers, tokens of programs."""

import hashlib
import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from gateway.desk.principals import SCOPES, Principal, Scope, require
from gateway.desk.services import Services
from gateway.desk.works.subjects import check_subjects
from penwright.domain.text.nearest import guess, nearest_of
from penwright.errors import NotFound, Refused, UsageMistake
from schemas.web import Credential, CredentialKind

CODE_VALID = timedelta(seconds=60)
IDLE = timedelta(hours=12)
"""A session ends after this time without a request, and without anything done on an open page."""
LONGEST_SESSION = timedelta(days=7)
TOKEN_VALID = timedelta(days=90)
LONGEST_TOKEN = timedelta(days=366)
_NOTED_EVERY = timedelta(minutes=1)
"""The use of a credential is stored at most this often."""
_LONGEST_NAME = 100
_PREFIX = "pw_"


@dataclass(frozen=True, slots=True)
class Caller:
    """A principal, and the credential by which it is known."""

    principal: Principal
    credential: Credential


@dataclass(frozen=True, slots=True)
class NewCredential:
    """A credential, and its secret, which is shown once and stored nowhere."""

    credential: Credential
    secret: str


class Access:
    """Issues credentials and says whose they are; its calls block."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._listeners: list[Callable[[str], None]] = []

    @property
    def services(self) -> Services:
        """The services that it asks."""
        return self._services

    def listen(self, ended: Callable[[str], None]) -> None:
        """Have ``ended`` called with the id of each credential that is ended here, in whichever thread."""
        self._listeners.append(ended)

    def new_code(self) -> str:
        """A code with which the user of this machine signs in once, within a minute."""
        return self._issue("code", self._services.person(), SCOPES, None, CODE_VALID).secret

    def sign_in(self, code: str) -> NewCredential:
        """A session in exchange for a code.

        Raises:
            Refused: ``code-spent``.
        """
        with self._services.open_store() as store:
            taken = store.credentials.take(digest(code), self._services.now())
        if taken is None or taken.kind != "code":
            raise Refused(
                "code-spent",
                "this link was used before, or is older than a minute",
                hint="run `penwright web` for a new one",
            )
        return self._issue("session", taken.name, taken.scopes, taken.subjects, IDLE)

    def sign_out(self, credential: Credential) -> None:
        """End a session. Idempotent."""
        with self._services.open_store() as store:
            store.credentials.remove(credential.id, "session")
        self._tell_ended(credential.id)

    def of_session(self, secret: str) -> Caller | None:
        """Find the caller who signed in with this session; None if it has ended or never was."""
        return self._known(secret, "session")

    def of_token(self, secret: str) -> Caller | None:
        """Whose token this is; None if it has expired, was revoked or never was."""
        return self._known(secret, "token") if secret.startswith(_PREFIX) else None

    def valid(self, credential: Credential) -> bool:
        """Whether a credential that was valid before still is."""
        return not self.ended((credential,))

    def ended(self, credentials: Sequence[Credential]) -> tuple[Credential, ...]:
        """Those of ``credentials`` that were valid before and are not any more."""
        with self._services.open_store() as store:
            now = self._services.now()
            kinds = {each.kind for each in credentials}
            valid = {each.id for kind in kinds for each in store.credentials.listed(kind, now)}
        return tuple(each for each in credentials if each.id not in valid)

    def note_used(self, credentials: Collection[Credential]) -> None:
        """Store that each was used just now, such as by an open page; one that has ended stays ended."""
        now = self._services.now()
        with self._services.open_store() as store:
            kinds = {each.kind for each in credentials}
            used = {each.id for each in credentials}
            for valid in (each for kind in kinds for each in store.credentials.listed(kind, now)):
                if valid.id in used:
                    store.credentials.used(valid.id, now, _ends(valid, now))

    def create_token(
        self,
        principal: Principal,
        name: str,
        scopes: Sequence[Scope],
        subjects: Sequence[str] | None = None,
        valid_for: timedelta = TOKEN_VALID,
        *,
        future: bool = False,
    ) -> NewCredential:
        """A token that may do no more than ``principal``.

        Args:
            future: whether subjects may be named that do not exist yet.

        Raises:
            UsageMistake: ``bad-token``, ``bad-subject``.
            NotFound: ``no-such-subject``.
            Refused: ``not-permitted``.
        """
        require(principal, "admin")
        _check_token(name, scopes, valid_for)
        for scope in scopes:
            require(principal, scope)
        if principal.subjects is not None and (subjects is None or not principal.subjects >= set(subjects)):
            raise Refused(
                "not-permitted",
                "a token may touch no subject that its maker may not touch",
                hint=f"name some of: {', '.join(sorted(principal.subjects))}",
            )
        if principal.subjects is None:
            check_subjects(self._services, subjects or (), future=future)
        return self._issue("token", name, scopes, subjects, valid_for)

    def tokens(self, principal: Principal) -> tuple[Credential, ...]:
        """The valid tokens that touch no more than ``principal``, oldest first, without their secrets."""
        require(principal, "admin")
        with self._services.open_store() as store:
            found = store.credentials.listed("token", self._services.now())
        return tuple(each for each in found if _within(principal, each))

    def namesakes(self, principal: Principal, new: Credential) -> tuple[str, ...]:
        """Ids of the other tokens among ``tokens`` that have the name of a new one."""
        return tuple(
            each.id for each in self.tokens(principal) if each.name == new.name and each.id != new.id
        )

    def revoke(self, principal: Principal, id: str) -> None:
        """End a token.

        Raises:
            NotFound: ``no-token``, also of one that touches more than ``principal`` may.
        """
        require(principal, "admin")
        seen = {each.id: (each.id, each.name) for each in self.tokens(principal)}
        ours = principal.subjects is None or id in seen
        with self._services.open_store() as store:
            if not ours or not store.credentials.remove(id, "token"):
                raise NotFound(
                    "no-token",
                    f"there is no token {id!r}{guess(nearest_of(id, seen))}",
                    hint="`penwright web tokens list` shows them",
                )
        self._tell_ended(id)

    def _tell_ended(self, id: str) -> None:
        for ended in self._listeners:
            ended(id)

    def _issue(
        self,
        kind: CredentialKind,
        name: str,
        scopes: Sequence[str],
        subjects: Sequence[str] | None,
        valid_for: timedelta,
    ) -> NewCredential:
        now, id = self._services.now(), secrets.token_hex(6)
        secret = secrets.token_urlsafe(32)
        if kind == "token":
            secret = f"{_PREFIX}{id}_{secret}"
        credential = Credential(
            id=id,
            kind=kind,
            name=name,
            scopes=tuple(scope for scope in SCOPES if scope in scopes),
            subjects=None if subjects is None else tuple(sorted(set(subjects))),
            created_at=now,
            expires_at=now + valid_for,
        )
        with self._services.open_store() as store:
            store.credentials.add(credential, digest(secret))
        return NewCredential(credential, secret)

    def _known(self, secret: str, kind: CredentialKind) -> Caller | None:
        now = self._services.now()
        with self._services.open_store() as store:
            found = store.credentials.find(digest(secret), now)
            if found is None or found.kind != kind:
                return None
            if found.last_used_at is None or now - found.last_used_at >= _NOTED_EVERY:
                store.credentials.used(found.id, now, _ends(found, now))
        return Caller(_principal(found), found)


def digest(secret: str) -> str:
    """Digest of a secret for the store; fast, because our secrets are 256 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def _principal(credential: Credential) -> Principal:
    scopes = frozenset(scope for scope in SCOPES if scope in credential.scopes)
    subjects = None if credential.subjects is None else frozenset(credential.subjects)
    return Principal(credential.name, scopes, subjects)


def _ends(credential: Credential, used: datetime) -> datetime:
    """When a credential ends that was used then."""
    if credential.kind != "session":
        return credential.expires_at
    return min(used + IDLE, credential.created_at + LONGEST_SESSION)


def _within(principal: Principal, credential: Credential) -> bool:
    """Whether a credential touches only subjects that ``principal`` may touch."""
    if principal.subjects is None:
        return True
    return credential.subjects is not None and principal.subjects >= set(credential.subjects)


def _check_token(name: str, scopes: Sequence[Scope], valid_for: timedelta) -> None:
    if not 0 < len(name.strip()) <= _LONGEST_NAME or not name.isprintable():
        raise UsageMistake("bad-token", f"a token needs a printable name of 1 to {_LONGEST_NAME} characters")
    if not scopes or not set(scopes) <= set(SCOPES):
        raise UsageMistake("bad-token", f"a token needs scopes out of: {', '.join(SCOPES)}")
    if not timedelta() < valid_for <= LONGEST_TOKEN:
        raise UsageMistake("bad-token", f"a token is valid for at most {LONGEST_TOKEN.days} days")
