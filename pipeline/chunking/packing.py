"""Packing: which neighbouring units share a chunk."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from pipeline.chunking.units import Unit

_UNDER_FLOOR: Final = 0.6  # a chunk under the floor costs this, and as much again the shorter it is
_UNEVEN: Final = 0.2  # an almost empty chunk costs this against a full one
_MANY: Final = 2000  # more units than this are first put together in runs, to bound the time
_RUN: Final = 16  # of at most this share of the room


def pack(units: Sequence[Unit], room: int, floor: int) -> list[list[Unit]]:
    """Neighbouring units in groups of at most `room` tokens, at the least cost.

    Each chunk costs 1, a cut costs what the unit before it says, and a chunk under the floor or far from full costs
    extra; the optimum over all ways is found by dynamic programming (as in Knuth and Plass, Breaking Paragraphs
    into Lines, 1981). Ties go to the longer last group. A unit over the room stands alone.

    Args:
        units: in order.
        room: tokens of a group at most.
        floor: tokens below which a group is too short.
    """
    if len(units) > _MANY:
        units = _coarser(units, max(1, room // _RUN))
    if sum(unit.cost for unit in units) <= room:
        return [list(units)] if units else []
    sums = [0, *accumulate(unit.cost for unit in units)]
    best = [0.0] + [float("inf")] * len(units)
    begin = [0] * (len(units) + 1)
    for end in range(1, len(units) + 1):
        cut = units[end - 1].cut if end < len(units) else 0.0
        for start in range(end - 1, -1, -1):
            tokens = sums[end] - sums[start]
            if tokens > room and start < end - 1:
                break
            cost = best[start] + _price(tokens, room, floor) + cut
            if cost <= best[end]:
                best[end], begin[end] = cost, start
    groups: list[list[Unit]] = []
    end = len(units)
    while end:
        groups.append(list(units[begin[end] : end]))
        end = begin[end]
    return groups[::-1]


def fill(costs: Iterable[int], room: int, overlap: int = 0) -> list[tuple[int, int]]:
    """Neighbouring units in groups as full as `room` allows, from the first to the last.

    Each group begins after the one before it began and ends after it ended, so any input ends. A unit over the room stands alone.

    Args:
        costs: tokens of the units, in order.
        room: tokens of a group at most.
        overlap: tokens at the end of a group that the next one repeats, at most.

    Returns:
        (first, behind the last) of each group, as positions of units.
    """
    sums = [0, *accumulate(costs)]
    groups: list[tuple[int, int]] = []
    start, many = 0, len(sums) - 1
    while start < many:
        end = max(start + 1, bisect_right(sums, sums[start] + room, start) - 1)
        groups.append((start, end))
        if end == many:
            break
        # The next one repeats what the overlap allows and its own first new unit leaves room for.
        repeated = bisect_left(sums, max(sums[end] - overlap, sums[end + 1] - room))
        start = min(max(start + 1, repeated), end)
    return groups


def tokens(group: Sequence[Unit]) -> int:
    """Tokens of a group."""
    return sum(unit.cost for unit in group)


def _price(tokens: int, room: int, floor: int) -> float:
    short = _UNDER_FLOOR * (2 - tokens / floor) if tokens < floor else 0.0
    return 1.0 + short + _UNEVEN * max(0.0, 1 - tokens / room) ** 2


def _coarser(units: Sequence[Unit], most: int) -> list[Unit]:
    result: list[Unit] = []
    for unit in units:
        last = result[-1] if result else None
        if last is not None and last.cost + unit.cost <= most and last.next == unit.start:
            result[-1] = replace(unit, start=last.start, cost=last.cost + unit.cost)
        else:
            result.append(unit)
    return result
