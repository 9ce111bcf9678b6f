"""A vault with everything in it that real vaults have, and what they rarely have.

Its files are named after the row of the table of conventions that they are about. Names that begin
with ``Verboten`` stand only where no link is one; a link to them is a failure.
"""

import json
import os
from pathlib import Path
from unicodedata import normalize

WIKILINKS = """# Verweise
[[Ziel]] [[Ziel.md]] [[ Ziel | mit Rand ]] [[Ziel#Kopf#Unterkopf]] [[Ziel#^block]] [[#Verweise]]
[Text](Ziel.md) [Text](Ordner/mit%20Leerzeichen.md) [Text](<Ordner/mit Leerzeichen.md#Kopf>)
[schema](https://example.org/Verboten1.md) [post](mailto:verboten2@example.org)
[app](obsidian://open?file=Verboten3) <https://example.org/[[Verboten4]]>

| Spalte | andere |
|--------|--------|
| [[Tabelle\\|in der Tabelle]] | [[Leer\\|x]] |
"""

EMBEDS = """![[Ziel]] ![[Ziel|640x480]] ![[Kreis 2]] ![[Einbettung]]
![[Verboten5.png|640x480]] ![[Verboten6.mp3]] ![x](Verboten7.jpg)
"""

ZONES = """Davor [[Ziel]].

```
[[Verboten10]] #nein
# keine Überschrift
```

~~~dataview
TABLE part_of FROM #nein WHERE [[Verboten11]]
~~~

```tasks
not done [[Verboten12]]
```

    [[Verboten13]] eingerückt

`[[Verboten14]] #nein` und ``a ` [[Verboten15]]`` und <!-- [[Verboten16]] #nein -->

<!--
[[Verboten17]]

part_of:: [[Verboten18]]
-->

$$
[[Verboten19]] #nein
$$

$a [[Verboten20]] b$ \\[[Verboten21]] \\#nein

%% versteckt [[Versteckt]] #nein %%

%%
part_of:: [[Versteckt]]
%%

Danach [[Leer]].
"""

TAGS = """---
tags: "#vorn, zwei/Drei"
---
#Größe #größe #a-b_c/d #2024q1 #🚀 (#klammer) #U\u0308bung | #1984 #1/3 \\#nein C# a#nein
[x](Ziel.md#nein) [[Ziel#nein]] https://example.org/#nein `#nein` [ein #nein](Ziel.md)
"""

PROPERTIES = """\ufeff---
up: [[Ziel]]
tags:
- #raute
- ohne
- 2024
liste: a, b
nichts: null
leer:
nein: no
zeit: 12:30
null_sieben: 007
zahl: 4.50
datum: 2024-02-30
created: 2024-02-30
part_of: "[[Ziel]]"
doppelt: eins
doppelt: zwei
...
Text.
"""

DATAVIEW = """part_of:: [[Ziel]]
Text [based_on:: [[Leer]]] und (example_of:: [[Zuhause]]).
std::vector [[Tabelle]] depends_on::[[Tabelle]]
"""

TYPED = """---
depends_on: "[[Ziel]]"
---
- part_of [[Leer]], [[Zuhause]]
- Müller [[Tabelle]]
- based_on [[Tabelle]] und so weiter
- unbekannt [[Tabelle]]
"""

PLAIN = """Es kostet $5 und $6 [[Ziel]].

- [x] part_of [[Tabelle]]
- [?] 12:30 part_of [[Tabelle]]

> [!note] part_of:: Hinweis
> part_of [[Tabelle]]

Fußnote[^1].

[^1]: siehe [[Leer]]

$$
E = mc^2
$$
"""

SENTENCES = (
    "Am 3. Oktober z. B. feiern wir. ", "Das war im 19. Jahrhundert so. ",
    "Der Preis gilt inkl. Versand. ", "Die Fa. Müller liefert gern. ",
    "Termin ist Mo., 5. Mai um neun Uhr. ",
)  # fmt: skip


def build(root: Path) -> None:
    """Write the vault."""
    for part in (_rows, _resolution, _frontmatter, _names, _bytes, _monsters, _skipped):
        for path, content in part().items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
    (root / "Schleife").mkdir()
    (root / "Schleife" / "zurück").symlink_to(root)
    (root / "Schleife" / "kaputt.md").symlink_to(root / "gibt es nicht")
    Path(os.fsdecode(os.fsencode(root) + b"/bytes\xff.md")).write_bytes(b"Name aus Bytes")


def _rows() -> dict[str, str | bytes]:
    return {
        "Ziel.md": "# Kopf\n\nText ^block\n",
        "Zuhause.md": "Text",
        "Tabelle.md": "Text",
        "Ordner/mit Leerzeichen.md": "Text",
        "Verweise.md": WIKILINKS,
        "Einbettung.md": EMBEDS,
        "Kreis 2.md": "![[Einbettung]]",
        "Zonen.md": ZONES,
        "Versteckt.md": "Text",
        "Schlagwörter.md": TAGS,
        "Eigenschaften.md": PROPERTIES,
        "Dataview.md": DATAVIEW,
        "Typen.md": TYPED,
        "Aufgaben.md": PLAIN,
        "Brett.canvas": json.dumps(_board()),
        "Kaputt.canvas": '{\n"nodes": [',
        "Neues.canvas": "",
        "Tage/2024-05-06.md": "Ein Tag",
        "Tage/2024-05-07 Dienstag.md": "Noch einer",
        "Tage/2024-05-08.md": "---\nvalid_from: 2024-05-01\n---\nSagt es selbst",
        "Tage/2024-02-30.md": "Kein Tag",
        "Sätze.md": "".join(SENTENCES * 40),
    }


def _board() -> dict[str, object]:
    files = ["Ziel.md", "Leer.md", "Zuhause.md"]
    nodes: list[dict[str, object]] = [
        {"id": name, "type": "file", "file": name, "x": 0, "y": y * 100, "width": 50, "height": 50}
        for y, name in enumerate(files)
    ]
    nodes += [
        {"id": "g", "type": "group", "label": "Gruppe", "x": 200, "y": 0,
         "width": 99, "height": 99},
        {"id": "t", "type": "text", "text": "Karte [[Tabelle]] #karte", "x": 210, "y": 10,
         "width": 20, "height": 20},
    ]  # fmt: skip
    edges = [("Ziel.md", "Leer.md", "part of"), ("Ziel.md", "Zuhause.md", "was auch immer")]
    return {
        "nodes": nodes,
        "edges": [
            {"id": str(n), "fromNode": start, "toNode": end, "label": label}
            for n, (start, end, label) in enumerate(edges)
        ],
    }


def _resolution() -> dict[str, str | bytes]:
    return {
        "a/Mehrfach.md": "Text",
        "b/tief/Mehrfach.md": "Text",
        "b/tief/Eins.md": "Text",
        "Auflösung.md": "[[Mehrfach]] [[tief/Mehrfach]] [[eins]] [[Beiname]] [[Fehlt noch]]",
        "b/tief/relativ.md": "[[./Mehrfach]] [x](Eins.md) [[../../a/Mehrfach]] [[/Ziel]]",
        "Benannt.md": "---\naliases: [Beiname, 'Zweiter, mit Komma']\n---\nText",
        "Groß.md": "[[Fall/Name]] [[Fall/name]]",
        "Fall/Name.md": "groß",
        "Fall/name.md": "klein",
    }  # fmt: skip


def _frontmatter() -> dict[str, str | bytes]:
    return {
        "vorn/nur.md": "---\nstatus: fertig\n---",
        "vorn/ohne Felder.md": "---\n---\nText",
        "vorn/kaputt.md": "---\ntitle: a: b: [c\n---\nText bleibt [[Ziel]]",
        "vorn/Vorlage.md": "---\ntitle: {{title}}\n---\n[[Verboten30]] [[{{date}}]]",
        "vorn/Templater.md": "---\nsince: <% tp.date.now() %>\n---\n[[Verboten31]]",
        "vorn/Brief.md": "---\nSehr geehrte Frau Öz,\n\nanbei mein Brief.\n---\nIhr X",
        "vorn/nicht oben.md": "\n---\nid: x\n---\nText",
        "vorn/tief.md": "---\na: " + "[" * 5_000 + "]" * 5_000 + "\n---\nText",
        "vorn/eingerückt.md": "---\n" + "".join(
            f"{'  ' * n}a:\n" for n in range(500)) + "---\nText",
        "vorn/Bombe.md": "---\na0: &a0 [x, x]\n" + "".join(
            f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40)) + "---\nText",
        "vorn/riesig.md": "---\nwort: " + "x " * 499_000 + "\n---\nText",
        "vorn/zu groß.md": "---\nwort: " + "x" * 1_100_000 + "\n---\nText",
        "vorn/doppelte id 1.md": "---\nid: gleich\n---\nText",
        "vorn/doppelte id 2.md": "---\nid: gleich\n---\nText",
    }  # fmt: skip


def _names() -> dict[str, str | bytes]:
    return {
        "🚀 Emoji, Komma….md": "[[Punkte...]]",
        "Punkte....md": "Text",
        normalize("NFD", "Zerlegt Übung.md"): "Text",
        "Zusammen.md": "[[" + normalize("NFC", "zerlegt übung") + "]]",
        "Anführung \"'.md": "Text",
        "LANG.MD": "Endung groß",
        "anders.markdown": "Text",
        "~$temp.md": "Text",
    }


def _bytes() -> dict[str, str | bytes]:
    return {
        "Leer.md": b"",
        "nur Leerzeichen.md": b" \n\t\n",
        "crlf.md": b"---\r\nnach: x\r\n---\r\n# Kopf\r\n\r\n[[Ziel]]\r\n",
        "cr.md": b"# Kopf\r\r[[Ziel]]\r",
        "bom.md": b"\xef\xbb\xbf# Erste\n\nText",
        "utf16.md": "# Breit\n\n[[Ziel]] ü".encode("utf-16"),
        "utf16be.md": b"\xfe\xff" + "# Breit\n\n[[Ziel]] ü".encode("utf-16-be"),
        "latin1.md": "Zeile\nMüller".encode("latin-1"),
        "nul.md": b"eins\nzwei\0drei",
        "halb.md": "eins\nü".encode()[:-1],
    }


def _monsters() -> dict[str, str | bytes]:
    rows = "".join(f"| {n} | Wert{n} |\n" for n in range(3_000))
    return {
        "riesig/Zeile.md": "[[Ziel]] " + "wort " * 25_400 + "[[Leer]]",
        "riesig/Wort.md": "x" * 127_000 + " [[Ziel]]",
        "riesig/Verweise.md": "".join(f"[[Stelle {n}]] [[Ziel]]\n" for n in range(5_000)),
        "riesig/Zitate.md": ">" * 5_000 + " [[Ziel]]\n\ndanach [[Leer]]",
        "riesig/Listen.md": "".join("  " * n + "- x\n" for n in range(2_000)) + "\n\n[[Leer]]",
        "riesig/Klammern.md": "[" * 127_000 + "\n\n[[Leer]]",
        "riesig/Tafel.md": "| Nummer | Inhalt |\n|---|---|\n" + rows,
        "riesig/breit.md": "|" + "a|" * 5_000 + "\n|" + "-|" * 5_000 + "\n|" + "b|" * 5_000,
        "riesig/Überschriften.md": "".join(f"{'#' * (1 + n % 6)} K{n}\n" for n in range(5_000)),
        "riesig/Zeichen.md": "![[" * 60_000 + "\n\n[[Leer]]",
        "riesig/Prozent.md": "%% " * 100_001 + "\n\n[[Leer]]",
    }


def _skipped() -> dict[str, str | bytes]:
    return {
        ".obsidian/app.md": "[[Verboten40]]",
        ".obsidian/workspace.json": "{}",
        ".trash/weg.md": "[[Verboten41]]",
        "Ordner/.versteckt.md": "[[Verboten42]]",
        "Anhang.pdf": b"%PDF-1.4 [[Verboten43]]",
        "Bild.png": b"\x89PNG",
        "Notiz.txt": "[[Verboten44]]",
    }
