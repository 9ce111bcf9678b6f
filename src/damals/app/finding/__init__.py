"""The steps of a recall: candidates, what is accepted of them, their context, what is shown."""
