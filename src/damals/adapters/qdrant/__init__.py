"""The chunk index on a Qdrant server or cluster, with the collections that other programs read.

``settings`` says where the server is, ``server`` talks to it and says what went wrong, ``engine``
says points and filters in its words, ``index`` is the index, ``beside`` the other collections,
``shelf`` the versions of all of them. The client is loaded when a server is first asked.
"""
