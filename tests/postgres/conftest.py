"""The tests of PostgreSQL write through the same driver as the contract of ledgers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "contracts"))
