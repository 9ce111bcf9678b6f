"""Embedders: text to vectors, and the cache in front of them."""
