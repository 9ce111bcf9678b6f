"""Settings are changed in ``config.yaml`` without touching anything else in it."""

from pathlib import Path

import pytest
import yaml

from damals.adapters.files.config import check_config, with_values, write_config
from damals.domain.errors import InvalidInput

URL = "postgresql://damals@db:5432/wissen?options=-csearch_path%3Deins"
HERE = Path("config.yaml")

KEPT = {
    "": f'ledger: "{URL}"\n',
    "# nur ein Hinweis": f'# nur ein Hinweis\nledger: "{URL}"\n',
    "lang: de\n": f'lang: de\nledger: "{URL}"\n',
    "lang: de": f'lang: de\nledger: "{URL}"\n',
    "ledger: sqlite # Datei\nport: 1\n": f'ledger: "{URL}" # Datei\nport: 1\n',
    "ledger: 'sqlite'\r\nport: 1\r\n": f'ledger: "{URL}"\r\nport: 1\r\n',
    "port: 1\r\n": f'port: 1\r\nledger: "{URL}"\r\n',
    "\ufefflang: de\n": f'\ufefflang: de\nledger: "{URL}"\n',
    "ledger:\nport: 1\n": f'ledger: "{URL}"\nport: 1\n',
    "---\nlang: de\n": f'---\nlang: de\nledger: "{URL}"\n',
}


@pytest.mark.parametrize("before", KEPT)
def test_a_value_is_changed_or_added_and_all_else_stays(before: str):
    assert with_values(before, {"ledger": URL}, HERE) == KEPT[before]


@pytest.mark.parametrize(
    "text",
    [
        "{lang: de}\n",
        "- lang\n",
        "lang: de\n...\n",
        "just words\n",
        "a: [\n",
        "ledger: >-\n  x\np: 1\n",
    ],
)
def test_what_is_written_otherwise_is_refused_rather_than_spoilt(text: str):
    with pytest.raises(InvalidInput) as error:
        with_values(text, {"ledger": URL}, HERE)
    assert error.value.key == "config.form"


def test_several_values_are_written_in_one_step(tmp_path: Path):
    path = tmp_path / "config.yaml"
    path.write_text("# oben\nqdrant: http://alt\nlang: de\n", encoding="utf-8")
    check_config(path, {"ledger": URL})
    write_config(path, {"ledger": URL, "qdrant": "http://neu:6333"})
    found = yaml.safe_load(path.read_text("utf-8"))
    assert found == {"lang": "de", "ledger": URL, "qdrant": "http://neu:6333"}
    assert path.read_text("utf-8").startswith("# oben\nqdrant: ")
    assert [one.name for one in tmp_path.iterdir()] == ["config.yaml"]


def test_a_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path):
    real = tmp_path / "real.yaml"
    real.write_text("lang: de\n", encoding="utf-8")
    real.chmod(0o640)
    link = tmp_path / "config.yaml"
    link.symlink_to(real)
    write_config(link, {"ledger": URL})
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    write_config(link, {"ledger": URL}, private=True)
    assert real.stat().st_mode & 0o777 == 0o600
