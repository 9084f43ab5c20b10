"""The sample estate: a mid-size firm in three languages, deterministic, with gold questions."""
