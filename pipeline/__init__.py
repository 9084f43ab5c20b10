"""Kesit: from a document estate to a search index that can be trusted. Imports only downward, see docs/decisions."""
