"""Everything that is kept about a person, to be given to them (Art. 15 GDPR).

``names.py`` finds where somebody is mentioned, ``collecting.py`` puts together what is kept,
``document.py`` writes it so that people can read it.
"""
