"""Accretion: what an assistant files is compared with what is known, before it is stored.

``filing.py`` reads what is filed, ``neighbours.py`` finds what may have to do with it,
``checking.py`` compares both, ``dates.py`` looks for times that nobody made sure, ``proposing.py``
for relations; ``integrating.py`` drives. Nothing of what is found is acted on: it is told, with the
commands that decide.
"""
