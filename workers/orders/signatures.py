"""Content of an order's signature, which travels in a header of its own, as JSON."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from temporalio.api.common.v1 import Payload

from penwright.errors import Refused

START_HEADER = "penwright-start"
"""Signed starts, and what continues as new; a run that has it obeys signed signals and updates only."""
ORDER_HEADER = "penwright-order"
"""Signed signals, updates and activities."""

OrderKind = Literal["start", "schedule", "continue", "signal", "update", "activity"]


class Order(BaseModel):
    """Order to a workflow or schedule; everything in it is signed."""

    model_config = ConfigDict(frozen=True)

    kind: OrderKind
    workflow: str
    """Id of the workflow; of a schedule, what the ids of its workflows begin with."""
    name: str
    """Workflow type, signal, update or activity."""
    arguments: str
    """``digest_of`` the arguments."""
    id: str
    """Accepted once; of an activity, the run that orders it, which may repeat it."""
    at: int
    """Microseconds since the epoch at which it was made, by the clock of its maker."""
    heard: tuple[tuple[str, int], ...] = ()
    """Of what continues as new: ids and times of the orders that were obeyed last."""
    floor: int = 0
    """Of what continues as new: no order that is this old is obeyed."""


@dataclass(frozen=True, slots=True)
class Key:
    """The secret of this engine."""

    secret: bytes = field(repr=False)
    since: int | None = None
    """Microseconds since the epoch; what was started before then needs no signature. None: while off."""

    def seal(self, order: Order) -> Payload:
        """The header for ``order``."""
        text = order.model_dump_json()
        sealed = json.dumps({"order": text, "mac": self._mac(text)})
        return Payload(metadata={"encoding": b"json/plain"}, data=sealed.encode())

    def open(self, headers: Mapping[str, Payload], header: str) -> Order | None:
        """The order in ``headers``; None unless it is signed with this key."""
        if header not in headers:
            return None
        try:
            sealed = json.loads(headers[header].data)
            text, mac = str(sealed["order"]), str(sealed["mac"])
            if not hmac.compare_digest(mac.encode(), self._mac(text).encode()):
                return None
            return Order.model_validate_json(text)
        except (ValueError, KeyError, TypeError, ValidationError, RecursionError):
            return None

    def _mac(self, text: str) -> str:
        return hmac.new(self.secret, text.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()


def digest_of(payloads: Sequence[Payload]) -> str:
    """Digest of arguments as they are sent, before encryption; a value read and written again may differ."""
    total = hashlib.sha256()
    for payload in payloads:
        for part in (payload.metadata.get("encoding", b""), payload.data):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()


def new_id() -> str:
    """An id that no other order has; not for workflows, whose ids must be the same in every replay."""
    return secrets.token_hex(12)


def unsigned(what: str) -> Refused:
    """Return the error for ``what``, which carries no valid signature."""
    return Refused(
        "order-unsigned",
        f"{what} was not signed by this installation: engine.shared is set",
        hint="give the order with `penwright`, as the user to whom the installation belongs",
    )
