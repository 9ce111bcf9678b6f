"""The interface on a home that this process owns: a module for each part of ``damals.api``."""

from damals.local.home import OpenedHome, Parts
from damals.local.memory import LocalDamals

__all__ = ["LocalDamals", "OpenedHome", "Parts"]
