"""Logs, metrics and spans: what they tell, and that no text, question or secret is ever in them."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from faulty_homes import opened

from damals.app import stages
from damals.domain.errors import DamalsError, InvalidInput

CANARIES = ("KanarienText", "KanarienFrage", "KanarienTitel", "KanarienGrund", "KanarienSchluessel")


class Heard:
    """A watcher that keeps everything it is told."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.counts: dict[str, int] = {}
        self.all: list[object] = []

    @contextmanager
    def stage(self, name, numbers) -> Iterator[None]:
        self.stages.append(name)
        self.all.append((name, dict(numbers)))
        yield

    def count(self, what, number) -> None:
        self.counts[what] = self.counts.get(what, 0) + number

    def told(self, what, numbers) -> None:
        self.all.append((what, dict(numbers)))


@pytest.fixture
def heard() -> Iterator[Heard]:
    watcher = Heard()
    stages.watch(watcher)
    yield watcher
    stages.unwatch(watcher)


def use(memory) -> None:
    entry = memory.remember("KanarienTitel", "KanarienText steht hier.", key="KanarienSchluessel")
    memory.correct(entry.id, content="KanarienText neu.", reason="KanarienGrund")
    memory.recall("KanarienFrage nach KanarienTitel")
    with pytest.raises(DamalsError):
        memory.get("KanarienTitel gibt es nicht")
    with pytest.raises(InvalidInput):
        memory.correct(entry.id, valid_from="KanarienText", reason="KanarienGrund")


def test_the_stages_of_a_recall_and_of_a_change_are_told(tmp_path, heard):
    with opened(tmp_path / "home") as memory:
        use(memory)
    assert {"write", "recall", "embedding", "index", "ranking", "ledger"} <= set(heard.stages)
    assert heard.counts["embeddings"] >= 1


def test_nothing_is_told_to_who_watches_no_more():
    watcher = Heard()
    stages.watch(watcher)
    stages.watch(watcher)
    stages.unwatch(watcher)
    with stages.stage("recall"):
        stages.count("embeddings")
    assert (watcher.stages, watcher.counts) == ([], {})


def test_spans_have_names_and_numbers_and_the_class_of_an_error(tmp_path):
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: PLC0415 -- an extra
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import (  # noqa: PLC0415 -- an extra
        InMemorySpanExporter,
    )

    from damals.spans import Spans  # noqa: PLC0415 -- of those who have it

    kept, provider = InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    spans = Spans(provider.get_tracer("damals"))
    stages.watch(spans)
    try:
        with opened(tmp_path / "home") as memory:
            use(memory)
        with pytest.raises(ValueError, match="KanarienText"), stages.stage("recall"):
            raise ValueError("KanarienText")
    finally:
        stages.unwatch(spans)
    finished = kept.get_finished_spans()
    by_name = {one.name: one for one in finished}
    assert {"damals.recall", "damals.index", "damals.embedding", "damals.write"} <= set(by_name)
    inner, outer = (
        by_name["damals.ranking"],
        [one for one in finished if one.name == "damals.recall"],
    )
    assert inner.parent.span_id in {one.context.span_id for one in outer}
    failed = outer[-1]
    assert failed.attributes["error.type"] == "ValueError"
    assert not failed.events, "its words are not recorded"
    everything = "".join(one.to_json() for one in finished)
    assert not [one for one in CANARIES if one in everything]


def test_metrics_tell_stages_lag_outbox_embeddings_and_findings_and_no_text(tmp_path):
    from damals.interfaces.rest.metrics import Metrics  # noqa: PLC0415 -- what a server has

    metrics = Metrics()
    stages.watch(metrics)
    try:
        with opened(tmp_path / "home") as memory:
            use(memory)
            memory.hygiene()
    finally:
        stages.unwatch(metrics)
    text = metrics.text().decode()
    for stage in ("recall", "embedding", "index", "ledger", "ranking", "write"):
        assert f'damals_stage_seconds_count{{stage="{stage}"}}' in text, stage
    for name in (
        "damals_requests_running", "damals_outbox_length", "damals_index_lag_chunks",
        "damals_embeddings_total", "damals_erasures_total", "damals_backups_total",
        "damals_hygiene_timestamp_seconds", "damals_last_backup_timestamp_seconds",
    ):  # fmt: skip
        assert name in text, name
    assert "damals_hygiene_timestamp_seconds 0.0" not in text, "a report was made"
    assert not [one for one in CANARIES if one in text]


@pytest.mark.parametrize("form", ["text", "json"])
def test_logs_go_to_standard_error_in_the_form_of_the_settings(form, tmp_path):
    program = (
        "import sys, structlog\n"
        "from damals import Damals\n"
        "with Damals.open(sys.argv[1]) as memory:\n"
        "    memory.remember('KanarienTitel', 'KanarienText')\n"
        "    memory.recall('KanarienFrage')\n"
        "    structlog.get_logger('damals').info('looked', number=3)\n"
        "    structlog.get_logger('damals').debug('hidden', number=3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "home")],
        capture_output=True, text=True, check=True, timeout=120,
        env={
            **os.environ, "DAMALS_EMBEDDER": "none", "DAMALS_LOG_LEVEL": "info",
            "DAMALS_LOG_FORMAT": form,
        },
    )  # fmt: skip
    assert done.stdout == ""
    line = next(one for one in io.StringIO(done.stderr) if "looked" in one)
    if form == "json":
        assert json.loads(line)["event"] == "looked"
        assert json.loads(line)["level"] == "info"
    else:
        assert "event='looked'" in line
        assert "number=3" in line
    assert "hidden" not in done.stderr
    assert not [one for one in CANARIES if one in done.stderr]


def test_who_wants_no_spans_and_no_logs_loads_neither(tmp_path):
    program = (
        "import sys\n"
        "from damals.bootstrap import open_home\n"
        "with open_home(sys.argv[1], brief=True) as memory:\n"
        "    memory.remember('x', 'y')\n"
        "print('opentelemetry' in sys.modules, 'structlog' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "home")],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert done.stdout.split()[0] == "False"
