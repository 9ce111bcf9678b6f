"""What talks to people and programs. No rules live here."""
