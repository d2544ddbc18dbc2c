"""The gate over a tree of real bytes: the specified cases, and attempts to evade them."""

import hashlib
import string
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.files.layout import COMPLETE, README
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.gate import IntentGate
from penwright.domain.intents.ignoring import IGNORE_FILES, idle_rules, read_ignored
from penwright.domain.intents.paths import why_unsafe
from penwright.domain.intents.registry import REGISTRY, read_registry
from penwright.domain.intents.scope import Scope
from penwright.domain.intents.tools import AGENT
from penwright.domain.text.globs import matches
from penwright.domain.trace.layout import CLOSED, LEDGER, MANIFEST, MAP, segment_path
from schemas.intents import IntentPin
from schemas.trace import MutationClass
from schemas.workspace import Contributor, Create, Denial, Modify, MutationPlan, Operation, Rename, Workspace
from tests.support.each import for_each

ENTRY = """\
  - id: {id}
    status: {status}
    owned_scope: {scope}
"""


def registry_of(*scope: str, status: str = "IN_PROGRESS") -> bytes:
    return ("active_intents:\n" + ENTRY.format(id="INT-001", status=status, scope=list(scope))).encode()


@dataclass
class PaperTree:
    """A committed tree on paper."""

    files: dict[str, bytes] = field(default_factory=dict)
    links: tuple[str, ...] = ()

    def kind(self, path: str) -> str | None:
        if path in self.links:
            return "link"
        return "file" if path in self.files else "folder" if self.names(path) else None

    def content(self, path: str) -> bytes | None:
        return self.files.get(path)

    def blob(self, path: str) -> str:
        content = self.files.get(path)
        return "" if content is None else hashlib.sha1(content).hexdigest()

    def names(self, folder: str) -> tuple[str, ...]:
        prefix = f"{folder}/" if folder else ""
        every = (*self.files, *self.links)
        return tuple({path[len(prefix) :].partition("/")[0] for path in every if path.startswith(prefix)})


@dataclass
class PaperCase:
    """A plan against a tree."""

    plan: MutationPlan
    tip: PaperTree
    after: dict[str, bytes | str | None]
    op_id: str = "op-1"


def pin_of(registry: bytes, intent_id: str = "INT-001") -> IntentPin:
    found = read_registry(registry).find(intent_id)
    return IntentPin(intent_id=intent_id, digest=found.digest if found else "")


def judge(
    *operations: Operation,
    registry: bytes | None = None,
    tree: PaperTree | None = None,
    pin: IntentPin | None = None,
    tool: str = "edit",
) -> Denial | None:
    tip = tree or PaperTree()
    if registry is not None:
        tip.files[REGISTRY] = registry
    after = {each.path: each.content.encode() for each in operations if isinstance(each, Create | Modify)}
    plan = MutationPlan(
        workspace=Workspace(path="/nowhere"),
        message="Change",
        contributor=Contributor.MODEL,
        operations=operations,
        tool=tool,
        pin=pin,
        mutation=MutationClass.INTENT_EVOLUTION,
    )
    return IntentGate(BOOK_PROFILE).judge(PaperCase(plan, tip, dict(after)))


def write(path: str = "Chapters material/a.md", content: str = "New.\n") -> Create:
    return Create(path=path, content=content)


OPEN = registry_of("**")


def code_of(denial: Denial | None) -> str:
    return denial.error_code if denial else "allowed"


# No intent, a bad intent, a good intent.


@for_each("tool", sorted(AGENT | BOOK_PROFILE.writer_tools))
@for_each("pin", [None, IntentPin(intent_id="", digest=""), IntentPin(intent_id=" ", digest="")])
def test_a_tool_that_changes_text_is_denied_without_a_selected_intent(
    tool: str, pin: IntentPin | None
) -> None:
    denial = judge(write(), registry=OPEN, tool=tool, pin=pin)

    assert denial is not None
    assert (denial.error_type, denial.error_code) == ("MISSING_OR_INVALID_INTENT", "INTENT_NOT_SELECTED")
    assert "select_active_intent" in denial.action_hint
    assert denial.details["available"] == "INT-001"


@for_each("tool", sorted(AGENT | BOOK_PROFILE.writer_tools))
def test_a_tool_that_changes_text_is_allowed_under_an_intent_in_progress(tool: str) -> None:
    assert judge(write(), registry=OPEN, tool=tool, pin=pin_of(OPEN)) is None


@for_each(
    "registry, code",
    [
        (None, "REGISTRY_MISSING"),
        (b"\xff", "REGISTRY_UNREADABLE"),
        (b"", "REGISTRY_INVALID"),
        (b"active_intents: [", "REGISTRY_INVALID"),
        (b"intents: []\n", "REGISTRY_INVALID"),
        (b"active_intents: []\n", "INTENT_UNKNOWN"),
    ],
)
def test_without_a_registry_that_can_be_read_nothing_is_written(registry: bytes | None, code: str) -> None:
    assert code_of(judge(write(), registry=registry, pin=IntentPin(intent_id="INT-001", digest=""))) == code


def test_a_registry_that_is_a_link_is_not_followed() -> None:
    tree = PaperTree(links=(REGISTRY,))

    assert code_of(judge(write(), tree=tree, pin=pin_of(OPEN))) == "REGISTRY_UNREADABLE"


@pytest.mark.parametrize("wanted", ["int-001", "INT-1", "INT-0011"])
def test_an_id_is_compared_letter_by_letter(wanted: str) -> None:
    pin = pin_of(OPEN).model_copy(update={"intent_id": wanted})

    assert code_of(judge(write(), registry=OPEN, pin=pin)) == "INTENT_UNKNOWN"


@pytest.mark.parametrize("status", ["PENDING", "BLOCKED", "COMPLETED"])
def test_only_an_intent_in_progress_may_write(status: str) -> None:
    registry = registry_of("**", status=status)

    assert code_of(judge(write(), registry=registry, pin=pin_of(registry))) == "INTENT_NOT_WRITABLE"


def test_an_intent_that_was_changed_must_be_selected_again() -> None:
    denial = judge(write(), registry=registry_of("a/**", "**"), pin=pin_of(OPEN))

    assert denial is not None
    assert denial.error_code == "INTENT_CHANGED"
    assert denial.details["expected"] == pin_of(OPEN).digest


@pytest.mark.parametrize("tool", ["", "generate_image", "use_mcp_tool", "Edit", "book.burn"])
def test_an_unregistered_tool_is_denied(tool: str) -> None:
    assert code_of(judge(write(), registry=OPEN, pin=pin_of(OPEN), tool=tool)) == "UNKNOWN_TOOL"


@for_each("tool", sorted(BOOK_PROFILE.engine_tools))
def test_the_engines_own_bookkeeping_needs_no_intent(tool: str) -> None:
    assert judge(write(".ink-state.yml"), tool=tool) is None


def test_a_persons_command_may_change_the_registry_and_nothing_else() -> None:
    assert judge(write(REGISTRY), tool="intent.edit") is None
    assert code_of(judge(write(REGISTRY), write("a.md"), tool="intent.edit")) == "SCOPE_VIOLATION"


@pytest.mark.parametrize("path", [LEDGER, MANIFEST, segment_path(1), segment_path(12)])
def test_a_repair_may_put_back_any_file_of_the_ledger_and_nothing_else(path: str) -> None:
    assert judge(write(path), tool="trace.repair") is None
    assert code_of(judge(write(path), write(f"{CLOSED}/a/1.jsonl"), tool="trace.repair")) == "SCOPE_VIOLATION"
    assert code_of(judge(write(path), write(MAP), tool="trace.repair")) == "SCOPE_VIOLATION"
    assert code_of(judge(write(path), registry=OPEN, pin=pin_of(OPEN))) == "PATH_PROTECTED"


def test_an_error_inside_the_gate_is_a_denial() -> None:
    class Broken(PaperTree):
        def content(self, path: str) -> bytes | None:
            raise OSError("disk on fire")

    assert code_of(judge(write(), tree=Broken({REGISTRY: b""}), pin=pin_of(OPEN))) == "GATE_FAILED"


# Paths.


@for_each(
    "path",
    [
        "Chapters material/../.orchestration/active_intents.yaml",
        "Chapters material/./a.md",
        "Chapters material//a.md",
        "Chapters material/a.md/",
        "Chapters material\\a.md",
        "C:/a.md",
        "/etc/passwd",
        "a\0b.md",
        "a\nb.md",
        "",
        "a./b.md",
        "a /b.md",
        "cafe\u0301.md",
        "Soul\u202edm.",
        "Soul\u200b.md",
        "\ufeffSoul.md",
        "Soul\u2066.md",
        "Soul\ud800.md",
    ],
)
def test_a_path_that_is_not_plain_is_refused_before_any_scope(path: str) -> None:
    assert code_of(judge(write(path), registry=OPEN, pin=pin_of(OPEN))) == "PATH_ESCAPE"


@for_each(
    "path",
    [
        ".git/config",
        "sub/.GIT/config",
        ".orchestration/active_intents.yaml",
        ".Orchestration/x",
        ".intentignore",
        ".gitattributes",
        ".ink-state.yml",
        ".INK-running",
        ".ink-kill",
        "COMPLETE",
        "Changelog/x.md",
        ".github/workflows/x.yml",
        ".gitmodules",
        ".gitmodules/x",
        "Lore/.gitmodules/x.md",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        ".travis.yml",
        ".woodpecker/x.yml",
        "Jenkinsfile",
        "sub/.github/workflows/x.yml",
        ".claude/settings.json",
        ".cursor/rules/x.md",
        ".vscode/tasks.json",
        ".idea/workspace.xml",
        ".devcontainer/devcontainer.json",
        ".mcp.json",
        "AGENTS.md",
        "Lore/CLAUDE.md",
        ".pre-commit-config.yaml",
        "Global Material/Config.yml",
    ],
)
def test_no_scope_reaches_a_protected_path(path: str) -> None:
    assert code_of(judge(write(path), registry=OPEN, pin=pin_of(OPEN))) == "PATH_PROTECTED"


def test_the_engine_writes_its_bookkeeping_beside_the_prose_it_was_given() -> None:
    bookkeeping = (write(".ink-state.yml"), write("Changelog/2026-01-01-00-00.md"))
    prose = registry_of("Review/current.md")

    denial = judge(
        write("Review/current.md"), *bookkeeping, registry=prose, pin=pin_of(prose), tool="book.close"
    )

    assert denial is None


def test_links_are_never_written_through() -> None:
    tree = PaperTree(links=("Chapters material",))

    assert code_of(judge(write(), registry=OPEN, tree=tree, pin=pin_of(OPEN))) == "PATH_LINK"


@pytest.mark.parametrize(
    ("there", "wanted"), [("Notes/A.md", "notes/A.md"), ("Café.md", "CAFÉ.md"), ("a.md", "A.md")]
)
def test_a_path_that_collides_on_some_disks_is_denied(there: str, wanted: str) -> None:
    tree = PaperTree({there: b"x"})

    assert code_of(judge(write(wanted), registry=OPEN, tree=tree, pin=pin_of(OPEN))) == "PATH_TWIN"


# Scope.


@pytest.mark.parametrize("scope", [[], [""], ["!a.md"]])
def test_an_intent_that_owns_nothing_may_write_nothing(scope: list[str]) -> None:
    registry = registry_of(*scope)

    assert code_of(judge(write(), registry=registry, pin=pin_of(registry))) == "SCOPE_EMPTY"


def test_both_ends_of_a_move_must_be_owned() -> None:
    registry = registry_of("a/**")
    tree = PaperTree({"a/x.md": b"x", "b/y.md": b"y"})

    out = judge(
        Rename(path="a/x.md", to="b/x.md", base=""), registry=registry, tree=tree, pin=pin_of(registry)
    )
    into = judge(
        Rename(path="b/y.md", to="a/y.md", base=""), registry=registry, tree=tree, pin=pin_of(registry)
    )

    assert (code_of(out), code_of(into)) == ("SCOPE_VIOLATION", "SCOPE_VIOLATION")


def test_one_path_outside_denies_the_whole_plan_and_names_it() -> None:
    registry = registry_of("a/**")

    denial = judge(write("a/x.md"), write("b/y.md"), write("c.md"), registry=registry, pin=pin_of(registry))

    assert denial is not None
    assert denial.details["paths"] == "b/y.md, c.md"


def test_a_sealing_under_an_intent_moves_only_what_that_owns() -> None:
    narrow, wide = registry_of("Review/*"), registry_of("Review/*", "Current version/*")
    plan = [write(path) for path in ("Current version/Full_Book.md", "Review/current.md", README, COMPLETE)]

    denial = judge(*plan, registry=narrow, pin=pin_of(narrow), tool="book.complete")

    assert denial is not None
    assert denial.asks is not None
    assert denial.asks.denied == ("Current version/Full_Book.md",)
    assert judge(*plan, registry=wide, pin=pin_of(wide), tool="book.complete") is None
    assert judge(*plan, registry=narrow, tool="book.complete") is None


def test_all_that_is_wrong_with_a_plan_is_named_at_once() -> None:
    registry = registry_of("a/**", "Lore/**")
    tree = PaperTree({".intentignore": b"Lore/old.md\n", "Lore/map.md": b""}, links=("Linked",))

    denial = judge(
        write("a/x.md"),
        write("../up.md"),
        write("Lore/old.md"),
        write("Lore/Map.md"),
        write("Linked/x.md"),
        write("b/y.md"),
        write("c.md"),
        write(".git/config"),
        registry=registry,
        tree=tree,
        pin=pin_of(registry),
    )

    assert denial is not None
    assert denial.asks is None
    assert set(denial.details["codes"].split(", ")) == {
        "PATH_ESCAPE",
        "PATH_IGNORED",
        "PATH_LINK",
        "PATH_PROTECTED",
        "PATH_TWIN",
        "SCOPE_VIOLATION",
    }
    assert denial.error_code == denial.details["codes"].split(", ")[0]
    named = ("../up.md", "Lore/old.md", "Lore/Map.md", "Linked/x.md", "b/y.md", "c.md", ".git/config")
    assert all(path in denial.message and path in denial.details["paths"] for path in named)
    assert "a/x.md" not in denial.message


@for_each("ignore", IGNORE_FILES)
@for_each("rules", ["Global Material/**\n!Global Material/Lore.md", "\ufeff# canon\r\nSoul.md\r\n", "*.md"])
def test_an_ignore_file_takes_away_what_an_intent_owns(ignore: str, rules: str) -> None:
    tree = PaperTree({ignore: rules.encode()})

    denial = judge(write("Global Material/Soul.md"), registry=OPEN, tree=tree, pin=pin_of(OPEN))

    assert denial is not None
    assert (denial.error_type, denial.error_code) == ("INTENTIGNORE_PATH_BLOCKED", "PATH_IGNORED")


def test_an_ignore_file_gives_back_only_what_it_took() -> None:
    tree = PaperTree({IGNORE_FILES[0]: b"*.md\n!Lore.md\n!Soul.md\n", IGNORE_FILES[1]: b"Soul.md\n"})

    judged = {
        path: judge(write(path), registry=OPEN, tree=tree, pin=pin_of(OPEN))
        for path in ("Lore.md", "Soul.md")
    }

    assert {path: code_of(denial) for path, denial in judged.items()} == {
        "Lore.md": "allowed",
        "Soul.md": "PATH_IGNORED",
    }


def test_an_ignored_intent_may_not_write() -> None:
    tree = PaperTree({".intentignore": b"intent:INT-001\n"})

    assert code_of(judge(write(), registry=OPEN, tree=tree, pin=pin_of(OPEN))) == "INTENT_IGNORED"


def test_an_ignore_file_that_cannot_be_read_denies() -> None:
    tree = PaperTree({".intentignore": b"\xff"})

    assert code_of(judge(write(), registry=OPEN, tree=tree, pin=pin_of(OPEN))) == "IGNORE_UNREADABLE"


@for_each("ignore", IGNORE_FILES)
@for_each(
    "rule, instead",
    [
        ("Soul.md # canon", "write `Soul.md`"),
        ("{Soul,Lore}.md", "one line for each"),
        ("Intent:INT-002", "write one line `intent:ID`"),
        ("intent : INT-002", "write one line `intent:ID`"),
        ("intent INT-002", "write one line `intent:ID`"),
        ("intents: INT-002, INT-003", "write one line `intent:ID`"),
        ("intent=INT-002", "write one line `intent:ID`"),
        ("intent:", "write one line `intent:ID`"),
        ("intent:INT-*", "write one line `intent:ID`"),
        ("intent:INT-002 # not now", "write one line `intent:ID`"),
        ('intent:"INT-002"', "write one line `intent:ID`"),
        ("!intent:INT-002", "write one line `intent:ID`"),
        ("path:Soul.md", r"`path\:` in a name"),
    ],
)
def test_a_rule_that_cannot_be_read_denies_and_says_what_to_write(
    ignore: str, rule: str, instead: str
) -> None:
    tree = PaperTree({ignore: f"# mine\nLore.md\n{rule}\n".encode()})

    denial = judge(write(), registry=OPEN, tree=tree, pin=pin_of(OPEN))

    assert denial is not None
    assert denial.error_code == "IGNORE_UNREADABLE"
    assert f"line 3 of {ignore}" in denial.message
    assert instead in denial.message


def test_rules_that_protect_nothing_are_named() -> None:
    ignored = read_ignored("soul.md\nLore/\nSoul.md\nintent:int-001\nGone.md\n!Soul.md\n!Lore/map.md\n")

    idle = idle_rules(ignored, ("Soul.md", "Lore/map.md"), ("INT-001",))

    assert [(each.line, each.why.partition(";")[2].strip()) for each in idle] == [
        (4, "'INT-001' differs in case"),
        (1, "'Soul.md' differs in case"),
        (5, ""),
        (7, "what is below an ignored folder stays ignored"),
    ]


GLOBS = [
    ("src/**", "src/a.md", True),
    ("src/**", "src/a/b.md", True),
    ("src/**", "src", False),
    ("src/**/x.md", "src/x.md", True),
    ("src/**/x.md", "src/a/b/x.md", True),
    ("**", "a/b.md", True),
    ("*.md", "a.md", True),
    ("*.md", "a/b.md", False),
    ("?.md", "é.md", True),
    ("?.md", "ab.md", False),
    ("docs/", "docs/a/b.md", True),
    ("docs/", "docsx/a.md", False),
    ("a b (c)/*.md", "a b (c)/d.md", True),
    ("a[b].md", "a[b].md", False),
    ("a[b].md", "ab.md", True),
    ("A.md", "a.md", False),
    ("a%23b.md", "a#b.md", True),
]


@for_each("pattern, path, fits", GLOBS)
def test_patterns_match_as_tabulated(pattern: str, path: str, fits: bool) -> None:
    assert Scope.of([pattern]).may_own(path) is fits


BOOK = """\
# The Tide

Front.

## Chapter 3

Calm.

### The Harbour

Boats.

### Letter from Mira

Dear all.

## Chapter 4

Storm.
"""


@for_each(
    "scope, old, new, fits",
    [
        (["b.md#Chapter 3/**"], "Boats.", "Ships.", True),
        (["b.md#Chapter 3/**"], "Calm.", "Quiet.\n\nMore.", True),
        (["b.md#Chapter 3/**"], "### The Harbour", "### The Port", True),
        (["b.md#Chapter 3/**"], "Storm.", "Rain.", False),
        (["b.md#Chapter 3/**"], "Boats.", "Boats.\n\n## Chapter 5\n\nNew.", False),
        (["b.md#Chapter 3/**"], "## Chapter 3", "## Chapter 30", False),
        (["b.md#Chapter 3"], "Calm.", "Quiet.", True),
        (["b.md#Chapter 3"], "Boats.", "Ships.", False),
        (["b.md#The Tide/Chapter 3/The Harbour"], "Boats.", "Ships.", True),
        (["b.md#*/The Harbour"], "Boats.", "Ships.", True),
        (["b.md#Chapter 9/**"], "Boats.", "Ships.", False),
        (["b.md#Chapter 3/**", "!b.md#Chapter 3/Letter from Mira"], "Boats.", "Ships.", True),
        (["b.md#Chapter 3/**", "!b.md#Chapter 3/Letter from Mira"], "Dear all.", "Dear you.", False),
        (["b.md", "!b.md#Letter from Mira"], "Dear all.", "Dear you.", False),
        (["b.md", "!b.md#Letter from Mira"], "### Letter from Mira\n\nDear all.\n\n", "", False),
        (["b.md", "!b.md#Letter from Mira"], "Storm.", "Rain.", True),
    ],
)
def test_a_selector_owns_exactly_one_section(scope: list[str], old: str, new: str, fits: bool) -> None:
    before = BOOK.encode()
    after = BOOK.replace(old, new, 1).encode()
    assert before != after

    allowed = Scope.of(scope).allows("b.md", before, after)

    assert (allowed is not None) is fits


def test_a_heading_in_a_code_fence_begins_no_section() -> None:
    before = b"# A\n\nOne.\n\n```\n# B\n```\n\n# C\n"
    after = before.replace(b"# B", b"# Bee")

    assert Scope.of(["x.md#A"]).allows("x.md", before, after) == "x.md#A"
    assert Scope.of(["x.md#B"]).allows("x.md", before, after) is None


def test_a_section_of_a_file_that_is_made_or_removed_is_not_owned() -> None:
    assert Scope.of(["x.md#A"]).allows("x.md", None, b"# A\n\nNew.\n") is None
    assert Scope.of(["x.md#A"]).allows("x.md", b"# A\n\nOld.\n", None) is None


segments = st.text(string.ascii_letters + " .é", min_size=1, max_size=6)
plain_paths = (
    st.lists(segments, min_size=1, max_size=4).map("/".join).filter(lambda path: why_unsafe(path) is None)
)
# A scope is read line by line, so blanks around a pattern mean nothing.
patterns = (
    st.lists(st.one_of(segments, st.sampled_from(["*", "**", "?", "*.md"])), min_size=1, max_size=4)
    .map(lambda parts: "/".join(parts).strip())
    .filter(bool)
)


@given(
    plain_paths,
    st.lists(patterns, max_size=4),
    st.lists(patterns, max_size=3),
    st.randoms(use_true_random=False),
)
def test_exclusion_wins_in_any_order_of_patterns(path, includes, excludes, dice) -> None:  # type: ignore[no-untyped-def]
    lines = [*includes, *(f"!{pattern}" for pattern in excludes)]
    shuffled = list(lines)
    dice.shuffle(shuffled)

    allowed = Scope.of(lines).allows(path, None, b"")

    assert (allowed is None) == (Scope.of(shuffled).allows(path, None, b"") is None)
    assert (allowed is not None) == (
        any(matches(each, path) for each in includes) and not any(matches(each, path) for each in excludes)
    )


@given(
    st.lists(st.sampled_from(["..", ".", "", "a", "b\\c", "d\0", "ok.md"]), min_size=1, max_size=5).map(
        "/".join
    )
)
def test_no_path_that_would_have_to_be_resolved_is_ever_allowed(path: str) -> None:
    unsafe = any(part not in ("a", "ok.md") for part in path.split("/"))

    assert (code_of(judge(write(path), registry=OPEN, pin=pin_of(OPEN))) == "PATH_ESCAPE") is unsafe


@given(plain_paths)
def test_a_path_matches_itself_and_its_folder(path: str) -> None:
    assert matches(path, path)
    if "/" in path:
        assert matches(path.rpartition("/")[0] + "/", path)
