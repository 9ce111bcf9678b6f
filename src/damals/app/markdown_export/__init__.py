"""Knowledge as a folder of Markdown notes, for people; the folder is a vault that can be imported.

``names.py`` says which file a note is, ``fields.py`` and ``yaml_text.py`` what stands in its
frontmatter, ``notes.py`` makes the notes, ``overview.py`` and ``past.py`` the pages beside and
below them, ``folder.py`` puts them on the disk, ``wire.py`` sends them from one place to another.
"""
