"""Schemas, the lake (atomic partitioned Parquet), fingerprints."""
