"""One reader for each family of formats: bytes in, pages of blocks out."""
