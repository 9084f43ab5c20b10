"""The policy of the project on one screen: every asset, check, job and schedule, and what runs by itself.

Partitioned, per `{collection}.{bucket}`:  documents → parsed_pages → gated_pages → figure_descriptions → contexts → chunks → signatures, embeddings
Whole estate, when its inputs moved:       clusters → index → evaluation → live_index (the pointer moves here, or not)
"""

from typing import Final

import dagster as dg

from assets.checks import checks
from assets.chunks import chunks
from assets.contexts import contexts
from assets.documents import documents
from assets.embeddings import embeddings
from assets.figure_descriptions import figure_descriptions
from assets.gated_pages import gated_pages
from assets.parsed_pages import parsed_pages
from assets.partitions import PARTITIONS
from assets.schedules import nightly
from assets.sensors import alerts, catch_up, follow_up, settings_changed
from assets.signatures import signatures
from assets.whole_estate import clusters, evaluation, index, live_index
from pipeline.config import load_config
from pipeline.line.workspace import Workspace

PARTITION_JOB: Final = "partition"
WHOLE_ESTATE_JOB: Final = "whole_estate"
LINE_JOB: Final = "line"


@dg.definitions
def defs() -> dg.Definitions:
    """What Dagster loads: the definitions for $KESIT_CONFIG, or ./kesit.toml."""
    return build_definitions(Workspace(load_config()))


def build_definitions(workspace: Workspace) -> dg.Definitions:
    """All definitions, bound to one workspace."""
    by_partition = [
        stage(workspace)
        for stage in (
            documents,
            parsed_pages,
            gated_pages,
            figure_descriptions,
            contexts,
            chunks,
            signatures,
            embeddings,
        )
    ]
    whole_estate = [stage(workspace) for stage in (clusters, index, evaluation, live_index)]
    estate_checks = dg.AssetSelection.checks(*checks())
    follow_ups = dg.AssetSelection.assets(*whole_estate) | estate_checks
    return dg.Definitions(
        assets=[*by_partition, *whole_estate],
        asset_checks=checks(),
        jobs=[
            dg.define_asset_job(
                PARTITION_JOB,
                selection=dg.AssetSelection.assets(*by_partition) - estate_checks,
                partitions_def=PARTITIONS,
            ),
            dg.define_asset_job(WHOLE_ESTATE_JOB, selection=follow_ups),
            # One partition and then the whole estate after it: what a person starts by hand in the UI.
            dg.define_asset_job(
                LINE_JOB, selection=[*by_partition, *whole_estate], partitions_def=PARTITIONS
            ),
        ],
        schedules=[nightly(workspace.config.schedule, PARTITION_JOB)],
        sensors=[
            follow_up(follow_ups),
            catch_up(WHOLE_ESTATE_JOB),
            settings_changed(PARTITION_JOB),
            alerts(on=bool(workspace.config.alerts.webhook)),
        ],
        resources={"workspace": workspace},
        # One process a run: its stages share the encoder and the parse workers that it started.
        executor=dg.in_process_executor,
    )
