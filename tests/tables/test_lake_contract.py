"""What a table may hold: wrong values and shapes are refused, and the message names them."""

import polars as pl
import pytest

from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.lake import LakeError, validate
from tests.tables.small import SMALL, row, small


class TestContract:
    DOCUMENT = row(s.DOCUMENTS, 0)
    VECTOR = s.embeddings("e", 2)

    @pytest.mark.parametrize(
        ("change", "named"),
        [
            ({c.STATUS: "gone\nforever"}, ["status", r"'gone\nforever'", "live"]),
            ({c.ACL_GROUPS: []}, ["acl_groups", "empty"]),
            ({c.ACL_GROUPS: ["a", None]}, ["acl_groups", "null"]),
            ({c.URI: None}, ["uri", "null"]),
            ({c.DOC_ID: None}, ["doc_id", "null"]),
        ],
    )
    def test_a_wrong_value_is_refused_in_one_line(self, lake, change, named):
        good = s.DOCUMENTS.frame([self.DOCUMENT])
        lake.publish(s.DOCUMENTS, "c.0", good, "i")
        bad = s.DOCUMENTS.frame([self.DOCUMENT | {c.DOC_ID: "good"}, self.DOCUMENT | change])
        with pytest.raises(LakeError) as error:
            lake.publish(s.DOCUMENTS, "c.0", bad, "j")
        for part in ["documents/c.0", *named]:
            assert part in str(error.value)
        assert "\n" not in str(error.value)
        assert lake.read(s.DOCUMENTS, "c.0").equals(good)

    def test_the_offending_row_is_named_by_its_key(self, lake):
        frame = s.DOCUMENTS.frame([self.DOCUMENT, self.DOCUMENT | {c.DOC_ID: "the bad one", c.STATUS: "x"}])
        with pytest.raises(LakeError, match="doc_id 'the bad one'"):
            lake.publish(s.DOCUMENTS, "c.0", frame, "i")

    def test_a_key_twice_is_refused(self, lake):
        with pytest.raises(LakeError, match=r"small/p: key doc_id breaks .*uniqueness.*doc_id '0'.*2 in all"):
            lake.publish(SMALL, "p", pl.concat([small("x"), small("y")]), "i")
        assert lake.state(SMALL, "p") is None

    @pytest.mark.parametrize(
        "bad",
        [[0.0, 0.0], [1e-39, 0.0], [1e20, 1e20], [1.0, float("nan")], [1.0, float("inf")], [1.0, None]],
    )
    def test_a_vector_that_cannot_be_searched_is_refused_by_name(self, lake, bad):
        """B54: a cosine with it is not a number."""
        frame = self.VECTOR.frame(
            [
                {c.EMBED_HASH: "a", c.ENCODER: "e", c.VECTOR: [0.0, -1.0]},
                {c.EMBED_HASH: "b", c.ENCODER: "e", c.VECTOR: bad},
            ]
        )
        with pytest.raises(
            LakeError, match=r"embeddings/e/p: vector breaks 'finite and not zero'.*embed_hash 'b'.*1 in all"
        ):
            lake.publish(self.VECTOR, "p", frame, "i")

    @pytest.mark.parametrize(
        ("column", "bad"),
        [
            (c.QUALITY, float("nan")),
            (c.SCORES, {"confidence": float("nan"), "known_words": None}),
            (c.ATTEMPTS, [{"engine": "e", "preprocessing": "", "quality": float("inf")}]),
            (c.BLOCKS, [row(s.GATED_PAGES, 0)[c.BLOCKS][0] | {"bbox": [1.0, float("nan")]}]),
        ],
    )
    def test_nan_is_found_however_deep_it_lies(self, lake, column, bad):
        with pytest.raises(LakeError, match=f"gated_pages/p: {column} breaks '(finite|not_nullable)'"):
            lake.publish(
                s.GATED_PAGES, "p", s.GATED_PAGES.frame([row(s.GATED_PAGES, 0) | {column: bad}]), "i"
            )

    def test_a_score_that_was_not_computed_is_null(self, lake):
        scores = dict.fromkeys(row(s.GATED_PAGES, 0)[c.SCORES])
        frame = s.GATED_PAGES.frame([row(s.GATED_PAGES, 0) | {c.SCORES: scores, c.ATTEMPTS: []}])
        lake.publish(s.GATED_PAGES, "p", frame, "i")
        assert lake.read(s.GATED_PAGES, "p").equals(frame)

    @pytest.mark.parametrize(
        ("frame", "named"),
        [
            (small("x").drop(c.TEXT), "text"),
            (small("x").drop(c.DOC_ID), "doc_id"),
            (small("x").with_columns(pl.col(c.DOC_ID).cast(pl.Int64)), "doc_id"),
            (pl.DataFrame(), "doc_id"),
        ],
    )
    def test_a_wrong_shape_is_refused(self, lake, frame, named):
        with pytest.raises(LakeError, match=f"^small/p: .*{named}.*$"):
            lake.publish(SMALL, "p", frame, "i")

    def test_validate_refuses_a_column_too_many(self):
        with pytest.raises(LakeError, match="extra"):
            validate(SMALL, "p", small("x").with_columns(extra=1))

    def test_a_long_value_is_cut(self):
        frame = s.DOCUMENTS.frame([self.DOCUMENT | {c.STATUS: "x" * 100_000}])
        with pytest.raises(LakeError) as error:
            validate(s.DOCUMENTS, "p", frame)
        assert len(str(error.value)) < 500
