"""What is kept about a person, into a file."""

import json
from pathlib import Path

from damals.app.export_results import ExportReport
from damals.app.person_export.document import as_html, as_markdown
from damals.app.person_export.model import PersonExport
from damals.app.writing import Begun, nothing_else, replaced


def write_person(
    told: PersonExport, path: str | Path, lang: str, begun: Begun = nothing_else
) -> ExportReport:
    """Write it: to read where the suffix of the file says so, else as JSON.

    Raises:
        InvalidInput: ``path.unwritable``, ``path.invalid``.
        NotFound: ``path.missing`` for a folder that does not exist.
    """
    with replaced(path) as (location, file):
        begun(location)
        match location.suffix.lower():
            case ".html" | ".htm":
                text = as_html(told, lang)
            case ".md" | ".markdown":
                text = as_markdown(told, lang)
            case _:
                text = json.dumps(told.to_dict(), ensure_ascii=False, indent=2) + "\n"
        file.write(text.encode())
    found = {one.entry_id for one in (*told.mentions, *told.relations)}
    return ExportReport(str(location), told.transactions, format="person", notes=len(found))
