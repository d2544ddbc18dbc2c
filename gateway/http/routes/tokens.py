"""Tokens of programs."""

import asyncio
from datetime import datetime, timedelta

from fastapi import APIRouter
from pydantic import BaseModel, Field

from gateway.desk.access import LONGEST_TOKEN, TOKEN_VALID
from gateway.desk.principals import Scope
from gateway.http.asking import Asking, FromAccess
from gateway.http.orders import Order
from gateway.http.strict import RightsRoute
from schemas.web import Credential

router = APIRouter(prefix="/tokens", tags=["tokens"], route_class=RightsRoute)


class TokenOrder(Order):
    """A token to be made."""

    name: str = Field(min_length=1, max_length=100)
    scopes: list[Scope] = Field(min_length=1, max_length=5)
    subjects: list[str] | None = Field(default=None, max_length=1000)
    """The subjects it may touch, such as ``book/tide``; null means all."""
    days: int = Field(default=TOKEN_VALID.days, ge=1, le=LONGEST_TOKEN.days)


class Token(BaseModel):
    """A token, without its secret."""

    id: str
    name: str
    scopes: list[str]
    subjects: list[str] | None
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None


class NewToken(Token):
    """A token with its secret, which is told this once."""

    secret: str
    namesakes: list[str]
    """Ids of other valid tokens of this name."""


class Tokens(BaseModel):
    """All valid tokens, oldest first."""

    items: list[Token]


@router.get("")
async def list_tokens(principal: Asking, access: FromAccess) -> Tokens:
    """The valid tokens."""
    found = await asyncio.to_thread(access.tokens, principal)
    return Tokens(items=[Token.model_validate(_shown(each)) for each in found])


@router.post("", status_code=201)
async def create_token(given: TokenOrder, principal: Asking, access: FromAccess) -> NewToken:
    """Make a token that may do no more than the caller."""
    issued = await asyncio.to_thread(
        access.create_token, principal, given.name, given.scopes, given.subjects, timedelta(days=given.days)
    )
    others = await asyncio.to_thread(access.namesakes, principal, issued.credential)
    told = {"secret": issued.secret, "namesakes": others}
    return NewToken.model_validate(_shown(issued.credential) | told)


@router.delete("/{token_id}", status_code=204)
async def revoke_token(token_id: str, principal: Asking, access: FromAccess) -> None:
    """End a token."""
    await asyncio.to_thread(access.revoke, principal, token_id)


def _shown(credential: Credential) -> dict[str, object]:
    return credential.model_dump()
