"""``RemoteDamals``: the typed interface over HTTP."""
