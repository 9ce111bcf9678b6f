"""Settings: where a value comes from, which one wins, and what is refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from damals.app.errors import InvalidInput
from damals.settings import FALLBACK_ZONE, NAMES, Loaded, Settings, system_zone
from damals.settings_qdrant import QdrantFields

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own as current folder, and no setting in the environment."""
    for name in NAMES:
        monkeypatch.delenv(f"DAMALS_{name.upper()}", raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def config(home: Path, text: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text(text, encoding="utf-8")


def test_without_any_source_every_setting_has_its_default(tmp_path: Path):
    loaded = Loaded.load(home=tmp_path / "h")
    assert loaded.settings.workspace == "default"
    assert loaded.settings.weight_vec == 0.70
    assert {loaded.origins[name] for name in NAMES if name != "home"} == {"default"}
    assert loaded.origins["home"] == "option"


def test_a_later_source_wins_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    home = tmp_path / "h"
    config(home, "workspace: file\nlang: de\n")
    assert Loaded.load(home=home).origins["workspace"] == "config.yaml"
    (tmp_path / ".env").write_text("DAMALS_WORKSPACE=dotenv\nOTHER=x\n", encoding="utf-8")
    assert Loaded.load(home=home).settings.workspace == "dotenv"
    assert Loaded.load(home=home).origins["workspace"] == ".env"
    monkeypatch.setenv("DAMALS_WORKSPACE", "env")
    assert Loaded.load(home=home).settings.workspace == "env"
    assert Loaded.load(home=home).origins["workspace"] == "environment"
    loaded = Loaded.load(home=home, workspace="option")
    assert loaded.settings.workspace == "option"
    assert loaded.origins["workspace"] == "option"
    assert loaded.settings.lang == "de"


def test_config_is_read_from_the_home_that_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    config(tmp_path / "a", "workspace: a\n")
    config(tmp_path / "b", "workspace: b\n")
    monkeypatch.setenv("DAMALS_HOME", str(tmp_path / "a"))
    assert Loaded.load().settings.workspace == "a"
    assert Loaded.load(home=str(tmp_path / "b")).settings.workspace == "b"


def test_an_empty_environment_variable_is_not_given(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DAMALS_WORKSPACE", "")
    assert Loaded.load().settings.workspace == "default"


def test_an_unknown_variable_is_none_of_our_business(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DAMALS_SOMETHING_ELSE", "1")
    assert Loaded.load().settings.workspace == "default"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lang", "fr"),
        ("workspace", ""),
        ("weight_vec", "-1"),
        ("weight_vec", "nan"),
        ("weight_vec", "viel"),
        ("text_share", "1.5"),
        ("half_life_days", "0"),
        ("half_life_days", "nan"),
        ("index_mode", "fast"),
        ("embedder", "gpt"),
        ("timezone", "Mars/Olympus"),
        ("lock_timeout_s", "-1"),
        ("lock_timeout_s", "inf"),
        ("collection_prefix", "a b"),
        ("qdrant", "localhost:6333"),
        ("qdrant", "http://"),
        ("qdrant", "grpc://h"),
        ("qdrant", "http://h:x"),
        ("qdrant_timeout_s", "0"),
        ("qdrant_shards", "0"),
        ("ledger", "mysql://h/d"),
        ("ledger", "postgresql"),
        ("home", ""),
        ("home", " "),
    ],
)
def test_a_wrong_value_names_setting_value_and_origin(name: str, value: str):
    with pytest.raises(InvalidInput) as caught:
        Loaded.load(**{name: value})
    assert caught.value.key == "settings.invalid"
    assert caught.value.values["name"] == name
    assert caught.value.values["value"] == value
    assert caught.value.values["origin"] == "option"


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DAMALS_WEIGHT_TIME", "often")
    with pytest.raises(InvalidInput) as caught:
        Loaded.load()
    assert caught.value.values["origin"] == "environment DAMALS_WEIGHT_TIME"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("workspce: x\n", "settings.unknown"),
        ("home: /elsewhere\n", "settings.unknown"),
        ("- a\n- b\n", "settings.no_mapping"),
        ("a: [\n", "settings.unreadable"),
        ("lang: fr\n", "settings.invalid"),
        ("lang: [de]\n", "settings.invalid"),
    ],
)
def test_a_wrong_config_file_is_refused(tmp_path: Path, text: str, key: str):
    config(tmp_path / "h", text)
    with pytest.raises(InvalidInput) as caught:
        Loaded.load(home=tmp_path / "h")
    assert caught.value.key == key


def test_a_config_file_that_is_no_text_is_refused(tmp_path: Path):
    (tmp_path / "config.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match=r"settings.unreadable|cannot be read"):
        Loaded.load(home=tmp_path)


def test_an_empty_config_file_sets_nothing(tmp_path: Path):
    config(tmp_path, "# nothing yet\n")
    assert Loaded.load(home=tmp_path).origins["lang"] == "default"


def test_a_number_for_a_name_is_its_text(tmp_path: Path):
    config(tmp_path, "workspace: 2024\n")
    assert Loaded.load(home=tmp_path).settings.workspace == "2024"


def test_half_life_may_be_infinite_and_the_view_stays_json(tmp_path: Path):
    view = Loaded.load(home=tmp_path, half_life_days="inf").view().to_dict()
    document = json.dumps(view, allow_nan=False)
    assert {"name": "half_life_days", "value": "inf", "origin": "option"} in json.loads(document)[
        "settings"
    ]


def test_settings_are_read_only(tmp_path: Path):
    settings = Loaded.load(home=tmp_path).settings
    with pytest.raises(ValueError, match="frozen"):
        settings.workspace = "x"  # pyright: ignore[reportAttributeAccessIssue] -- that is the test


def test_every_setting_is_explained():
    told = (Settings.__doc__ or "") + (QdrantFields.__doc__ or "").replace("\n", "\n    ")
    assert all(f"        {name}: " in told for name in NAMES)


def test_the_language_defaults_to_the_locale(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert Loaded.load(home=tmp_path).settings.lang == "de"
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    assert Loaded.load(home=tmp_path).settings.lang == "en"


def test_the_zone_of_the_system_is_a_zone_that_exists(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", ":Europe/Zurich")
    assert system_zone() == "Europe/Zurich"
    monkeypatch.setenv("TZ", "no such zone")
    assert system_zone() != "no such zone"
    monkeypatch.setattr(Path, "readlink", lambda _: Path("/usr/share/elsewhere"))
    assert system_zone() == FALLBACK_ZONE


def test_importing_the_package_does_not_load_what_settings_need():
    heavy = "pydantic", "rich", "sqlalchemy", "numpy", "onnxruntime", "qdrant_edge", "yaml"
    code = f"import sys, damals; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("sqlite", "sqlite"),
        ("postgresql://h/d", "postgresql://h/d"),
        ("postgresql://u@h:5432/d", "postgresql://u@h:5432/d"),
        ("postgresql://u:geheim@h:5432/d", "postgresql://u:***@h:5432/d"),
        ("postgresql://u:g:e@h/e?i#m@h/d", "postgresql://u:***@h/d"),
        ("postgresql://u:/geheim@h/d", "postgresql://u:***@h/d"),
        ("postgresql://:geheim@h/d", "postgresql://:***@h/d"),
        ("postgres://h/d?user=u&password=geheim&x=1", "postgres://h/d?user=u&password=***&x=1"),
        ("postgresql://h/d?sslpassword=geheim", "postgresql://h/d?sslpassword=***"),
    ],
)
def test_the_password_of_a_server_is_not_shown(given: str, shown: str):
    loaded = Loaded.load(ledger=given)
    assert {one.name: one.value for one in loaded.view().settings}["ledger"] == shown
    assert "geheim" not in repr(loaded)


@pytest.mark.parametrize(
    "given",
    [
        "postgresq://u:geheim@h/d",
        "u:geheim@h",
        "postgresql:/u:geheim@h",
        "host=h password = geheim",
    ],
)
def test_an_address_that_is_refused_shows_no_password_either(given: str):
    with pytest.raises(InvalidInput) as caught:
        Loaded.load(ledger=given)
    assert "geheim" not in f"{caught.value!r} {caught.value.__context__ or ''}"
    assert caught.value.values["name"] == "ledger"
