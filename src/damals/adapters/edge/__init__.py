"""The chunk index in Qdrant Edge: embedded in this process, or in a worker process of its own.

``schema`` says what a point looks like, ``engine`` says it to the engine, ``shard`` is the index
inside this process, ``worker`` the same index in a supervised process. Nothing here imports the
engine before an index is opened.
"""
