"""The pages, one module an area: what is asked of the home, and which template shows it."""
