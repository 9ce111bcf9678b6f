"""Settings: what can be chosen, its defaults, and where each value came from.

A later line wins: default, ``<home>/config.yaml``, ``.env`` in the current folder, environment
(``DAMALS_…``), option. Importing this module costs a few hundred milliseconds (pydantic), so only
what needs settings imports it.
"""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Final, Literal, Self, cast

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from damals import messages
from damals.addresses import without_secrets
from damals.app import results
from damals.app.errors import InvalidInput
from damals.domain.entries import Json
from damals.domain.names import DEFAULT_WORKSPACE
from damals.domain.patterns import Windows
from damals.domain.ranking import Weights
from damals.domain.zones import load_zone
from damals.folders import default_cache, default_home, expanded
from damals.settings_qdrant import QdrantFields

PREFIX: Final = "DAMALS_"
CONFIG_FILE: Final = "config.yaml"
FALLBACK_ZONE: Final = "Europe/Berlin"
ENVIRONMENT: Final = "environment"
SQLITE: Final = "sqlite"
MEBIBYTE: Final = 1 << 20

_PASSWORD: Final = re.compile(
    r"(^\w+://?[^:@]*:|^[^:@/]*:(?!/)).*(?=@)|(password\s*=\s*)[^&\s]+", re.IGNORECASE | re.DOTALL
)

Weight = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]


def system_zone() -> str:
    """The system's time zone: ``TZ``, else where ``/etc/localtime`` leads, else Berlin's."""
    candidates = [os.environ.get("TZ", "").removeprefix(":")]
    try:
        target = str(Path("/etc/localtime").readlink())
    except OSError:
        target = ""
    if "zoneinfo/" in target:
        candidates.append(target.rpartition("zoneinfo/")[2].removeprefix("posix/"))
    return next((name for name in candidates if _is_zone(name)), FALLBACK_ZONE)


def _is_zone(name: str) -> bool:
    try:
        load_zone(name)
    except InvalidInput:
        return False
    return True


class Settings(QdrantFields, BaseSettings):
    """Every setting with its default; read-only.

    Attributes:
        home: folder of the ledger and its index.
        workspace: the workspace that is used when none is named.
        lang: language of messages and help, ``de`` or ``en``.
        timezone: zone of a workspace that is being made; fixed from then on.
        lock_timeout_s: how long to wait for each process in turn that holds the home.
        weight_vec: share of similarity in a score.
        weight_time: share of recency in a score.
        weight_graph: share of linked entries in a score.
        weight_persona: share of a person's weight in a score.
        weight_importance: share of importance in a score.
        persona: id or external id of the person that answers are seen from; by default the only
            one that says ``relation_to_owner: self``.
        text_share: share of words in similarity; the rest is the share of vectors.
        half_life_days: age in days at which recency has halved; ``inf`` for never.
        receipts: whether a receipt is kept of every answer, so that it can be given again.
        accesses: whether it is noted what was returned to whom; importance decays since then.
        superseded_share: share of the grounding of superseded entries that is left.
        pattern_emerging: half-lives for which a topic is emerging after it was first observed.
        pattern_evolving: half-lives in which revisions make a topic evolving.
        pattern_revisions: how many revisions do.
        pattern_declining: half-lives without new evidence and access after which a topic declines.
        llm: address of the server of a model that writes answers; none by default.
        llm_model: name of the model there.
        llm_key: key that opens that server.
        llm_timeout_s: how long a model may take for an answer.
        index_mode: where the search engine runs: ``inline`` in the command itself, ``worker`` in a
            process of its own, ``auto`` as fits the command.
        embedder: ``e5`` for vectors from the packaged model, ``none`` for words alone.
        cache: folder of built models and vectors.
        backups: folder of backups and of the erasure journal; ``<home>.backups`` by default.
        backup_key_file: file with a key that backups are encrypted to, and opened with.
        backup_passphrase: opens backups that are encrypted with a passphrase, and makes such.
        collection_prefix: what the names of the collections begin with.
        ledger: ``sqlite`` for a file in the home, or the address of a PostgreSQL database.
        host: address that ``serve`` listens at.
        port: port that ``serve`` listens at; 0 for any that is free.
        roots: folders that a server may import from for others than the owner, separated as in
            ``PATH``.
        allowed_hosts: names, besides those of the machine, under which a server may be asked,
            separated by commas.
        max_body_bytes: longest request that a server reads.
        max_import_bytes: longest file of events that a server takes.
        log_level: what is logged on standard error: this and what is worse.
        log_format: ``text`` for lines of ``key=value``, ``json`` for one object a line.
        traces: whether stages of the work become OpenTelemetry spans.
        requests_per_minute: how often the holder of a key may ask a server.
        concurrent_requests: how many requests a server answers at once.
        request_timeout_s: how long a request to a server may take.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, extra="ignore", frozen=True, env_ignore_empty=True,
        coerce_numbers_to_str=True, validate_default=False, hide_input_in_errors=True,
    )  # fmt: skip

    home: Path = Field(default_factory=default_home)
    workspace: str = Field(default=DEFAULT_WORKSPACE, min_length=1)
    lang: Literal["de", "en"] = "en"
    timezone: str = Field(default_factory=system_zone)
    lock_timeout_s: float = Field(default=30.0, ge=0, allow_inf_nan=False)
    weight_vec: Weight = 0.70
    weight_time: Weight = 0.20
    weight_graph: Weight = 0.10
    weight_persona: Weight = 0.0
    weight_importance: Weight = 0.0
    persona: str = ""
    text_share: float = Field(default=0.4, ge=0, le=1, allow_inf_nan=False)
    half_life_days: float = 365.0
    receipts: bool = True
    accesses: bool = True
    superseded_share: float = Field(default=0.5, ge=0, le=1, allow_inf_nan=False)
    pattern_emerging: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    pattern_evolving: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    pattern_revisions: int = Field(default=2, ge=1)
    pattern_declining: float = Field(default=2.0, ge=0, allow_inf_nan=False)
    llm: str = ""
    llm_model: str = ""
    llm_key: str = Field(default="", repr=False)
    llm_timeout_s: float = Field(default=120.0, gt=0, le=3600, allow_inf_nan=False)
    index_mode: Literal["auto", "inline", "worker"] = "auto"
    embedder: Literal["e5", "none"] = "e5"
    cache: Path = Field(default_factory=default_cache)
    backups: str = ""
    backup_key_file: str = ""
    backup_passphrase: str = Field(default="", repr=False)
    collection_prefix: str = Field(default="mindnet", pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,62}$")
    ledger: str = Field(default=SQLITE, repr=False)
    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=7399, ge=0, le=65535)
    roots: str = ""
    allowed_hosts: str = ""
    max_body_bytes: int = Field(default=2 * MEBIBYTE, ge=1024)
    max_import_bytes: int = Field(default=64 * MEBIBYTE, ge=1024)
    log_level: Literal["debug", "info", "warning", "error"] = "warning"
    log_format: Literal["text", "json"] = "text"
    traces: bool = False
    requests_per_minute: int = Field(default=600, ge=1)
    concurrent_requests: int = Field(default=128, ge=1)
    request_timeout_s: float = Field(default=120.0, gt=0, allow_inf_nan=False)

    @property
    def backups_folder(self) -> Path:
        """The folder of ``backups``: beside the home, not in it."""
        home = self.home.absolute()
        given = expanded(Path(self.backups)) if self.backups else None
        return (given or home.with_name(f"{home.name}.backups")).absolute()

    @property
    def root_folders(self) -> tuple[Path, ...]:
        """The folders of ``roots``."""
        return tuple(expanded(Path(one)).absolute() for one in self.roots.split(os.pathsep) if one)

    @property
    def host_names(self) -> tuple[str, ...]:
        """The names of ``allowed_hosts``."""
        return tuple(one.strip() for one in self.allowed_hosts.split(",") if one.strip())

    @property
    def weights(self) -> Weights:
        """The weights of a recall that gives none."""
        return Weights(
            vec=self.weight_vec,
            time=self.weight_time,
            graph=self.weight_graph,
            persona=self.weight_persona,
            importance=self.weight_importance,
            text_share=self.text_share,
            half_life_days=self.half_life_days,
        )

    @property
    def windows(self) -> Windows:
        """When a topic counts as emerging, evolving or declining."""
        return Windows(
            self.pattern_emerging,
            self.pattern_evolving,
            self.pattern_revisions,
            self.pattern_declining,
        )

    @field_validator("half_life_days")
    @classmethod
    def _positive(cls, days: float) -> float:
        if math.isnan(days) or days <= 0:
            raise ValueError("> 0, inf")
        return days

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        if not _is_zone(name):
            raise ValueError("IANA: Europe/Berlin, UTC, …")
        return name

    @field_validator("ledger")
    @classmethod
    def _a_ledger(cls, given: str) -> str:
        if given != SQLITE and not given.startswith(("postgresql://", "postgres://")):
            raise ValueError("sqlite, postgresql://…")
        return given

    @field_validator("home", "cache", mode="before")
    @classmethod
    def _a_path(cls, given: object) -> object:
        if not str(given).strip() or "\0" in str(given):
            raise ValueError("path")
        return given

    @field_validator("home", "cache")
    @classmethod
    def _from_user(cls, path: Path) -> Path:
        return expanded(path)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what ``load`` hands over: it reads the sources itself, to know each origin."""
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)


_LAST: Final = frozenset(QdrantFields.model_fields)
NAMES: Final = tuple(sorted(Settings.model_fields, key=_LAST.__contains__))
SECRET: Final = ("llm_key", "backup_passphrase", "qdrant_key")
ADDRESSES: Final = ("ledger",)
WEB: Final = ("llm", "qdrant")
"""Settings in which a password may stand: of a database, of web servers."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, and for each by name where it came from.

    Origins are ``default``, ``config.yaml``, ``.env``, ``environment`` and ``option``.
    """

    settings: Settings
    origins: Mapping[str, str]

    @classmethod
    def load(cls, *, folder: Path | None = None, **options: object) -> Self:
        """Read every source.

        Args:
            folder: where ``.env`` is looked for; the current folder by default.
            **options: values that win over all others, by name; ``None`` means not given.

        Raises:
            InvalidInput: ``settings.invalid`` or ``settings.unknown``, naming setting and origin;
                ``settings.unreadable`` for a file that cannot be read.
        """
        given = {name: value for name, value in options.items() if value is not None}
        sources = {
            ".env": _from_dotenv((folder or Path.cwd()) / ".env"),
            ENVIRONMENT: dict(EnvSettingsSource(Settings)()),
            "option": given,
        }
        home = expanded(Path(str(_last(sources, "home") or default_home())))
        sources = {CONFIG_FILE: _from_config(home / CONFIG_FILE), **sources}
        origins = dict.fromkeys(NAMES, "default")
        values: dict[str, object] = {"lang": messages.language_of_locale()}
        for origin, found in sources.items():
            values |= found
            origins |= dict.fromkeys(found, origin)
        return cls(_validated(values, origins), origins)

    def view(self) -> results.Settings:
        """All settings with their origin, for people and programs."""
        return results.Settings(
            tuple(
                results.Setting(
                    name, _shown(name, getattr(self.settings, name)), self.origins[name]
                )
                for name in NAMES
            )
        )


def _last(sources: Mapping[str, Mapping[str, object]], name: str) -> object:
    found: object = None
    for source in sources.values():
        found = source.get(name, found)
    return found


def _shown(name: str, value: object) -> Json:
    """A setting for people and programs; passwords are for neither."""
    if name in SECRET and value:
        return "***"
    if name in WEB:
        return without_secrets(str(value), web=True)
    return _PASSWORD.sub(r"\1\2***", str(value)) if name in ADDRESSES else _json(value)


def _json(value: object) -> Json:
    if isinstance(value, float) and math.isinf(value):
        return "inf"
    return str(value) if isinstance(value, Path) else cast("Json", value)


def _from_dotenv(path: Path) -> dict[str, object]:
    if not _is_file(path):
        return {}
    try:
        source = DotEnvSettingsSource(Settings, env_file=path, env_file_encoding="utf-8-sig")
        return {name: value for name, value in source().items() if name in NAMES}
    except (OSError, ValueError) as error:
        raise InvalidInput("settings.unreadable", path=str(path), reason=_first(error)) from error


def _from_config(path: Path) -> dict[str, object]:
    if not _is_file(path):
        return {}
    import yaml  # noqa: PLC0415 -- only a home with settings of its own pays for it

    try:
        told: object = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InvalidInput("settings.unreadable", path=str(path), reason=_first(error)) from error
    if told is None:
        return {}
    if not isinstance(told, dict):
        raise InvalidInput("settings.no_mapping", path=str(path))
    found = {str(name): value for name, value in cast("dict[object, object]", told).items()}
    for name in found:
        if name == "home" or name not in NAMES:
            near = ", ".join(get_close_matches(name, NAMES)) or ", ".join(NAMES)
            raise InvalidInput("settings.unknown", name=name, path=str(path), known=near)
    return found


def _is_file(path: Path) -> bool:
    """Whether there is something to read; what cannot be looked at is reported by who opens it."""
    try:
        return path.is_file()
    except OSError:
        return False


def _first(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _validated(values: Mapping[str, object], origins: Mapping[str, str]) -> Settings:
    try:
        return Settings(**values)  # pyright: ignore[reportArgumentType] -- pydantic checks them
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = str(problem["loc"][0]) if problem["loc"] else "?"
        origin = origins.get(name, "default")
        where = f"{origin} {PREFIX}{name.upper()}" if origin == ENVIRONMENT else origin
        reason = str(problem["msg"]).removeprefix("Value error, ")
        raise InvalidInput(
            "settings.invalid",
            name=name,
            value=_shown(name, given) if isinstance(given := values.get(name), str) else given,
            origin=where,
            reason=reason,
        ) from error
