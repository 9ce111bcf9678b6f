"""An erasure whose process is killed at some stage."""

import os
import signal
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src"
ERASE = """
import os, signal, sys
from sqlalchemy import Engine, event
from damals import Damals
seen = 0
@event.listens_for(Engine, "before_cursor_execute")
def die(connection, cursor, statement, *others):
    global seen
    seen += statement.startswith("UPDATE erasures")
    if seen == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
with Damals.open(sys.argv[1]) as memory:
    memory.erase("entry", "geheimrat-wilhelmine-1", reason="Sie rief deswegen gestern an")
"""
STAGES = 6
"""So many times an erasure notes how far it is, and then its certificate."""


def killed(home: Path, at: int) -> None:
    environment = os.environ | {"PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-c", ERASE, str(home), str(at)]
    done = subprocess.run(command, env=environment, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
