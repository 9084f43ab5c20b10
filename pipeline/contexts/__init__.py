"""Sentences by which a language model places chunks in their documents."""
