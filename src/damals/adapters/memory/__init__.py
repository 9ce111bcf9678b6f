"""The ledger in plain Python: what every ledger must answer, as simply as it can be said."""
