"""Whatever others do beside a vault: a look at digests alone gives what a full import gives.

Each round, somebody does something, and the vault is imported twice into the same ledger: once with
nothing remembered of the folder, which is then undone, and once as it is.
"""

import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from imported_vault import Unsettled, Vault

from damals.adapters.files.readings import ReadingsFile
from damals.app.ledger_model import EntryFilter
from damals.domain.errors import DamalsError

NOTES = {
    "a.md": "# A\n\nSee [[b]], [[missing]] and [[Other]].\n",
    "x/b.md": "---\nsupersedes: '[[a]]'\nvalid_from: 2023-06-01\naliases: [Other]\n---\n# B\n",
    "c.md": "---\nid: own-name\nimportance: 5\n---\n# C\n\n[[a]]\n",
    "d.md": "---\nstatus: archived\n---\n# D\n",
    "board.canvas": '{"nodes": [{"id": "1", "type": "file", "file": "a.md"},'
    ' {"id": "2", "type": "file", "file": "c.md"}],'
    ' "edges": [{"id": "3", "fromNode": "1", "toNode": "2", "label": "supports"}]}',
}
FOREIGN = ("missing", "f", "a", "own-name", "Other")
"""External ids of facts, some of which are also what a link leads to, or how a note is called."""

names = st.sampled_from((*(f"note:{path}" for path in NOTES), *FOREIGN))
operations = st.one_of(
    st.builds(lambda n: {"op": "remember", "title": n, "external_id": n}, st.sampled_from(FOREIGN)),
    st.builds(
        lambda n, path: {
            "op": "remember",
            "title": n,
            "external_id": n,
            "source": {"kind": "vault", "name": "vault", "path": path, "digest": "0"},
        },
        st.sampled_from(FOREIGN),
        st.sampled_from(("a.md", "new.md")),
    ),
    st.builds(lambda n: {"op": "correct", "target": n, "importance": 4}, names),
    st.builds(lambda n: {"op": "correct", "target": n, "properties": {"aliases": "Z"}}, names),
    st.builds(lambda n: {"op": "correct", "target": n, "relations": []}, names),
    st.builds(lambda n: {"op": "correct", "target": n, "valid_from": "2022-01-01"}, names),
    st.builds(lambda n: {"op": "update", "target": n, "title": "Anew", "content": ""}, names),
    st.builds(lambda n: {"op": "end", "target": n, "at": "2023-11-01"}, names),
    st.builds(lambda n: {"op": "retract", "target": n}, names),
    st.builds(lambda n: {"op": "retract", "target": n, "restore": True}, names),
    st.builds(lambda n: {"op": "archive", "target": n, "reason": "old"}, names),
    st.builds(lambda n: {"op": "erase", "target": n}, names),
    st.builds(lambda n: {"op": "verify", "target": n}, names),
    st.builds(lambda n: {"op": "pin", "target": n}, names),
    st.builds(
        lambda a, relation, b: {"op": "relate", "src": a, "type": relation, "dst": b},
        names,
        st.sampled_from(("supports", "supersedes", "links_to")),
        names,
    ),
    st.builds(lambda back: {"op": "revert", "transaction": -back}, st.integers(0, 3)),
)


def done(vault: Vault, operation: dict, ids: dict[str, object]) -> None:
    """Do something; what cannot be done is left."""
    told = dict(operation)
    for name in ("target", "src", "dst"):
        path = str(told.get(name, "")).removeprefix("note:")
        if name in told:
            told[name] = str(ids.get(path, told[name]))
    if told["op"] == "revert":
        told["transaction"] += vault.head()
    try:
        vault.do(**told)
    except DamalsError:
        return


def outcome(vault: Vault) -> object:
    """What an import gives, and what is known then."""
    report = replace(vault.run(), seconds=0)
    with vault.ledger.read("w") as reader:
        found = reader.list_at(vault.now(), EntryFilter())
        known = [(one.version.entry_id, one.version.attributes.title) for one in found]
        notes = [(one.entry_id, one.path, one.current) for one in reader.source_notes("vault")]
        return report, reader.head().number, known, notes, list(reader.links("vault"))


class Forgetful(Unsettled):
    """Readings that know nothing of a folder."""

    def settled(self, folder):
        del folder


def in_full(vault: Vault) -> object:
    """What a full import would give; afterwards all is as it was."""
    ledger, vaults, now = vault.ledger, vault.vaults, vault.clock_at()
    spaces = dict(ledger._spaces)  # noqa: SLF001 -- a ledger has no way back, but for this test
    cache = vault.home / "cache"
    copied = shutil.copytree(cache, vault.home / "copy")
    vault.vaults = replace(vaults, readings=Forgetful(copied))
    given = outcome(vault)
    ledger._spaces.update(spaces)  # noqa: SLF001 -- as above
    vault.vaults = vaults
    vault.set_clock(now)
    shutil.rmtree(copied)
    return given


@settings(max_examples=60, deadline=None)
@given(st.lists(operations, min_size=1, max_size=5))
def test_an_import_of_an_unchanged_folder_gives_what_a_full_import_gives(steps):
    with TemporaryDirectory() as folder:
        vault = Vault(Path(folder) / "vault")
        vault.vaults = replace(vault.vaults, readings=ReadingsFile(vault.home / "cache"))
        for path, text in NOTES.items():
            vault.write(path, text)
        vault.run()
        ids = vault.ids()
        for step in steps:
            done(vault, step, ids)
            expected = in_full(vault)
            assert outcome(vault) == expected
