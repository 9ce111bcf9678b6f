"""What a question says about the instants that it asks for."""
