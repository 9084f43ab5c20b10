"""Our engines as plugins of docling: layout, tables and OCR for its own PDF pipeline, with no weights to download."""
