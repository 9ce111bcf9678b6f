"""A process that replays a history and kills itself after so many commits."""

import os
import signal
import sys

from damals.app.results import Progress
from damals.bootstrap import open_home


def main() -> None:
    home, vault, commits = sys.argv[1:]

    def listen(progress: Progress) -> None:
        if progress.stage == "replay" and progress.done == int(commits):
            os.kill(os.getpid(), signal.SIGKILL)

    with open_home(home, embedder="none", timezone="UTC") as memory:
        memory.import_(vault, history=True, progress=listen)


main()
