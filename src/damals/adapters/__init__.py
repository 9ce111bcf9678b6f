"""What the ports stand on: databases, engines, files. Adapters do not know each other."""
