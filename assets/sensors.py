"""What runs by itself once a partition has landed."""

from collections.abc import Sequence

import dagster as dg


def follow_up(whole_estate: Sequence[dg.AssetsDefinition]) -> dg.AutomationConditionSensorDefinition:
    """Bring the whole-estate assets up to date after their inputs; not after a failed blocking check."""
    return dg.AutomationConditionSensorDefinition(
        "follow_up",
        target=dg.AssetSelection.assets(*whole_estate),
        default_status=dg.DefaultSensorStatus.RUNNING,
        minimum_interval_seconds=30,
    )
