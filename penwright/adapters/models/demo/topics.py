"""Knowledge of the demo model: a few statements, and the real work that each one can be found in."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement worth a citation. The recorded sources know the work."""

    sentence: str
    title: str
    authors: tuple[str, ...]
    """Surnames."""
    year: int
    topic: str


_CLAIMS = (
    Claim(
        "Models of many layers learn representations of images, speech and text by backpropagation.",
        "Deep learning",
        ("LeCun", "Bengio", "Hinton"),
        2015,
        "machine learning neural network deep model intelligence image speech diagnostics radiology",
    ),
    Claim(
        "A model for sequences can be built on attention alone and translate better than those before it.",
        "Attention Is All You Need",
        ("Vaswani", "Shazeer", "Parmar"),
        2017,
        "machine learning neural network language translation attention transformer artificial intelligence",
    ),
    Claim(
        "Networks whose layers learn residuals can be much deeper and still be trained.",
        "Deep Residual Learning for Image Recognition",
        ("He", "Zhang", "Ren", "Sun"),
        2016,
        "machine learning neural network deep image recognition vision radiology",
    ),
    Claim(
        "Recurrent networks with gates learn dependencies over long intervals.",
        "Long Short-Term Memory",
        ("Hochreiter", "Schmidhuber"),
        1997,
        "machine learning neural network memory sequence speech language",
    ),
    Claim(
        "Turing replaced the question whether machines can think by an imitation game.",
        "Computing Machinery and Intelligence",
        ("Turing",),
        1950,
        "artificial intelligence machine computer thinking mind",
    ),
    Claim(
        "The entropy of a source sets how far its messages can be shortened without loss.",
        "A Mathematical Theory of Communication",
        ("Shannon",),
        1948,
        "information communication channel entropy code signal computer",
    ),
    Claim(
        "A neural network predicts protein structures with atomic accuracy where no similar one is known.",
        "Highly accurate protein structure prediction with AlphaFold",
        ("Jumper", "Evans", "Pritzel"),
        2021,
        "biology protein structure prediction medicine drug artificial intelligence",
    ),
    Claim(
        "Two helical chains held together by pairs of bases form the structure of deoxyribose nucleic acid.",
        "Molecular Structure of Nucleic Acids: A Structure for Deoxyribose Nucleic Acid",
        ("Watson", "Crick"),
        1953,
        "biology gene genome structure heredity life",
    ),
    Claim(
        "Two RNAs direct an enzyme to cut DNA at a chosen place, which makes genomes editable.",
        "A Programmable Dual-RNA–Guided DNA Endonuclease in Adaptive Bacterial Immunity",
        ("Jinek", "Chylinski", "Fonfara"),
        2012,
        "biology gene genome editing medicine crispr therapy",
    ),
    Claim(
        "Local similarities between protein or DNA sequences can be found fast by a similarity score.",
        "Basic local alignment search tool",
        ("Altschul", "Gish", "Miller"),
        1990,
        "biology sequence protein gene search alignment software",
    ),
    Claim(
        "Where studies are small and bias is common, most claimed research findings are false.",
        "Why Most Published Research Findings Are False",
        ("Ioannidis",),
        2005,
        "research science study evidence method statistics publication trust medicine clinical review",
    ),
    Claim(
        "Of 100 replicated studies of psychology, only a third to a half gave the original result again.",
        "Estimating the reproducibility of psychological science",
        ("Open Science Collaboration",),
        2015,
        "research science study psychology replication evidence method publication trust review",
    ),
    Claim(
        "A report of a systematic review is expected to cover a checklist of 27 items.",
        "The PRISMA 2020 statement: an updated guideline for reporting systematic reviews",
        ("Page", "McKenzie", "Bossuyt"),
        2021,
        "research review evidence method reporting medicine clinical guideline",
    ),
    Claim(
        "Research data are most useful when they are findable, accessible, interoperable and reusable.",
        "The FAIR Guiding Principles for scientific data management and stewardship",
        ("Wilkinson", "Dumontier", "Aalbersberg"),
        2016,
        "research science data sharing open software stewardship method",
    ),
    Claim(
        "People who choose under risk give losses more weight than gains.",
        "Prospect Theory: An Analysis of Decision under Risk",
        ("Kahneman", "Tversky"),
        1979,
        "decision risk economics psychology choice behaviour policy health",
    ),
    Claim(
        "Most scientific computing in Python rests on one library of arrays.",
        "Array programming with NumPy",
        ("Harris", "Millman", "Virtanen"),
        2020,
        "software computing python data science array programming",
    ),
)
_GENRES = frozenset({"review", "paper", "report", "essay", "write", "article", "research", "study"})
"""Words that name a kind of text before they name a subject."""


def claims_about(instructions: str) -> tuple[Claim, ...]:
    """The claims that belong to the instructions, the nearest first; all about research if none does."""
    wanted = words_of(instructions) - _GENRES
    near = {claim: len(wanted & words_of(claim.topic)) for claim in _CLAIMS}
    related = sorted((claim for claim in _CLAIMS if near[claim]), key=lambda claim: -near[claim])
    return tuple(related or (claim for claim in _CLAIMS if "research" in claim.topic))


def claim_in(sentence: str) -> Claim | None:
    """The claim that stands in ``sentence``, whatever has been added to it."""
    text = _plain(sentence)
    return next((claim for claim in _CLAIMS if _plain(claim.sentence) in text), None)


def words_of(text: str) -> frozenset[str]:
    """Distinct words of four letters or more, in lower case, without a plural's `s`."""
    return frozenset(word.removesuffix("s") for word in re.findall(r"[^\W\d_]{4,}", text.lower()))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
