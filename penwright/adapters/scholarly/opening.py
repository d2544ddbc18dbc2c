"""Open the registries that are set up."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import httpx

from penwright.adapters.scholarly.arxiv import Arxiv
from penwright.adapters.scholarly.crossref import Crossref
from penwright.adapters.scholarly.datacite import DataCite
from penwright.adapters.scholarly.host import Host, HostQueue, Pace
from penwright.adapters.scholarly.openalex import OpenAlex
from penwright.adapters.scholarly.pubmed import PubMed
from penwright.adapters.scholarly.source import AllSources, Registry, RegistrySource
from penwright.ports.scholarly import ScholarlySources
from schemas.scholarly import SourceName

ADDRESSES: Final[Mapping[SourceName, str]] = MappingProxyType(
    {
        "crossref": "https://api.crossref.org",
        "pubmed": "https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
        "openalex": "https://api.openalex.org",
        "datacite": "https://api.datacite.org",
        "arxiv": "https://export.arxiv.org",
    }
)


@dataclass(frozen=True)
class Registries:
    """Settings for requests to the registries."""

    sources: tuple[SourceName, ...]
    contact: str = ""
    """E-mail address that is sent with every request; empty: none."""
    program: str = "Penwright"
    """Name and version of the program, for the header ``User-Agent``."""
    addresses: Mapping[SourceName, str] = field(default_factory=dict)
    """Base URLs that replace those of ``ADDRESSES``."""
    keys: Mapping[SourceName, str] = field(default_factory=dict)
    timeout_s: float = 20
    """Longest time of one request."""
    gap_factor: float = 1
    """Multiplies the least time between two requests."""


@asynccontextmanager
async def open_sources(registries: Registries) -> AsyncIterator[ScholarlySources]:
    """Yield the registries as one source; close their connections at the end."""
    agent = registries.program + (f" (mailto:{registries.contact})" if registries.contact else "")
    async with httpx.AsyncClient(headers={"User-Agent": agent}, timeout=registries.timeout_s) as client:
        names = dict.fromkeys(registries.sources)
        yield AllSources([RegistrySource(_registry(registries, name, client)) for name in names])


def pace(registries: Registries, name: SourceName) -> Pace:
    """Return the pace of a registry: what it asks for, for those with a contact address or key."""
    polite, key = bool(registries.contact), bool(registries.keys.get(name))
    paces: Mapping[SourceName, Pace] = {
        "crossref": Pace(3, 0.34) if polite or key else Pace(1, 1.0),
        "pubmed": Pace(3, 0.11) if key else Pace(3, 0.35),
        "openalex": Pace(4, 0.1),
        "datacite": Pace(3, 0.2),
        "arxiv": Pace(1, 3.0),
    }
    found = paces[name]
    return Pace(found.at_once, found.gap_s * registries.gap_factor)


def _registry(registries: Registries, name: SourceName, client: httpx.AsyncClient) -> Registry:
    contact, key = registries.contact, registries.keys.get(name, "")
    address = registries.addresses.get(name) or ADDRESSES[name]
    headers = {"Crossref-Plus-API-Token": f"Bearer {key}"} if name == "crossref" and key else {}
    host = Host(client, HostQueue(pace(registries, name)), address, registries.timeout_s, headers)
    match name:
        case "crossref":
            return Crossref(host, contact)
        case "pubmed":
            return PubMed(host, contact, key)
        case "openalex":
            return OpenAlex(host, contact, key)
        case "datacite":
            return DataCite(host)
        case "arxiv":
            return Arxiv(host)
        case _:
            raise ValueError(f"{name} is not a registry")
