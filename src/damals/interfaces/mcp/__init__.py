"""The Model Context Protocol: damals as tools, resources and a prompt for an assistant.

``server.py`` answers, ``stdio.py`` and ``http.py`` carry, ``tools.py`` lists what an assistant
can do. The SDK is imported by those that speak with it, since it takes half a second.
"""
