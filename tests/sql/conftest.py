"""The ledger's own tests write through the same driver as its contract."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "contracts"))
