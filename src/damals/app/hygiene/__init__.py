"""Hygiene: what is to be looked at in a workspace, why, and the command that repairs it.

``scene.py`` is what the checks look at, one module per family of findings is a check, ``report.py``
puts their findings in order, ``repairs.py`` says how each is repaired.
"""
