"""Which files of a folder are notes, and what is said of those that cannot be read."""

import hashlib
import os
from pathlib import Path
from unicodedata import normalize

import pytest

from damals.adapters.vault import VaultReader
from damals.app.source_model import SourceFile
from damals.domain.errors import InvalidInput, NotFound

READER = VaultReader()


def write(root: Path, name: str, data: bytes = b"Text\n") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def paths(root: Path) -> list[str]:
    return [file.path for file in READER.scan(root)]


def only(root: Path) -> SourceFile:
    [file] = READER.scan(root)
    return file


def test_notes_come_in_the_order_of_their_paths_with_the_digest_of_their_bytes(tmp_path: Path):
    for name in ("b.md", "a/z.markdown", "a.md", "ä.MD", "bild.png", "text.txt"):
        write(tmp_path, name, name.encode())
    files = list(READER.scan(tmp_path))
    assert [file.path for file in files] == ["a.md", "a/z.markdown", "b.md", "ä.MD"]
    assert files[0].digest == hashlib.sha256(b"a.md").hexdigest()
    assert all(file.failure is None for file in files)


def test_hidden_files_and_folders_are_left_out(tmp_path: Path):
    for name in (".obsidian/a.md", ".trash/b.md", ".c.md", "d/.e/f.md", "g.md"):
        write(tmp_path, name)
    assert paths(tmp_path) == ["g.md"]


def test_the_root_itself_may_be_hidden(tmp_path: Path):
    write(tmp_path, ".notizen/a.md")
    assert paths(tmp_path / ".notizen") == ["a.md"]


def test_emoji_commas_and_trailing_dots_are_ordinary_names(tmp_path: Path):
    names = ["Ideen 💡.md", "Müller, Karl.md", "Ende..md", "a#b.md"]
    for name in names:
        write(tmp_path, name)
    assert sorted(paths(tmp_path)) == sorted(normalize("NFC", name) for name in names)


def test_a_decomposed_name_gives_a_composed_path_and_can_still_be_read(tmp_path: Path):
    write(tmp_path, normalize("NFD", "Büro/Übung.md"), b"# Ja\n")
    file = only(tmp_path)
    assert file.path == normalize("NFC", "Büro/Übung.md")
    assert READER.parse(file).title == "Ja"


def test_names_that_differ_in_case_only_are_two_notes(tmp_path: Path):
    write(tmp_path, "A.md")
    write(tmp_path, "a.md")
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("this file system does not tell case apart")
    assert paths(tmp_path) == ["A.md", "a.md"]


def test_two_names_of_the_same_composed_path_are_one_note_and_one_failure(tmp_path: Path):
    write(tmp_path, normalize("NFC", "Ü.md"))
    write(tmp_path, normalize("NFD", "Ü.md"))
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("this file system composes names itself")
    assert [file.failure for file in READER.scan(tmp_path)] == [None, "vault.same_path"]


def test_a_name_that_is_no_utf8_gives_a_path_that_can_be_stored(tmp_path: Path):
    try:
        write(tmp_path, os.fsdecode(b"f\xfcr.md"))
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert only(tmp_path).path == "f\\xfcr.md"


def test_loops_of_symbolic_links_end_and_no_note_is_listed_twice(tmp_path: Path):
    write(tmp_path, "z/note.md")
    (tmp_path / "z" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a").symlink_to(tmp_path / "z", target_is_directory=True)
    (tmp_path / "again.md").symlink_to(tmp_path / "z" / "note.md")
    assert paths(tmp_path) == ["z/note.md"]


def test_a_link_that_leads_out_of_the_vault_is_listed_and_not_followed(tmp_path: Path):
    write(tmp_path, "outside/b.md")
    write(tmp_path, "outside/bild.png")
    write(tmp_path, "vault-2/c.md")
    write(tmp_path, "vault/a.md")
    vault = tmp_path / "vault"
    (vault / "more").symlink_to(tmp_path / "outside", target_is_directory=True)
    (vault / "beside").symlink_to("../vault-2", target_is_directory=True)
    (vault / "note.md").symlink_to(tmp_path / "outside" / "b.md")
    (vault / "bild.md.png").symlink_to(tmp_path / "outside" / "bild.png")
    (vault / "etc").symlink_to("/etc", target_is_directory=True)
    files = [(file.path, file.failure) for file in READER.scan(vault)]
    assert files == [
        ("a.md", None),
        *((name, "vault.outside") for name in ("beside", "etc", "more", "note.md")),
    ]
    with pytest.raises(InvalidInput) as refused:
        READER.parse(next(file for file in READER.scan(vault) if file.path == "note.md"))
    assert refused.value.key == "vault.outside"


def test_links_inside_are_followed_also_into_what_is_hidden_and_when_the_vault_is_a_link(
    tmp_path: Path,
):
    write(tmp_path, "vault/.store/b.md")
    (tmp_path / "vault" / "more").symlink_to(".store", target_is_directory=True)
    (tmp_path / "vault" / "one.md").symlink_to(tmp_path / "vault" / ".store" / "b.md")
    (tmp_path / "link").symlink_to(tmp_path / "vault", target_is_directory=True)
    for root in ("vault", "link"):
        assert len(paths(tmp_path / root)) == 1
        assert all(file.failure is None for file in READER.scan(tmp_path / root))


def test_what_cannot_be_read_is_listed_with_the_reason_and_the_rest_goes_on(tmp_path: Path):
    write(tmp_path, "c.md")
    (tmp_path / "b.md").symlink_to(tmp_path / "nowhere.md")
    (tmp_path / "a.md").symlink_to(tmp_path / "a.md")
    files = list(READER.scan(tmp_path))
    expected = [("a.md", "vault.unreadable"), ("b.md", "vault.unreadable"), ("c.md", None)]
    assert [(file.path, file.failure) for file in files] == expected
    with pytest.raises(InvalidInput) as refused:
        READER.parse(files[0])
    assert refused.value.key == "vault.unreadable"


def test_a_link_that_leads_nowhere_is_listed_whatever_its_name_for_it_may_be_a_folder(
    tmp_path: Path,
):
    write(tmp_path, "a.md")
    (tmp_path / "laufwerk").symlink_to(tmp_path / "nowhere")
    (tmp_path / ".verborgen").symlink_to(tmp_path / "nowhere")
    files = [(file.path, file.failure) for file in READER.scan(tmp_path)]
    assert files == [("a.md", None), ("laufwerk", "vault.unreadable")]


def test_a_pipe_is_no_note_and_does_not_block(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.md")
    assert paths(tmp_path) == []


def test_a_file_that_vanished_after_the_scan_is_reported(tmp_path: Path):
    path = write(tmp_path, "a.md")
    file = only(tmp_path)
    path.unlink()
    with pytest.raises(InvalidInput) as refused:
        READER.parse(file)
    assert refused.value.key == "vault.unreadable"


def test_a_single_file_is_a_source_of_one_note(tmp_path: Path):
    path = write(tmp_path, "a.md")
    assert paths(path) == ["a.md"]


def test_a_root_that_is_missing_or_no_folder_is_refused(tmp_path: Path):
    with pytest.raises(NotFound) as refused:
        READER.scan(tmp_path / "nirgends")
    assert refused.value.key == "source.missing"
    with pytest.raises(InvalidInput) as refused:
        READER.scan(write(tmp_path, "a.txt"))
    assert refused.value.key == "source.not_a_folder"


@pytest.mark.parametrize(
    ("data", "body"),
    [
        (b"", ""),
        (b"\xef\xbb\xbf# Titel\n", "# Titel\n"),
        ("\ufeff# Größe\r\n".encode("utf-16-le"), "# Größe\n"),
        ("\ufeff# Größe\n".encode("utf-16-be"), "# Größe\n"),
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
    ],
)
def test_encodings_and_line_ends_become_plain_text(tmp_path: Path, data: bytes, body: str):
    write(tmp_path, "a.md", data)
    assert READER.parse(only(tmp_path)).body == body


@pytest.mark.parametrize(
    ("data", "key", "line"),
    [
        (b"eins\r\nzwei\r\nM\xfcller\r\n", "vault.not_utf8", 3),
        (b"\xff\xfea\x00\n\x00b", "vault.not_utf8", 2),
        (b"eins\rzw\x00ei\n", "vault.nul", 2),
        (b"---\ntitle: a\x00\n---\n", "vault.nul", 2),
    ],
)
def test_what_is_no_text_is_refused_with_its_line(tmp_path: Path, data: bytes, key: str, line: int):
    write(tmp_path, "a.md", data)
    with pytest.raises(InvalidInput) as refused:
        READER.parse(only(tmp_path))
    assert (refused.value.key, refused.value.values) == (key, {"path": "a.md", "line": line})
