"""From the block tree of a document to sections and chunks."""
