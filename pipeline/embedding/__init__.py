"""Encoders behind the sentence-transformers interface, and the cache of vectors."""
