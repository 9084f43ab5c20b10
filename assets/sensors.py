"""What runs by itself once a partition has landed."""

import dagster as dg


def follow_up(target: dg.AssetSelection) -> dg.AutomationConditionSensorDefinition:
    """Bring the whole-estate assets up to date after their inputs; not after a failed blocking check."""
    return dg.AutomationConditionSensorDefinition(
        "follow_up",
        target=target,
        default_status=dg.DefaultSensorStatus.RUNNING,
        minimum_interval_seconds=30,
    )
