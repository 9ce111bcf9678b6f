"""Pictures as geometry: from what is known to places on a page, which templates then draw."""
