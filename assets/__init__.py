"""Kesit in Dagster: orchestration only, no algorithm."""
