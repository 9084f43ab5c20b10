"""Asking a language model over an OpenAI-compatible interface."""
