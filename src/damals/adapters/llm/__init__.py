"""Language models that write: Ollama's own protocol, and that of OpenAI."""
