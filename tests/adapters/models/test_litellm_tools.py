"""The real litellm with tools: replies are returned as they are, failures have a code."""

import json
from typing import Any

import pytest

from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.errors import ModelFinal, ModelMistake, ModelUnavailable, PenwrightError
from schemas.agent import AgentMessage, ToolCall, ToolOffer
from schemas.model import ForcedTool, ModelRequest, ModelResponse, ToolChoice
from schemas.model_catalog import ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.each import for_each
from tests.support.engine.provider_server import Behaviour, ProviderServer, called, calling, error

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolOffer(name="read_chapter", description="Read a chapter.", parameters=PATH)
DONE = ToolOffer(name="final_answer", description="Hand in.", parameters={"type": "object"})
MILLION = 1_000_000
SHOUT = "A" * 6 * MILLION
ASKED = AgentMessage(role="user", content="Go on.")
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}


def turn(*messages: AgentMessage, **fields: Any) -> ModelRequest:
    """``fields`` are any of the request's."""
    offered: dict[str, Any] = {"tools": (READ, DONE), "within_loop": True}
    asked = model_request(**offered | fields)
    return asked.model_copy(update={"messages": messages or (ASKED,)})


def provider(server: ProviderServer, **fields: Any) -> LitellmProvider:
    """``fields`` are any of the entry's."""
    entry: dict[str, Any] = {"name": "local", "provider": "litellm", "model": "openai/tiny", "local": True}
    return LitellmProvider(ModelEntry(**entry | {"api_base": server.address} | fields), "sk-secret")


async def answered(server: ProviderServer, behaviour: Behaviour, **fields: Any) -> ModelResponse:
    """``fields`` are any of the request's."""
    server.behave(behaviour)
    return await provider(server).complete(turn(**fields))


async def test_tools_are_offered_as_functions_with_their_schema(server: ProviderServer) -> None:
    await answered(server, Behaviour())

    sent = server.requests[0]
    assert sent["tools"][0] == {
        "type": "function",
        "function": {"name": "read_chapter", "description": "Read a chapter.", "parameters": PATH},
    }
    assert "tool_choice" not in sent


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("required", "required"),
        ("none", "none"),
        (ForcedTool(name="final_answer"), {"type": "function", "function": {"name": "final_answer"}}),
    ],
)
async def test_the_tool_choice_is_sent(server: ProviderServer, choice: ToolChoice, sent: object) -> None:
    await answered(server, Behaviour(), tool_choice=choice)

    assert server.requests[0]["tool_choice"] == sent


async def test_calls_come_back_as_the_model_made_them(server: ProviderServer) -> None:
    response = await answered(
        server, calling(called("read_chapter", '{"path": "1.md"}', "call_x"), text="Let me look.")
    )

    assert response.tool_calls == (ToolCall(id="call_x", name="read_chapter", arguments='{"path": "1.md"}'),)
    assert (response.text, response.finish_reason, response.rung) == ("Let me look.", "tool", "text")


TEN = tuple(called("read_chapter", f'{{"path": "{n}.md"}}', f"call_{n}") for n in range(10))


@pytest.mark.parametrize(
    ("behaviour", "calls", "text", "finish"),
    [
        (calling(called("burn_book")), [("call_1", "burn_book", "{}")], "", "tool"),
        (calling(called("read_chapter", "{path")), [("call_1", "read_chapter", "{path")], "", "tool"),
        (calling(called("read_chapter", None)), [("call_1", "read_chapter", "")], "", "tool"),
        (calling(called("read_chapter", {"a": 1})), [("call_1", "read_chapter", '{"a": 1}')], "", "tool"),
        (calling(called(None)), [("call_1", "", "{}")], "", "tool"),
        (
            calling(called("read_chapter"), called("read_chapter")),
            [("call_1", "read_chapter", "{}")] * 2,
            "",
            "tool",
        ),
        (
            calling(*TEN),
            [(f"call_{n}", "read_chapter", f'{{"path": "{n}.md"}}') for n in range(10)],
            "",
            "tool",
        ),
        (
            calling(called("read_chapter"), finish="stop", text="Look."),
            [("call_1", "read_chapter", "{}")],
            "Look.",
            "tool",
        ),
        (
            calling(called("read_chapter", '{"pa'), finish="length"),
            [("call_1", "read_chapter", '{"pa')],
            "",
            "length",
        ),
        (Behaviour(text="Done.", finish="tool_calls"), [], "Done.", "stop"),
        (Behaviour(text="", finish="tool_calls"), [], "", "stop"),
        (Behaviour(text=""), [], "", "stop"),
        (Behaviour(text=None), [], "", "stop"),
        (Behaviour(text=" \n"), [], " \n", "stop"),
        (Behaviour(text="half \ud83d"), [], "half �", "stop"),
    ],
    ids=[
        "unknown tool",
        "arguments are no JSON",
        "arguments missing",
        "arguments as an object",
        "name missing",
        "one id twice",
        "ten at once",
        "calls that stop",
        "cut by length",
        "tool_calls without calls",
        "tool_calls without anything",
        "empty",
        "null",
        "blank",
        "half a surrogate pair",
    ],
)
async def test_every_shape_of_tool_call_is_parsed_as_an_answer(
    server: ProviderServer, behaviour: Behaviour, calls: list[tuple[str, ...]], text: str, finish: str
) -> None:
    response = await answered(server, behaviour)

    assert [(call.id, call.name, call.arguments) for call in response.tool_calls] == calls
    assert (response.text, response.finish_reason) == (text, finish)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("behaviour", "code", "kind"),
    [
        (Behaviour(text=SHOUT), "turn-too-large", ModelMistake),
        (calling(called("read_chapter", json.dumps({"path": SHOUT}))), "turn-too-large", ModelMistake),
        (calling(called(SHOUT)), "turn-too-large", ModelMistake),
        (Behaviour(text=SHOUT + SHOUT), "reply-too-large", ModelFinal),
        (Behaviour(text="x", finish="content_filter"), "model-refused", ModelFinal),
        (calling(called("read_chapter"), cut=True), "model-unavailable", ModelUnavailable),
        (
            Behaviour(body=b'{"choices": [{"message": {"tool_calls": [{'),
            "model-unavailable",
            ModelUnavailable,
        ),
        (calling("read_chapter"), "model-unavailable", ModelUnavailable),
        (error(400, "tiny does not support tools"), "tools-unsupported", ModelFinal),
        (error(404, "No endpoints found that support tool use."), "tools-unsupported", ModelFinal),
        (error(400, '"auto" tool choice requires --enable-it'), "tools-unsupported", ModelFinal),
        (error(400, "tool read_chapter: bad schema"), "model-bad-request", ModelFinal),
    ],
    ids=[
        *("6 MB content", "6 MB arguments", "6 MB name", "12 MB content", "filtered", "cut", "half JSON"),
        *("a call that is no object", "no tools: Ollama", "no tools: OpenRouter", "no tools: vLLM"),
        "another bad request",
    ],
)
async def test_an_invalid_answer_has_a_code_and_is_asked_for_once(
    server: ProviderServer, behaviour: Behaviour, code: str, kind: type[PenwrightError]
) -> None:
    with pytest.raises(PenwrightError) as caught:
        await answered(server, behaviour)

    assert (caught.value.code, type(caught.value)) == (code, kind)
    assert len(server.requests) == 1


async def test_the_usage_of_an_oversize_answer_is_reported(server: ProviderServer) -> None:
    with pytest.raises(ModelMistake) as caught:
        await answered(server, Behaviour(text=SHOUT))

    assert caught.value.details == {"input_tokens": "11", "output_tokens": "7", "cost_micros": "0"}


async def test_a_vendor_that_cannot_be_given_tools_is_never_asked(server: ProviderServer) -> None:
    with pytest.raises(ModelFinal, match="'local' cannot call tools") as caught:
        await provider(server, model="ollama/tiny").complete(turn())

    assert caught.value.code == "tools-unsupported"
    assert server.requests == []


async def test_an_agent_that_can_do_without_tools_is_asked_without_those_that_were_rejected(
    server: ProviderServer,
) -> None:
    server.behave(error(404, "No endpoints found that support tool use."), Behaviour(text='{"score": 1}'))
    call = ToolCall(id="a", name="read_chapter", arguments='{"path": "1.md"}')
    asked = turn(
        ASKED,
        AgentMessage(role="assistant", content="I look.", tool_calls=(call,)),
        AgentMessage(role="tool", tool_call_id="a", content="The lamp went out."),
    )
    asked = asked.model_copy(update={"needs_tools": False})
    model = provider(server)

    said = [await model.complete(asked) for _ in range(2)]

    assert [(each.text, each.tool_calls) for each in said] == [('{"score": 1}', ())] * 2
    assert ["tools" in each for each in server.requests] == [True, False, False]
    assert server.requests[1]["response_format"]["json_schema"]["name"] == DONE.name
    told = [(each["role"], each["content"]) for each in server.requests[1]["messages"]][-2:]
    assert told == [
        ("assistant", 'I look.\n(called read_chapter {"path": "1.md"})'),
        ("user", "Result of a tool:\nThe lamp went out."),
    ]


async def test_results_go_to_their_calls_by_position(server: ProviderServer) -> None:
    twins = (
        ToolCall(id="twin", name="read_chapter", arguments='{"path": "1.md"}'),
        ToolCall(id="twin", name="read_chapter", arguments='{"path": "1.md"}'),
        ToolCall(id="", name="read a chapter!", arguments="{path"),
    )
    results = (
        *(AgentMessage(role="tool", tool_call_id="twin", content=said) for said in ("first", "second")),
        AgentMessage(role="tool", content="third"),
    )
    server.behave(Behaviour())

    await provider(server).complete(
        turn(ASKED, AgentMessage(role="assistant", tool_calls=twins), *results, ASKED)
    )

    said, *answers = server.requests[0]["messages"][1:5]
    ids = [call["id"] for call in said["tool_calls"]]
    assert len(set(ids)) == 3
    assert [(answer["tool_call_id"], answer["content"]) for answer in answers] == list(
        zip(ids, ("first", "second", "third"), strict=True)
    )
    assert ids[0] == "twin"


async def test_a_models_slips_do_not_make_its_conversation_unreadable(server: ProviderServer) -> None:
    slips = tuple(
        ToolCall(id=f"call_{n}", name="read a chapter!", arguments=arguments)
        for n, arguments in enumerate(("", "{path", "[1]", '{"a": NaN}', "[" * 100_000, '{"path": "1.md"}'))
    )
    empty = AgentMessage(role="assistant")
    server.behave(Behaviour())

    await provider(server).complete(
        turn(
            ASKED,
            AgentMessage(role="assistant", tool_calls=slips),
            *(AgentMessage(role="tool", tool_call_id=call.id, content="No.") for call in slips),
            empty,
            ASKED,
        )
    )

    sent = server.requests[0]["messages"]
    functions = [call["function"] for call in sent[1]["tool_calls"]]
    assert {function["name"] for function in functions} == {"read_a_chapter_"}
    assert all(isinstance(json.loads(function["arguments"]), dict) for function in functions)
    assert functions[-1]["arguments"] == '{"path": "1.md"}'
    assert "{path" in functions[1]["arguments"]
    assert sent[-2] == {"role": "assistant", "content": "(nothing)"}


async def test_called_tools_stay_listed_when_no_tool_is_offered(server: ProviderServer) -> None:
    twins = (ToolCall(id="a", name="read it", arguments="{}"), ToolCall(id="b", name="read it", arguments=""))
    results = (AgentMessage(role="tool", tool_call_id=call.id) for call in twins)
    server.behave(Behaviour())

    await provider(server).complete(
        turn(ASKED, AgentMessage(role="assistant", tool_calls=twins), *results, tools=())
    )

    assert [tool["function"]["name"] for tool in server.requests[0]["tools"]] == ["read_it"]
    assert server.requests[0]["tool_choice"] == "none"


@pytest.mark.parametrize("behaviour", [Behaviour(text='{"score": 4}'), calling(called("read_chapter"))])
async def test_tools_and_a_native_schema_go_together(server: ProviderServer, behaviour: Behaviour) -> None:
    response = await answered(server, behaviour, output_schema=SCHEMA, schema_name="Verdict")

    assert server.requests[0]["response_format"]["json_schema"]["name"] == "Verdict"
    assert len(server.requests[0]["tools"]) == 2
    assert (response.text, len(response.tool_calls)) in {('{"score": 4}', 0), ("", 1)}


async def test_an_answer_handed_in_by_its_tool_is_text_and_the_other_calls_stay(
    server: ProviderServer,
) -> None:
    server.behave(calling(called("read_chapter", "{}", "a"), called("Verdict", '{"score": 4}', "b")))

    response = await provider(server, structured="tool").complete(
        turn(output_schema=SCHEMA, schema_name="Verdict")
    )

    assert server.requests[0]["tool_choice"] == "required"
    assert [tool["function"]["name"] for tool in server.requests[0]["tools"]][-1] == "Verdict"
    assert (response.text, response.rung) == ('{"score": 4}', "tool")
    assert [call.id for call in response.tool_calls] == ["a"]


async def test_a_schema_in_words_leaves_the_tools_to_be_called(server: ProviderServer) -> None:
    server.behave(calling(called("read_chapter")))

    response = await provider(server, structured="json-in-text").complete(turn(output_schema=SCHEMA))

    assert server.requests[0]["messages"][-1]["content"].startswith("Call tools as long as you need them.")
    assert len(response.tool_calls) == 1


async def test_a_call_of_an_unknown_tool_is_not_prose(server: ProviderServer) -> None:
    server.behave(calling(called("read_chapter", '{"path": "1.md"}')))

    with pytest.raises(ModelMistake) as caught:
        await provider(server).complete(model_request())

    assert caught.value.code == "empty-reply"


ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-tiny",
    "content": [
        {"type": "text", "text": "Look."},
        {"type": "tool_use", "id": "toolu_1", "name": "read_chapter", "input": {"path": "1.md"}},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 11, "output_tokens": 7},
}


@pytest.mark.parametrize("last", [False, True])
async def test_a_vendor_with_its_own_protocol_accepts_the_conversation(
    server: ProviderServer, last: bool
) -> None:
    slips = tuple(
        ToolCall(id=id_, name="read a chapter!", arguments=arguments)
        for id_, arguments in (("twin", "{path"), ("twin", ""), ("", '{"path": "1.md"}'))
    )
    results = tuple(
        AgentMessage(role="tool", tool_call_id=call.id, content=said)
        for call, said in zip(slips, ("first", "second", ""), strict=True)
    )
    server.behave(Behaviour(body=json.dumps(ANTHROPIC).encode()))
    asked = turn(
        ASKED, AgentMessage(role="assistant", tool_calls=slips), *results, AgentMessage(role="assistant")
    )

    response = await provider(
        server, model="anthropic/claude-tiny", api_base=server.address.removesuffix("/v1")
    ).complete(asked.model_copy(update={"tools": ()} if last else {}))

    blocks = [
        b for message in server.requests[0]["messages"] for b in message["content"] if b["type"] != "text"
    ]
    used = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert len(set(used)) == 3
    assert [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"] == used
    assert server.requests[0]["tools"]
    assert [(call.id, call.name, json.loads(call.arguments)) for call in response.tool_calls] == [
        ("toolu_1", "read_chapter", {"path": "1.md"})
    ]
    assert (response.text, response.finish_reason) == ("Look.", "tool")


@for_each(
    "tools, marked",
    [(True, [["Be brief."], ["Begin."], ["Go on."]]), (False, [["Be brief."]])],
)
async def test_claude_is_told_which_beginning_later_calls_share(
    server: ProviderServer, tools: bool, marked: list[list[str]]
) -> None:
    server.behave(Behaviour(body=json.dumps(ANTHROPIC).encode()))
    said = (AgentMessage(role="system", content="Be brief."), AgentMessage(role="user", content="Begin."))
    talk = (
        *said,
        AgentMessage(role="assistant", content="Yes."),
        AgentMessage(role="user", content="Go on."),
    )
    asked = turn(ASKED).model_copy(update={"messages": talk} if tools else {"messages": said, "tools": ()})

    await provider(
        server, model="anthropic/claude-tiny", api_base=server.address.removesuffix("/v1")
    ).complete(asked)

    sent = server.requests[-1]
    blocks = [sent["system"], *(message["content"] for message in sent["messages"])]
    found = [[each["text"] for each in group if "cache_control" in each] for group in blocks]
    assert [group for group in found if group] == marked


async def test_other_models_are_sent_no_marks(server: ProviderServer) -> None:
    server.behave(Behaviour(text="Yes."))

    await provider(server).complete(turn(ASKED))

    assert "cache_control" not in json.dumps(server.requests[0])
