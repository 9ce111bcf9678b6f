"""The command line ``damals``: talks to people and scripts; holds no rules."""
