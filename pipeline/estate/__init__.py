"""Sources, scan, sidecars, the document registry."""
