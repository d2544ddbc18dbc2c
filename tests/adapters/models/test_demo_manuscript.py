"""The demo model writes a manuscript from one line, and every edit of it fits."""

import re
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.adapters.models.demo.model import DemoProvider, answer
from penwright.adapters.models.demo.topics import Claim, claim_in, claims_about
from penwright.adapters.scholarly.recorded import recorded_sources, recorded_works
from penwright.domain.citations.scanning.offering import line_of
from penwright.domain.citations.scanning.research import look_ups
from penwright.domain.citations.verdicts import judge
from penwright.domain.manuscript.placeholders import Accumulated, Sources
from penwright.domain.text.patches import apply
from penwright.domain.text.words import count_words
from penwright.roles.manuscript import briefing
from penwright.roles.manuscript.cast import ROLES
from penwright.roles.manuscript.edit_reply import OPERATIONS
from penwright.roles.tasks.task_params import TaskParams
from schemas.manuscript_roles import (
    CitationOrder,
    Critiqued,
    CritiqueHanded,
    Decided,
    Delivery,
    Edited,
    FoundRecords,
    GeneratorAnswer,
    Guided,
    Handed,
    LegalActions,
    ManuscriptRole,
    Planned,
    PlannedSection,
    RunSettings,
    SectionOrder,
    Targeted,
    TargetsFound,
)
from schemas.model import Message
from schemas.patching import OperationResult
from schemas.scholarly import Identifier, Reference
from tests.support.agents.role_replies import blobs, read
from tests.support.agents.scripted_model import model_request
from tests.support.each import for_each
from tests.support.sweeps import examples

REVIEW = "Write a 500-word review of how deep learning changed the prediction of protein structures."
STEP = "the-step"
CLAIMS = sorted(
    {*claims_about("research data"), *claims_about("deep learning"), *claims_about("gene biology")},
    key=lambda claim: claim.title,
)


@dataclass
class Manuscript:
    """A manuscript in the hands of the demo model."""

    instructions: str = REVIEW
    text: str = ""
    plan: tuple[PlannedSection, ...] = ()
    results: list[OperationResult] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kept = blobs()

    def now(self) -> Accumulated:
        return Accumulated(
            current_manuscript=self.text,
            manuscript_word_count=count_words(self.text),
            section_plan=self.plan,
            format_guidance="### Style\n\nPlain.",
        )

    def request(self, role: ManuscriptRole, *handed: Handed, sentences: int = 0) -> tuple[str, TaskParams]:
        sources = Sources(STEP, RunSettings(instructions=self.instructions), self.now, handed)
        prompt = briefing.prompt(role, sources, sentences=sentences)
        return prompt.text, TaskParams.model_validate(prompt.params["TaskParams"])

    def ask(self, role: ManuscriptRole, *handed: Handed, sentences: int = 0) -> Delivery:
        text, task = self.request(role, *handed, sentences=sentences)
        found = read(role, answer(model_request(text)), task=task, kept=self.kept)
        assert isinstance(found, Delivery), found
        return found

    def edit(self, role: ManuscriptRole, *handed: Handed) -> None:
        found = self.ask(role, *handed)
        assert isinstance(found, Edited)
        operations = OPERATIONS.validate_json(self.kept.get(found.operations))
        patched = apply(operations, self.text, max_hunks=5)
        self.text = patched.text
        self.results += patched.results

    def write_all(self) -> None:
        planned = self.ask("planner")
        assert isinstance(planned, Planned)
        self.plan = planned.section_plan
        for each in self.plan:
            if each.status == "pending":
                self.edit("writer", SectionOrder(for_step=STEP, **each.model_dump(exclude={"status"})))

    def judged(self) -> Critiqued:
        found = self.ask("critic")
        assert isinstance(found, Critiqued)
        return found

    def revise(self, *items: str) -> None:
        self.edit("reviser", CritiqueHanded(for_step=STEP, critique_summary="s", action_items=items))


def titles(text: str) -> list[str]:
    return re.findall(r"^## (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize(
    "instructions",
    [
        REVIEW,
        "Write something.",
        "A report on gene editing, 1,500 words",
        "Über das Wetter",
        "write on $& {x}",
    ],
)
def test_one_line_becomes_a_whole_manuscript_whose_score_rises(instructions: str) -> None:
    made = Manuscript(instructions)

    made.write_all()
    first = made.judged()
    made.revise(*first.action_items)
    second = made.judged()

    assert titles(made.text) == [each.section_title for each in made.plan]
    assert {result.outcome for result in made.results} == {"applied"}
    assert first.score < 0.8 <= second.score
    assert first.action_items
    assert not second.action_items


def test_the_guidance_is_labelled_as_demo() -> None:
    made = Manuscript()
    found = made.ask("formatter")

    assert isinstance(found, Guided)
    guidance = made.kept.get(found.format_guidance).decode()
    assert "(Written by the demo model.)" in guidance
    assert "500 words" in guidance


@pytest.mark.parametrize("words", [200, 500, 1_000])
def test_it_is_about_as_long_as_was_wanted(words: int) -> None:
    made = Manuscript(f"Write on research methods, {words} words.")

    made.write_all()

    assert 0.7 * words <= count_words(made.text) <= 1.5 * words


def test_no_sentence_stands_twice() -> None:
    made = Manuscript("Write on research methods, 1500 words.")

    made.write_all()

    said = [each for each in re.split(r"(?<=[.!?])\s+", made.text) if len(each) > 30]
    assert len(said) == len(set(said))


def test_what_stands_already_keeps_its_place_and_its_citations() -> None:
    own = "I begin with my own words [[@book{own2001trust, title={Trust}}]].\n"
    made = Manuscript("On trust in research", f"# Mine\n\n## Introduction\n\n{own}\n## Conclusion\n")

    made.write_all()
    made.revise(*made.judged().action_items)

    assert made.plan[0].status == "drafted"
    assert titles(made.text) == ["Introduction", "Background", "What is known", "Conclusion"]
    assert own in made.text
    assert {result.outcome for result in made.results} == {"applied"}


def test_sections_follow_the_markup_of_the_manuscript() -> None:
    made = Manuscript("On trust", "\\section{Introduction}\n\nI begin with my own words about trust.\n")

    made.write_all()

    assert re.findall(r"\\section\{(.+)\}", made.text) == [each.section_title for each in made.plan]


def test_the_manager_takes_the_most_advisable_action() -> None:
    found = Manuscript().ask(
        "manager", LegalActions(for_step=STEP, legal_actions=("critique_manuscript", "finish"))
    )

    assert isinstance(found, Decided)
    assert found.action == "critique_manuscript"


def numbered(text: str) -> tuple[str, ...]:
    return tuple(" ".join(each.split()) for each in re.split(r"(?<=[.!?”])\s+|\n\n", text) if each.strip())


def test_it_names_its_statements_and_finds_the_works_behind_them() -> None:
    made = Manuscript()
    made.write_all()
    sentences = numbered(made.text)
    made.text = "\n".join(f"[{at}] {each}" for at, each in enumerate(sentences, 1))

    first = made.ask(
        "citation-orchestrator", TargetsFound(for_step=STEP, targets_wanted=2), sentences=len(sentences)
    )
    assert isinstance(first, Targeted)
    named = tuple(each.sentence for each in first.citation_targets)
    then = made.ask(
        "citation-orchestrator",
        TargetsFound(for_step=STEP, already_identified_targets=named, targets_wanted=10),
        sentences=len(sentences),
    )

    assert isinstance(then, Targeted)
    assert len(named) == 2
    assert then.citation_targets
    assert not {each.sentence for each in then.citation_targets} & set(named)
    titles_known = {work.title for work in recorded_works()}
    for each in (*first.citation_targets, *then.citation_targets):
        order = CitationOrder(
            for_step=STEP,
            sentence_citation_target=sentences[each.sentence - 1],
            reason_citation_target=each.reason_citation_target,
        )
        proposed = made.ask("citation-generator", order)
        assert isinstance(proposed, GeneratorAnswer)
        assert proposed.queries[0].title in titles_known
        records = FoundRecords(
            for_step=STEP,
            found_records=(
                "A history of dams, Ott, 1911",
                f"{proposed.queries[0].title}, {proposed.queries[0].year}",
            ),
        )
        picked = made.ask("citation-generator", order, records)
        assert isinstance(picked, GeneratorAnswer)
        assert picked.chosen == (2,)


def test_a_rescan_names_no_sentence_that_has_a_citation() -> None:
    made = Manuscript()
    claim = claims_about(REVIEW)[0].sentence
    made.text = f"[1] {claim} [[@article{{a2021b, title={{T}}}}]]\n[2] Plain words."

    found = made.ask("citation-orchestrator", TargetsFound(for_step=STEP, targets_wanted=5), sentences=2)

    assert isinstance(found, Targeted)
    assert found.citation_targets == ()


def test_records_that_do_not_fit_are_not_picked() -> None:
    order = CitationOrder(
        for_step=STEP,
        sentence_citation_target=claims_about(REVIEW)[0].sentence,
        reason_citation_target="r",
    )
    found = Manuscript().ask(
        "citation-generator",
        order,
        FoundRecords(for_step=STEP, found_records=("A history of dams, Ott, 1911",)),
    )

    assert isinstance(found, GeneratorAnswer)
    assert found.chosen == ()


@for_each("claim", CLAIMS)
async def test_every_statement_leads_to_a_verified_record(claim: Claim) -> None:
    made, sources = Manuscript(), recorded_sources()
    order = CitationOrder(
        for_step=STEP, sentence_citation_target=claim.sentence, reason_citation_target="A finding."
    )

    proposed = made.ask("citation-generator", order)
    assert isinstance(proposed, GeneratorAnswer)
    records = [
        record
        for asked in look_ups(proposed, None)
        if asked.query
        for record in (await sources.search(asked.query)).records
    ]
    found = FoundRecords(for_step=STEP, found_records=tuple(map(line_of, records)))
    picked = made.ask("citation-generator", order, found)
    assert isinstance(picked, GeneratorAnswer)
    (number,) = picked.chosen
    record = records[number - 1]
    again = await sources.resolve(Identifier(kind="doi", value=record.doi))

    assert record.title == claim.title
    assert judge(Reference.model_validate(record.model_dump()), again).status == "verified"


def test_every_statement_is_of_a_recorded_work_that_stands() -> None:
    works = {work.title: work for work in recorded_works()}

    for claim in CLAIMS:
        work = works[claim.title]
        assert work.notice is None
        assert work.year == claim.year
        assert {author.family for author in work.authors} >= set(claim.authors)
        assert claim_in(f"As is known, {claim.sentence} [1]") == claim


@for_each("role", ROLES)
def test_equal_requests_give_equal_answers_and_op_ids_count_for_nothing(role: ManuscriptRole) -> None:
    made = Manuscript()
    made.write_all()
    handed = (
        SectionOrder(for_step=STEP, section_title="Silt", section_summary="s", section_word_count=100),
        CritiqueHanded(for_step=STEP, action_items=("Say why.",)),
        CitationOrder(for_step=STEP, sentence_citation_target="It rose.", reason_citation_target="r"),
        LegalActions(for_step=STEP, legal_actions=("finish",)),
        TargetsFound(for_step=STEP, targets_wanted=3),
    )
    text, _ = made.request(role, *handed)

    assert answer(model_request(text, op_id="a")) == answer(model_request(text, op_id="b"))


async def test_an_answer_of_the_demo_model_says_so() -> None:
    text, _ = Manuscript().request("planner")

    response = await DemoProvider().complete(model_request(text))

    assert (response.demo, response.model) == (True, "demo")


async def test_a_repair_is_answered_as_the_task_was() -> None:
    text, _ = Manuscript().request("critic")
    messages = (
        Message(role="user", content=text),
        Message(role="assistant", content="x"),
        Message(role="user", content="The reply held no JSON."),
    )

    assert isinstance(
        read("critic", answer(model_request().model_copy(update={"messages": messages}))), Critiqued
    )


@given(
    text=st.text(st.characters(exclude_categories=["Cs"])),
    instructions=st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
)
@settings(max_examples=examples(60), deadline=None)
def test_any_manuscript_and_any_instructions_are_answered(text: str, instructions: str) -> None:
    made = Manuscript(instructions, text)
    order = SectionOrder(for_step=STEP, section_title="Silt", section_summary="s", section_word_count=60)

    for role in ("formatter", "planner", "critic"):
        made.ask(role)
    prompt, _ = made.request("writer", order)
    assert "@@@ end" in answer(model_request(prompt))
