"""Everything a program can ask of a knowledge memory, as one typed interface.

``interface.py`` is the whole of it, other modules its parts; ``params.py`` is what methods take.
"""

from damals.api.interface import Damals

__all__ = ["Damals"]
