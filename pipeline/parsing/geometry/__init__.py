"""Words, lines and pictures of a page become columns, rows, tables and blocks: no model of images."""
