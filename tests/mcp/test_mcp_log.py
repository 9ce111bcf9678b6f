"""What a server logs of a failure that nobody foresaw: where it was, and not what people wrote."""

import asyncio
from types import SimpleNamespace

import mcp_types as types
import structlog

from damals.interfaces.mcp.server import Answers


def test_the_words_of_an_unforeseen_failure_are_not_logged(caplog, capsys):
    def identify(context):
        raise ZeroDivisionError(context, "Vertrauliches")

    def refused(context, error):
        raise AssertionError(context, error)

    answers = Answers(identify, "en", refused)
    params = types.CallToolRequestParams(name="remember", arguments={})
    with structlog.testing.capture_logs() as logged:
        result = asyncio.run(answers.call_tool(SimpleNamespace(), params))
    assert result.is_error
    (line,) = logged
    assert (line["event"], line["kind"], line["channel"]) == (
        "a request failed", "ZeroDivisionError", "mcp",
    )  # fmt: skip
    assert any("test_mcp_log" in place for place in line["places"])
    captured = capsys.readouterr()
    told = f"{logged} {caplog.text} {captured.out} {captured.err} {result}"
    assert "Vertrauliches" not in told
