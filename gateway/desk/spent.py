"""What models have cost, as far as a caller may know."""

from collections.abc import Mapping

from gateway.desk.principals import Principal, require
from gateway.desk.services import Services
from gateway.desk.subjects import sees_stored, subject_of
from penwright.errors import Refused
from schemas.model import BudgetScope
from schemas.records import Spending


def by_subject(services: Services, principal: Principal) -> Mapping[str, Spending]:
    """By subject as rights name it, over its whole life."""
    require(principal, "read")
    sums: dict[str, Spending] = {}
    with services.open_store() as store:
        for stored in store.ledger.subjects():
            if not sees_stored(principal, stored):
                continue
            scope = BudgetScope(run="", subject=stored)
            found = store.ledger.spending(scope, day=services.now())["subject"]
            name = subject_of(stored)
            sums[name] = _sum(sums[name], found) if name in sums else found
    return sums


def today(services: Services, principal: Principal) -> Mapping[str, Spending]:
    """Of the whole installation today; only for callers who may see all subjects."""
    require(principal, "read")
    if principal.subjects is not None:
        raise Refused("not-permitted", "the cost of a day is told to callers who may see every subject")
    now = services.now()
    with services.open_store() as store:
        found = store.ledger.spending(BudgetScope(run="", subject=""), day=now)["day"]
    return {f"{now:%Y-%m-%d}": found}


def _sum(one: Spending, other: Spending) -> Spending:
    fields = (name for name in Spending.model_fields if name != "scope")
    return Spending(scope=one.scope, **{name: getattr(one, name) + getattr(other, name) for name in fields})
