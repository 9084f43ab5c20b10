"""LanceDB rows, builds, the live pointer."""
