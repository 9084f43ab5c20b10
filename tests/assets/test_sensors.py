"""What runs by itself: the whole estate after its partitions, not after a failed check."""

import dagster as dg

WHOLE_ESTATE = {"clusters", "index", "evaluation", "live_index"}
CHECKS = {"readable_share", "no_content", "chunk_sizes"}


def requested(result) -> set[str]:
    keys = {found.key for found in result.results if found.true_subset.size}
    return {key.name if isinstance(key, dg.AssetCheckKey) else key.to_user_string() for key in keys}


def test_the_whole_estate_follows_once_all_partitions_landed(line):
    first = line.tick()
    assert requested(first) == set()
    line.run("partition", "docs.0")
    one = line.tick(first.cursor)
    assert requested(one) == set(), "half an estate must not go live"
    line.run("partition", "docs.1")
    both = line.tick(one.cursor)
    assert requested(both) == WHOLE_ESTATE | CHECKS
    line.run("whole_estate")
    after = line.tick(both.cursor)
    assert requested(after) == set()
    line.run("partition", "docs.1")
    assert requested(line.tick(after.cursor)) == WHOLE_ESTATE | CHECKS


def test_nothing_follows_a_failed_blocking_check(line):
    line.all()
    before = line.tick()
    for name, passed in (("documents", True), ("chunks", False), ("signatures", True), ("embeddings", True)):
        key = dg.AssetKey(name)
        line.instance.report_runless_asset_event(dg.AssetMaterialization(key, partition="docs.0"))
        line.instance.report_runless_asset_event(
            dg.AssetCheckEvaluation(
                check_name="schema", asset_key=key, passed=passed, metadata={}, blocking=True
            )
        )
    assert not requested(line.tick(before.cursor)) & WHOLE_ESTATE


def test_the_sensor_is_on_from_the_start(line):
    sensor = line.definitions.get_repository_def().get_sensor_def("follow_up")
    assert sensor.default_status == dg.DefaultSensorStatus.RUNNING
