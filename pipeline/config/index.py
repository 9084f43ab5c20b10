"""`[lake]` and `[index]`: where the tables lie, and how the index is built and kept."""

from pydantic import Field

from pipeline.config.values import Section, Share


class LakeConfig(Section):
    root: str = Field(
        default="data/lake", description="Where the Parquet tables lie: a folder or any fsspec URL."
    )


class IndexConfig(Section):
    root: str = Field(default="data/index", description="Where the LanceDB tables and the live pointer lie.")
    rollback_days: int = Field(
        default=14, ge=0, le=36_500, description="How long builds that were live are kept, in days."
    )
    policy_minutes: int = Field(
        default=15,
        ge=0,
        description="While documents are read, models asked and strings embedded, the sources are looked at so often, in minutes: what was deleted or closed leaves the live index at once; 0: at the next run.",
    )
    flat_below: int = Field(
        default=20_000,
        ge=256,
        description="Below this number of rows no approximate vector index is built: exact search.",
    )
    min_vector_recall: Share = Field(
        default=0.95,
        description="An approximate index that finds less of what an exact search finds is dropped: exact search.",
    )
    recall_sample: int = Field(
        default=128, ge=1, le=10_000, description="Rows asked for their neighbours to measure that."
    )
    hnsw_m: int = Field(default=20, ge=4, le=128, description="Neighbours of a vector in the graph.")
    hnsw_ef_construction: int = Field(
        default=300,
        ge=16,
        le=2_000,
        description="Candidates looked at for each vector when the graph is made.",
    )
    hnsw_partition_rows: int = Field(
        default=1_000_000,
        ge=10,
        description="Rows in one graph: less memory to build, more graphs to search.",
    )
