"""Markdown as HTML that can do nothing: parsed without raw HTML, then sanitised all the same."""

from functools import cache
from typing import Final

import nh3
from markdown_it import MarkdownIt

MAX_CHARS: Final = 200_000
"""Of a text that is rendered; a longer one is shown as it is."""

TAGS: Final = frozenset(
    {"a", "blockquote", "br", "code", "del", "em", "hr", "li", "ol", "p", "pre", "s", "strong"}
    | {"sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul"}
    | {"h1", "h2", "h3", "h4", "h5", "h6"}
)
PAGE_LEVELS: Final = 2
"""Levels of headings above those of a text: the page's own."""
LOWEST: Final = 6
SCHEMES: Final = frozenset({"http", "https", "mailto"})


def rendered(text: str) -> str:
    """HTML of a Markdown text.

    No raw HTML, no pictures (they would be fetched from elsewhere), and links that lead to pages
    or mail only. Headings stand two levels lower, as parts of the page.
    """
    if len(text) > MAX_CHARS:
        return nh3.clean_text(text)
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + PAGE_LEVELS, LOWEST)}"
    return nh3.clean(
        parser.renderer.render(tokens, parser.options, {}),
        tags=set(TAGS),
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes=set(SCHEMES),
        link_rel="noopener noreferrer nofollow ugc",
    )


@cache
def _parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "linkify": False})
    made.enable(["table", "strikethrough"])
    return made.disable(["image", "html_block", "html_inline"])
