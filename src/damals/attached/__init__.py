"""The interface on a home of this machine, whoever owns it at the moment."""

from damals.attached.memory import AttachedDamals

__all__ = ["AttachedDamals"]
