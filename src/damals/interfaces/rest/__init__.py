"""REST: the interface over HTTP. ``create_app`` gives it on an open home."""
