"""Taking a vault in: what changed, who each note is, what it states."""
