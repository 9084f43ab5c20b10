"""Partitions of the estate: `{collection}.{bucket}`, never one per document."""

import dagster as dg

PARTITIONS = dg.DynamicPartitionsDefinition(name="estate")


def register(instance: dg.DagsterInstance, wanted: list[str]) -> None:
    """Make the instance's partitions those of the configuration: add what is new, remove what is gone."""
    there = set(instance.get_dynamic_partitions(PARTITIONS.name or ""))
    instance.add_dynamic_partitions(PARTITIONS.name or "", [name for name in wanted if name not in there])
    for name in sorted(there - set(wanted)):
        instance.delete_dynamic_partition(PARTITIONS.name or "", name)
