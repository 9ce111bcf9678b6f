"""The pages that people look at: served by the app that answers for a home, without a build step.

They call the use cases that REST calls, seen by whoever signed in, and hold no rules. Without
JavaScript every page can be read and every form sent.
"""
