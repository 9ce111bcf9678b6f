"""``python -m damals``: the command line."""

from damals.interfaces.cli.main import run

if __name__ == "__main__":
    run()
