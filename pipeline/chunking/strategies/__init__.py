"""Strategies: how a run of text, a table or a dialogue becomes spans. One file each; `routing` knows them by name."""
