"""What runs in the process that is killed: a program, with ``ack`` to say what is done.

Each line on its pipe is JSON: ``[kind, value, steps]``. What was written there is the parent's,
whatever happens afterwards.
"""

import json
import os
import signal
import sys
from pathlib import Path

STEPS = frozenset({
    "open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link",
    "shutil.rmtree", "shutil.move", "shutil.copyfile", "sqlite3.connect", "subprocess.Popen",
})  # fmt: skip
"""Events of the interpreter between which files are in different states."""


class Pipe:
    """Where the parent listens, and the count of steps taken."""

    def __init__(self, handle: int, last_step: int, folder: str) -> None:
        self._handle = handle
        self._last_step = last_step
        self._folder = folder
        self.steps = 0
        self.counting = False

    def say(self, kind: str, value: object = None) -> None:
        line = json.dumps([kind, value, self.steps]) + "\n"
        os.write(self._handle, line.encode())

    def ack(self, value: object = None) -> None:
        """Tell that something is done: from now on it must never be lost."""
        self.say("ack", value)

    def step(self, event: str, about: tuple[object, ...]) -> None:
        if self.counting and event in STEPS and about and self._folder in str(about[0]):
            self.steps += 1
            if self.steps == self._last_step:
                os.killpg(0, signal.SIGKILL)


def run(last_step: str, program: str, home: str, attempt: str) -> None:
    """Run a program; what it says goes where its standard output went, which nobody else has."""
    told = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    pipe = Pipe(told, int(last_step), str(Path(home).parent))
    source = Path(program).read_text(encoding="utf-8")
    given = {"__name__": "program", "home": Path(home), "attempt": int(attempt), "ack": pipe.ack}
    code = compile(source, program, "exec")
    sys.addaudithook(pipe.step)
    pipe.say("begun")
    pipe.counting = True
    exec(code, given)  # noqa: S102 -- a program of these tests
    pipe.counting = False
    pipe.say("ended")
