"""An approval covers one plan, under one op id, against one tip."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.approval import plan_digest
from penwright.domain.intents.gate import IntentGate
from penwright.domain.intents.registry import REGISTRY
from schemas.intents import Approval, ApprovalNeed, IntentPin
from schemas.trace import MutationClass
from schemas.workspace import Contributor, Create, Denial, MutationPlan, Workspace
from tests.domain.intents.test_gate import PaperCase, PaperTree, pin_of, registry_of
from tests.support.each import for_each

OWNED = registry_of("Review/*")
REWORDED = OWNED.replace(b"Review/*", b"Other/*")


def a_case(
    *paths: str,
    registry: bytes = OWNED,
    pin: IntentPin | None = None,
    tree: PaperTree | None = None,
    tool: str = "book.close",
) -> PaperCase:
    tip = tree or PaperTree()
    tip.files[REGISTRY] = registry
    plan = MutationPlan(
        workspace=Workspace(path="/nowhere"),
        message="Close",
        contributor=Contributor.MODEL,
        operations=tuple(Create(path=path, content="Once.\n") for path in paths),
        tool=tool,
        pin=pin or pin_of(OWNED),
    )
    return PaperCase(plan, tip, dict.fromkeys(paths, b"Once.\n"))


def judged(case: PaperCase, approval: Approval | None = None) -> Denial | None:
    plan = case.plan.model_copy(update={"approval": approval})
    return IntentGate(BOOK_PROFILE).judge(replace(case, plan=plan))


def needed(case: PaperCase) -> ApprovalNeed:
    denial = judged(case)
    assert denial is not None
    assert denial.asks is not None
    return denial.asks


def a_yes(need: ApprovalNeed) -> Approval:
    return Approval(id="AP-1", plan_digest=need.plan_digest, codes=need.codes, by="ada")


def test_a_plan_out_of_scope_is_approvable_and_describes_its_effect() -> None:
    need = needed(a_case("Soul.md", "Review/current.md"))

    assert need.codes == ("SCOPE_VIOLATION",)
    assert need.paths == ("Review/current.md", "Soul.md")
    assert "'Soul.md'" in need.reasons[0]
    assert judged(a_case("Soul.md", "Review/current.md"), a_yes(need)) is None


def test_a_need_tells_what_is_denied_from_what_goes_with_it() -> None:
    need = needed(a_case("Soul.md", "Review/current.md", ".ink-state.yml"))

    assert (need.denied, need.bookkeeping) == (("Soul.md",), (".ink-state.yml",))
    assert need.diff == "--- /dev/null\n+++ Soul.md\n@@ line 1 @@\n+Once.\n"


def test_under_a_reworded_intent_all_text_is_denied() -> None:
    need = needed(a_case("Soul.md", "Review/current.md", registry=REWORDED.replace(b"Other/*", b"Review/*x")))

    assert need.denied == ("Review/current.md", "Soul.md")


def test_all_approvable_denials_are_requested_at_once() -> None:
    case = a_case("Review/current.md", registry=REWORDED)

    need = needed(case)

    assert need.codes == ("INTENT_CHANGED", "SCOPE_VIOLATION")
    assert judged(case, a_yes(need)) is None


def test_an_approval_of_one_rule_does_not_cover_another() -> None:
    case = a_case("Review/current.md", registry=REWORDED)
    yes = a_yes(needed(case)).model_copy(update={"codes": ("INTENT_CHANGED",)})

    denial = judged(case, yes)

    assert denial is not None
    assert denial.error_code == "APPROVAL_MISMATCH"


BY_AN_AGENT = {"tool": "edit", "mutation": MutationClass.INTENT_EVOLUTION}
CHANGES = {
    "another text": lambda case: replace(case, after={**case.after, "Soul.md": b"Twice.\n"}),
    "another path": lambda case: replace(case, after={**case.after, "Lore.md": b"Once.\n"}),
    "another op": lambda case: replace(case, op_id="op-2"),
    "another tool": lambda case: replace(case, plan=case.plan.model_copy(update=BY_AN_AGENT)),
    "another class": lambda case: replace(
        case, plan=case.plan.model_copy(update={"mutation": MutationClass.AST_REFACTOR})
    ),
    "another text before": lambda case: replace(
        case, tip=PaperTree({**case.tip.files, "Soul.md": b"Before.\n"})
    ),
    "another wording of the intent": lambda case: replace(
        case, tip=PaperTree({REGISTRY: registry_of("Review/*", "Lore.md")})
    ),
}


@for_each("change", CHANGES)
def test_an_approval_does_not_cover_another_plan(change: str) -> None:
    case = a_case("Soul.md")
    yes = a_yes(needed(case))

    denial = judged(CHANGES[change](case), yes)

    assert denial is not None
    assert denial.error_code == "APPROVAL_MISMATCH"
    assert denial.asks is not None
    assert denial.asks.plan_digest != yes.plan_digest


def test_an_approval_that_nothing_needs_is_denied_without_codes() -> None:
    yes = a_yes(needed(a_case("Soul.md")))

    denial = judged(a_case("Review/current.md"), yes)

    assert denial is not None
    assert denial.asks is not None
    assert denial.asks.codes == ()


NEVER = {
    "an escape": a_case("../Soul.md"),
    "a protected path": a_case(".git/config"),
    "a link": a_case("Linked/Soul.md", tree=PaperTree(links=("Linked",))),
    "a twin": a_case("soul.md", tree=PaperTree({"Soul.md": b""})),
    "an ignored path": a_case("Soul.md", tree=PaperTree({".intentignore": b"Soul.md\n"})),
    "an ignored intent": a_case("Soul.md", tree=PaperTree({".intentignore": b"intent:INT-001\n"})),
    "a broken registry": a_case("Soul.md", registry=b"active_intents: 3\n"),
    "a scope that is empty": a_case("Soul.md", registry=registry_of(), pin=pin_of(registry_of())),
    "an intent that is blocked": a_case("Soul.md", registry=registry_of("Review/*", status="BLOCKED")),
    "an unknown tool": a_case("Soul.md", tool="mystery"),
    "a command that is for the registry alone": a_case("Soul.md", tool="intent.edit"),
}


@for_each("what", NEVER)
def test_hard_denials_cannot_be_approved(what: str) -> None:
    denial = judged(NEVER[what])

    assert denial is not None
    assert denial.asks is None


@for_each("what", [what for what in NEVER if "command" not in what])
def test_an_approval_does_not_help_against(what: str) -> None:
    yes = a_yes(needed(a_case("Soul.md"))).model_copy(
        update={"codes": ("SCOPE_VIOLATION", "INTENT_CHANGED", "PATH_ESCAPE", "PATH_PROTECTED")}
    )

    assert judged(NEVER[what], yes) == judged(NEVER[what])


def test_a_path_escape_under_a_changed_intent_is_a_hard_denial() -> None:
    denial = judged(a_case("../Soul.md", registry=REWORDED))

    assert denial is not None
    assert denial.asks is None


Parts = st.fixed_dictionaries(
    {name: st.text(max_size=4) for name in ("intent_id", "entry_digest", "op_id", "tool", "mutation_class")}
    | {"contents": st.dictionaries(st.text(max_size=3), st.tuples(st.text(max_size=3), st.text(max_size=3)))}
)


@given(Parts, Parts)
def test_two_plans_have_one_digest_only_if_they_are_one(a: dict[str, str], b: dict[str, str]) -> None:
    assert (plan_digest(**a) == plan_digest(**b)) == (a == b)  # type: ignore[arg-type]
