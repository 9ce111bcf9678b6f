"""The bodies of requests: the parameter names of ``Damals``, read strictly, unknown ones refused.

Values are checked for their kind only; what they mean is for the rules to say.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

Instant = Annotated[
    str,
    Field(
        description="ISO 8601 date or date-time, `2024`, `2024-09`, `01.06.2026`, `now`, or a"
        " German or English expression.",
        examples=["2024-03-14"],
    ),
]
Reason = Annotated[str, Field(description="Why; it is kept.", examples=["moved"])]
OptionalReason = Annotated[str | None, Field(description="Why; it is kept.")]
Expected = Annotated[
    int | None, Field(description="Number that the entry's last transaction must have.")
]
EntryName = Annotated[str, Field(description="Id or external id of an entry.")]
Texts = list[str] | str


def _shown(low: int, high: int) -> Any:  # noqa: ANN401 -- what pydantic calls its own
    """The range of a number as the document shows it: the rules refuse what lies outside."""
    return Field(json_schema_extra={"minimum": low, "maximum": high})


Share = Annotated[float, _shown(0, 1)]
Importance = Annotated[int, _shown(1, 5)]
Sensitivity = Annotated[int, _shown(0, 3)]


class Body(BaseModel):
    """A body. A field left out is not the same as null."""

    model_config = ConfigDict(extra="forbid", strict=True)

    def given(self) -> dict[str, Any]:
        """What was given, by name."""
        return self.model_dump(exclude_unset=True)


class SaidRelation(Body):
    """A relation that an entry is stored with."""

    type: str
    dst: EntryName
    confidence: Share = 1.0
    evidence: Annotated[list[str], Field(description="Ids of chunks that show it.")] = []


class SaidSource(Body):
    """Where an entry came from."""

    kind: str | None = None
    name: str | None = None
    path: str | None = None
    uri: str | None = None
    heading: str | None = None
    line: int | None = None
    digest: str | None = None
    imported_at: Instant | None = None
    session: str | None = None


class Fields(Body):
    """The fields of an entry that an operation may set."""

    type: str = "fact"
    tags: Texts = []
    properties: dict[str, JsonValue] = {}
    key: Annotated[str | None, Field(description="At each instant one entry holds for a key.")] = (
        None
    )
    domain: Annotated[str | None, Field(description="A domain of `types.yaml`.")] = None
    staleness_risk: Annotated[
        Literal["fast_decay", "slow_decay", "stable"] | None,
        Field(description="How fast it goes stale; null: as its domain, else its type."),
    ] = None
    importance: Importance = 3
    pinned: bool = False
    created: Instant | None = None
    updated: Instant | None = None
    retrieved_at: Instant | None = None
    last_reviewed: Instant | None = None
    persona_weight: Share | None = None
    lang: str = "de"
    lang_original: str | None = None
    source_id: str | None = None
    visibility: Literal["public", "internal", "restricted"] = "internal"
    sensitivity: Sensitivity = 0
    acl: Annotated[Texts, Field(description="Principals and roles that may see it.")] = []
    source: SaidSource = SaidSource()
    relations: list[SaidRelation] = []
    valid_from: Instant | None = None
    valid_to: Annotated[Instant | None, Field(description="`unknown` for an unknown end.")] = None
    if_transaction: Expected = None


Insist = Annotated[
    bool,
    Field(description="Store what a session files although it is known already."),
]


class Remember(Fields):
    """A new entry."""

    title: Annotated[str, Field(examples=["Address of Müller GmbH"])]
    content: str = ""
    reason: OptionalReason = None
    id: Annotated[str | None, Field(description="A UUID; one is made when none is given.")] = None
    external_id: str | None = None
    on_overlap: Annotated[str | None, Field(description="`reject`, `replace` or `fill`.")] = None
    insist: Insist = False


class Update(Fields):
    """An entry that takes over from another one."""

    title: str
    content: str
    reason: Reason
    relation: Annotated[str | None, Field(description="`supersedes` or `revises`.")] = None
    external_id: str | None = None
    insist: Insist = False


class Correct(Fields):
    """The same entry, recorded wrongly."""

    reason: Reason
    title: str = ""
    content: str = ""


class End(Body):
    """It holds no longer."""

    at: Instant
    reason: Reason
    if_transaction: Expected = None


class Retract(Body):
    """It was never true."""

    reason: Reason
    restore: bool = False
    if_transaction: Expected = None


class Verify(Body):
    """It was checked and found right."""

    score: Share = 1.0
    evidence: str | None = None
    reason: OptionalReason = None
    if_transaction: Expected = None


class Why(Body):
    """A change that needs no reason."""

    reason: OptionalReason = None
    if_transaction: Expected = None


class Because(Body):
    """A change that needs a reason."""

    reason: Reason
    if_transaction: Expected = None


class Transact(Body):
    """Several operations as one transaction."""

    operations: Annotated[
        list[dict[str, JsonValue]],
        Field(
            description="Each as in a file of events.",
            examples=[[{"op": "remember", "title": "A fact"}]],
        ),
    ]
    reason: Annotated[str | None, Field(description="Of all that say none of their own.")] = None
    preview: Annotated[bool, Field(description="Store nothing; tell how it would be.")] = False


class Relate(Body):
    """One entry stands in a relation to another."""

    src: EntryName
    type: Annotated[str, Field(examples=["extends"])]
    dst: EntryName
    confidence: Share = 1.0
    evidence: Annotated[list[str], Field(description="Ids of chunks that show it.")] = []
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    reason: OptionalReason = None
    if_transaction: Expected = None


class Unrelate(Body):
    """One entry stands in a relation to another no longer."""

    src: EntryName
    type: str
    dst: EntryName
    reason: OptionalReason = None
    if_transaction: Expected = None


class Contradict(Body):
    """Two entries cannot both be right."""

    a: EntryName
    b: EntryName
    reason: Reason
    if_transaction: Expected = None


class Resolve(Contradict):
    """A contradiction is decided."""

    keep: Literal["a", "b", "both"]


class Narrowed(Body):
    """What may answer a question, and how it is weighed."""

    as_of: Instant | None = None
    known_at: Instant | None = None
    certain: Annotated[bool, Field(description="Only what holds for certain.")] = False
    type: Texts | None = None
    tag: Texts | None = None
    path: str | None = None
    since: Instant | None = None
    until: Instant | None = None
    weights: dict[str, float] | str | None = None
    half_life: Annotated[float | str | None, Field(description="Days, or `inf`.")] = None
    min_grounding: Annotated[float | None, Field(description="Least grounding, 0 to 1.")] = None
    persona: Annotated[str | None, Field(description="The person that it is seen from.")] = None
    diversity: Annotated[float, Field(description="0: the best, 1: the least alike.")] = 0.0
    literal: Annotated[bool, Field(description="Nothing in the question is an operator.")] = False
    times: Annotated[
        Literal["text", "off"],
        Field(description="Whether instants that are not given are read from the question."),
    ] = "text"
    receipt: Annotated[bool | None, Field(description="Whether a receipt is kept.")] = None


class Question(Narrowed):
    """A question."""

    query: Annotated[str, Field(examples=["Where is Müller GmbH?"])]
    limit: Annotated[
        int | Literal["all"] | None, Field(description="How many entries; null or `all`: all.")
    ] = 10
    neighbours: Annotated[int, Field(description="Chunks shown on each side of a result.")] = 0
    explain: bool = False


class Ask(Narrowed):
    """A question for an answer."""

    question: Annotated[str, Field(examples=["Where is Müller GmbH?"])]
    limit: Annotated[
        int | Literal["all"] | None, Field(description="How many entries may contribute.")
    ] = 10
    llm: Annotated[str | None, Field(description="Address of a model's server.")] = None
    model: Annotated[str | None, Field(description="Name of the model there.")] = None


class QuestionAtTime(Body):
    """A question about an instant."""

    query: str
    as_of: Instant
    known_at: Instant | None = None
    limit: Annotated[int | Literal["all"] | None, Field(description="How many entries.")] = 10


class Gate(Body):
    """What is to be looked at before something is built on it."""

    ids: Annotated[list[EntryName] | EntryName | None, Field(description="Ids of entries.")] = None
    query: Annotated[str | None, Field(description="What is found for it, instead.")] = None
    accept: Annotated[bool, Field(description="Build on what is flagged all the same.")] = False
    reason: OptionalReason = None
    as_of: Instant | None = None
    known_at: Instant | None = None
    limit: Annotated[int | Literal["all"], Field(description="How many findings.")] = 100


class WantedImport(Body):
    """What is to be imported."""

    path: Annotated[str, Field(description="Path on the server's machine.")]
    source: Annotated[str, Field(description="`auto`, `vault` or `events`.")] = "auto"
    name: str | None = None
    dry_run: bool = False
    prune: bool = False
    history: Annotated[bool, Field(description="Replay the vault's Git history.")] = False
    readmit: Annotated[bool, Field(description="What was erased may come back.")] = False
    wait: Annotated[bool, Field(description="Also for the vectors.")] = False


class WantedWorkspace(Body):
    """A workspace."""

    name: str
    timezone: Annotated[str | None, Field(description="IANA name, for ever.")] = None


class WantedKey(Body):
    """A key for someone else."""

    name: str
    roles: list[str] = ["reader"]
    workspaces: Annotated[list[str] | None, Field(description="All when null.")] = None
    visibility: Literal["public", "internal", "restricted"] = "internal"
    sensitivity: Sensitivity = 0


class Repair(Body):
    """Whether what can be mended is mended."""

    repair: bool = True


class Nothing(Body):
    """Nothing more is to be said."""


class Derive(Body):
    """Whether deriving is only tried."""

    dry_run: bool = False
