"""Exact and near duplicates, clusters, canonical election."""
