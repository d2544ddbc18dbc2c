"""Each role that is asked at temperature zero exists."""

from penwright.domain.models.temperatures import EXACT_ROLES
from penwright.roles.ink_clerk.role_call import ROLE as CLERK
from penwright.roles.manuscript.cast import ROLES as OF_MANUSCRIPTS
from penwright.roles.scene.cast import ROLES as OF_SCENES


def test_each_role_in_the_table_is_one_of_ours() -> None:
    assert {CLERK, *OF_SCENES, *(each.model_role for each in OF_MANUSCRIPTS.values())} >= EXACT_ROLES
