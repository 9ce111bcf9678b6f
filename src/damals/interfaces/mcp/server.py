"""The server: the protocol on one side, tools, resources and a prompt on the other.

It stands on the SDK's server of handlers: the tools have their schemas, and refuse unknown
arguments, in words of their own. The core is synchronous and runs in threads.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

import mcp_types as types
from anyio import to_thread
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

from damals import messages
from damals.app.errors import DamalsError, NotFound
from damals.app.versions import PROGRAM_VERSION
from damals.domain.entries import Json
from damals.interfaces.mcp import prompts, resources
from damals.interfaces.mcp.caller import Caller
from damals.interfaces.mcp.failures import explain
from damals.interfaces.mcp.tool import Tool
from damals.interfaces.mcp.tools import TOOLS
from damals.logs import note_failure

NAME: Final = "damals"

RESOURCE_NOT_FOUND: Final = -32002
"""Code of the protocols before 2026; later ones say that the parameter is invalid."""
FIRST_WITHOUT_IT: Final = "2026"

R = TypeVar("R")

Context = ServerRequestContext[Any, Any]
Identify = Callable[[Context], Caller]
"""From a request to who sent it."""

Refused = Callable[[Context, DamalsError], None]


def _unnoticed(_: Context, __: DamalsError) -> None:
    """For who keeps no log of what was refused."""


def build(identify: Identify, lang: str, refused: Refused = _unnoticed) -> "Server[Any]":
    """The server.

    Args:
        identify: who sent a request; may raise what the caller is to be told.
        lang: the language in which tools are described.
        refused: is told of every request that came to nothing.
    """
    answers = Answers(identify, lang, refused)
    return Server(
        NAME,
        version=PROGRAM_VERSION,
        title=NAME,
        instructions=messages.text("mcp.instructions", lang),
        on_list_tools=answers.list_tools,
        on_call_tool=answers.call_tool,
        on_list_resources=answers.list_resources,
        on_list_resource_templates=answers.list_templates,
        on_read_resource=answers.read_resource,
        on_list_prompts=answers.list_prompts,
        on_get_prompt=answers.get_prompt,
    )


class Answers:
    """The handlers of the protocol's requests."""

    def __init__(self, identify: Identify, lang: str, refused: Refused) -> None:
        self._identify = identify
        self._lang = lang
        self._refused = refused
        self._tools = {tool.name: tool for tool in TOOLS}

    # --- tools

    async def list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        """All tools: they fit a page."""
        return types.ListToolsResult(tools=[told(tool, self._lang) for tool in TOOLS])

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """What a tool answers; a failure that the assistant should know of is an answer too."""
        tool = self._tools.get(params.name)
        if tool is None:
            known = ", ".join(self._tools)
            text = messages.text("mcp.tool_unknown", self._lang, name=params.name, known=known)
            raise MCPError(types.INVALID_PARAMS, text)
        given: dict[str, Json] = dict(params.arguments or {})
        try:
            answer = await self._run(context, lambda caller: tool.call(caller, given))
        except _Told as told_error:
            return _failed(str(told_error))
        return _answered(answer)

    # --- resources

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """The entries that hold now, a page at a time."""
        cursor = params.cursor if params else None
        try:
            page, following = await self._run(
                context, lambda caller: resources.listing(caller.memory, cursor)
            )
        except _Told as told_error:
            raise MCPError(types.INVALID_PARAMS, str(told_error)) from told_error
        listed = [
            types.Resource(uri=one.uri, name=_whole(one.name), mime_type=one.mime_type)
            for one in page
        ]
        return types.ListResourcesResult(resources=listed, next_cursor=following)

    async def list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        """The kinds of addresses."""
        made = [
            types.ResourceTemplate(
                uri_template=uri,
                name=kind,
                mime_type=mime_type,
                description=messages.text(f"mcp.resource.{kind}", self._lang),
            )
            for kind, (uri, mime_type) in resources.TEMPLATES.items()
        ]
        return types.ListResourceTemplatesResult(resource_templates=made)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """What is at an address."""
        uri = str(params.uri)
        try:
            found = await self._run(context, lambda caller: resources.read(caller.memory, uri))
        except _Told as told_error:
            missing = isinstance(told_error.error, NotFound)
            early = context.protocol_version < FIRST_WITHOUT_IT
            code = RESOURCE_NOT_FOUND if missing and early else types.INVALID_PARAMS
            raise MCPError(code, str(told_error), {"uri": uri}) from told_error
        contents: list[types.TextResourceContents | types.BlobResourceContents] = [
            types.TextResourceContents(uri=uri, mime_type=one.mime_type, text=_whole(one.text))
            for one in found
        ]
        return types.ReadResourceResult(contents=contents)

    # --- prompts

    async def list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        """The one prompt."""
        lang = types.PromptArgument(
            name=prompts.LANG,
            description=messages.text("mcp.prompt.lang", self._lang),
            required=False,
        )
        described = messages.text("mcp.prompt.memory_pack", self._lang)
        prompt = types.Prompt(name=prompts.MEMORY_PACK, description=described, arguments=[lang])
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(
        self, _: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """The instructions."""
        given = params.arguments or {}
        if params.name != prompts.MEMORY_PACK or not set(given) <= {prompts.LANG}:
            asked = ", ".join((params.name, *given))
            raise MCPError(
                types.INVALID_PARAMS, messages.text("mcp.prompt_unknown", self._lang, name=asked)
            )
        messages.speak(self._lang)
        try:
            text = prompts.memory_pack(given.get(prompts.LANG) or self._lang)
        except DamalsError as error:
            raise MCPError(types.INVALID_PARAMS, explain(error)) from error
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(messages=[message])

    async def _run(self, context: Context, work: Callable[[Caller], R]) -> R:
        """Do something for whoever sent the request, in a thread of its own.

        Raises:
            _Told: it failed, in the caller's language.
        """
        return await to_thread.run_sync(partial(self._work, context, work))

    def _work(self, context: Context, work: Callable[[Caller], R]) -> R:
        messages.speak(self._lang)
        try:
            caller = self._identify(context)
            messages.speak(caller.lang)
            return work(caller)
        except DamalsError as error:
            self._refused(context, error)
            raise _Told(explain(error), error) from error
        except Exception as error:
            note_failure("a request failed", error, channel="mcp")
            raise _Told(messages.text("mcp.internal"), error) from error


class _Told(Exception):
    """A failure in the words of the caller's language."""

    def __init__(self, text: str, error: Exception) -> None:
        super().__init__(text)
        self.error = error


def client_name(context: Context) -> str | None:
    """What the program at the other end calls itself."""
    said = context.session.client_params
    return said.client_info.name if said else None


def told(tool: Tool, lang: str) -> types.Tool:
    """A tool as clients are told of it."""
    return types.Tool(
        name=tool.name,
        description=tool.describe(lang),
        input_schema=tool.input_schema(lang),
        output_schema=tool.output_schema(),
        annotations=types.ToolAnnotations.model_validate(tool.hints.told()),
    )


def _answered(answer: dict[str, Json]) -> types.CallToolResult:
    """An answer as JSON and as text. Half characters, which a text can hold, are replaced."""
    text = _whole(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))
    return types.CallToolResult(
        content=[types.TextContent(text=text)], structured_content=json.loads(text)
    )


def _failed(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=_whole(text))], is_error=True)


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
