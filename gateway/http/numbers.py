"""Numbers in addresses, within what the store can hold."""

from typing import Annotated

from fastapi import Path, Query

MOST = 2**31 - 1

Number = Annotated[int, Path(ge=1, le=MOST)]
"""Counted from 1: a message, a round."""

Take = Annotated[int, Query(ge=0, le=MOST, description="Which take of the round; 0: the one that is played.")]
