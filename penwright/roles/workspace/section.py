"""The section that gives an agent the files of a book; its definition names ``SLICES`` among its own."""

from penwright.agents.definition.agent import Section
from penwright.agents.guardrails.known_files import FileSeen
from penwright.agents.guardrails.policies import IntentSelected
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.tools.tool import Tool
from penwright.roles.outside_agent.tools import TOOLS, ReadChapter, ReadMaterial, SearchBook
from penwright.roles.prompt_file import PromptFile
from penwright.roles.workspace import handlers
from penwright.roles.workspace.arguments import Edit, SelectIntent, WriteToFile
from penwright.roles.workspace.shown import ShownFile
from schemas.outside_agent import HandshakeResult, PageOfText, SearchHits
from schemas.workspace_tools import WrittenFile

SLICES = (ShownFile,)
"""Files shown to a run are part of its state."""

_SELECT = Tool(
    name="select_active_intent",
    description=TOOLS["select_active_intent"].description,
    params=SelectIntent,
    result=HandshakeResult,
    effect="read",
    handler=handlers.select_active_intent,
    events=(SelectedIntent,),
)
_READ_CHAPTER = Tool(
    name="read_chapter",
    description=TOOLS["read_chapter"].description,
    params=ReadChapter,
    result=PageOfText,
    effect="read",
    handler=handlers.read_chapter,
    events=(ShownFile, FileSeen),
)
_READ_MATERIAL = Tool(
    name="read_material",
    description=TOOLS["read_material"].description,
    params=ReadMaterial,
    result=PageOfText,
    effect="read",
    handler=handlers.read_material,
    events=(ShownFile, FileSeen),
)
_SEARCH = Tool(
    name="search_book",
    description=TOOLS["search_book"].description,
    params=SearchBook,
    result=SearchHits,
    effect="read",
    handler=handlers.search_book,
)
_WRITE = Tool(
    name=handlers.WRITE,
    description="Create a file, or replace all of one that you read. One commit under the selected intent.",
    params=WriteToFile,
    result=WrittenFile,
    effect="workspace-write",
    handler=handlers.write_to_file,
    published=handlers.written,
    reads=(ShownFile, SelectedIntent),
    events=(ShownFile,),
)
_EDIT = Tool(
    name=handlers.EDIT,
    description="Replace a passage that you read by another. One commit under the selected intent.",
    params=Edit,
    result=WrittenFile,
    effect="workspace-write",
    handler=handlers.edit,
    published=handlers.edited,
    reads=(ShownFile, SelectedIntent),
    events=(ShownFile,),
)

WORKSPACE = Section(
    key="workspace",
    title="The files of the book",
    body=PromptFile.load("penwright.roles.workspace", "workspace.md").text,
    tools=(_SELECT, _READ_CHAPTER, _READ_MATERIAL, _SEARCH, _WRITE, _EDIT),
    policies=(IntentSelected(),),
)
