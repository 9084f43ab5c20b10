"""Tables that go on over a page."""

from dataclasses import replace

from pipeline.parsing.tree import Block


def continued(pages: list[list[Block]]) -> list[list[Block]]:
    """Tables that go on over a page get the header rows of their first part."""
    open_table: Block | None = None
    for blocks in pages:
        body = [number for number, block in enumerate(blocks) if block.kind != "footnote"]
        if open_table is not None and body and blocks[body[0]].kind == "table":
            blocks[body[0]] = _headed(open_table, blocks[body[0]])
        last = blocks[body[-1]] if body else None
        open_table = last if last is not None and last.kind == "table" else None
    return pages


def _headed(first: Block, second: Block) -> Block:
    header = first.rows[: first.header_rows]
    same_shape = len(first.rows[0]) == len(second.rows[0])
    if (
        not header
        or not same_shape
        or not first.bbox
        or not second.bbox
        or abs(first.bbox[0] - second.bbox[0]) > 40
    ):
        return second
    if second.rows[: len(header)] == header:
        return replace(second, header_rows=len(header), headed=first.headed)
    if second.headed:
        return second
    moved = tuple(
        (top + len(header), end + len(header), left, right) for top, end, left, right in second.spans
    )
    spans = (*(span for span in first.spans if span[1] < len(header)), *moved)
    return replace(
        second, rows=header + second.rows, header_rows=len(header), headed=first.headed, spans=spans
    )
