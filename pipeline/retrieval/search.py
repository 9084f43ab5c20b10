"""The search: from questions to answers over one LanceDB table of index rows.

Filter, rank by each leg, fuse, leave one of each cluster, cap by document, give sections within the budget, cite.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from pipeline.config import LANGUAGES, UNKNOWN, RetrievalConfig, UserError
from pipeline.embedding.sources import EncoderError
from pipeline.index.rows import vector_column
from pipeline.language.glossary import Concept, Glossary, all_terms
from pipeline.retrieval.answer import Answer, Edition, Place
from pipeline.retrieval.citation import CITED, cited, neighbours
from pipeline.retrieval.filters import none_of, one_of, permitted, visible, wanted
from pipeline.retrieval.fusion import fuse
from pipeline.retrieval.legs import Candidate, Vectors, chosen, editions, fetch, matching, nearest, places
from pipeline.retrieval.query import Query, QueryError
from pipeline.retrieval.reranking import Reranker
from pipeline.retrieval.selection import Pick, represent, select
from pipeline.tables import columns as c

if TYPE_CHECKING:
    from lancedb.table import Table

# Raise it when the same index answers otherwise: every build is then judged anew.
CODE_VERSION: Final = "5"
FILTERS: Final = 256  # whose number of rows is remembered
ALSO_IN: Final = 20  # a standard clause may stand in thousands of contracts


class QueryEncoder(Protocol):
    """What a search asks of an encoder."""

    def encode_queries(self, texts: Sequence[str], /) -> Vectors:
        """Vectors of questions: shape (n, dims), float32, unit length."""
        ...


class IndexMismatchError(UserError):
    """The index and the encoders of the configuration do not fit together."""


@dataclass
class _Task:
    """A query on its way to an answer."""

    query: Query
    as_of: date
    languages: tuple[str, ...]  # that it may be in
    concepts: tuple[Concept, ...]
    vectors: dict[str, Vectors]  # vector column → shape (1, dims)
    limit: int  # rows asked of each leg in a round
    pool: dict[str, Candidate] = field(default_factory=dict[str, Candidate])  # by chunk id
    reranked: dict[str, float] = field(default_factory=dict[str, float])  # chunk id → score
    exhausted: bool = False  # the last round brought everything that was left

    @property
    def terms(self) -> frozenset[str]:
        """Of the question's own words."""
        return frozenset(token for concept in self.concepts for token in concept.tokens)

    @property
    def wanted(self) -> str:
        return wanted(self.query, self.as_of)


class Searcher:
    """Answers questions from one version of an index.

    Args:
        table: LanceDB table of index rows, checked out at the version that is to answer.
        encoders: by the slug of their vector column `vector_<slug>`; without any, full text alone answers.
        config: candidates, weights, caps and budget.
        build: name of the build, repeated in each answer.
        glossary: other words for those of the questions; None: each stands for itself.
        reranker: orders the best `config.reranked` candidates anew; None: fusion decides alone.
        today: what an `as_of` of None means.
    """

    def __init__(
        self,
        table: "Table",
        encoders: Mapping[str, QueryEncoder],
        config: RetrievalConfig,
        *,
        build: str = "",
        glossary: Glossary | None = None,
        reranker: Reranker | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self._table = table
        # The table stays at one version, and askers of the same groups share their filter.
        self._count = lru_cache(maxsize=FILTERS)(table.count_rows)
        self._encoders = {vector_column(slug): encoder for slug, encoder in sorted(encoders.items())}
        self._config = config
        self._glossary = glossary or Glossary(())
        self._reranker = reranker
        self._today = today
        self.build = build

    def search(self, query: Query) -> Answer:
        """The answer to one question: `query.k` results when so many exist."""
        return self.search_many([query])[0]

    def search_many(self, queries: Sequence[Query]) -> list[Answer]:
        """The answers, in the order of the questions; each is what `search` gives for its question alone.

        Raises:
            QueryError: an encoder cannot take a question, for example because it has too many tokens.
            IndexMismatchError: the table has no column for an encoder, or its vectors have another length.
        """
        tasks = self._tasks(queries)
        self._first_round(tasks)
        return [self._answer(task) for task in tasks]

    def _tasks(self, queries: Sequence[Query]) -> list[_Task]:
        from pipeline.language.detection import detect

        if not queries:
            return []
        texts = [query.clean for query in queries]
        today = self._today()
        vectors = {column: self._encode(column, texts) for column in self._encoders}
        tasks: list[_Task] = []
        for at, (query, language) in enumerate(zip(queries, detect(texts), strict=True)):
            # Too short to tell: a word of any language, so it is analysed as each.
            languages = LANGUAGES if language == UNKNOWN else (language,)
            tasks.append(
                _Task(
                    query=query,
                    as_of=query.as_of or today,
                    languages=languages,
                    concepts=self._glossary.concepts(texts[at], languages),
                    vectors={column: encoded[at : at + 1] for column, encoded in vectors.items()},
                    limit=max(self._config.candidates, 3 * query.k),
                )
            )
        return tasks

    def _encode(self, column: str, texts: Sequence[str]) -> Vectors:
        if column not in self._dims:
            raise IndexMismatchError(
                f"the index has no column {column}, only {', '.join(sorted(self._dims)) or 'no vectors'}: run the line"
                " again, or configure the encoders that the index was built with"
            )
        try:
            vectors = np.asarray(self._encoders[column].encode_queries(texts), dtype=np.float32)
        except EncoderError as error:
            raise QueryError(f"a question cannot be encoded: {error}") from error
        if vectors.shape != (len(texts), self._dims[column]):
            raise IndexMismatchError(
                f"the encoder of {column} gives vectors of length {vectors.shape[-1]}, the index holds"
                f" {self._dims[column]}: it was built with another model"
            )
        return vectors

    @cached_property
    def _dims(self) -> dict[str, int]:
        """Vector columns of the table with the length of their vectors."""
        table: Any = self._table
        # Only a list of fixed size, which a vector is, has a list_size.
        sizes = {entry.name: getattr(entry.type, "list_size", 0) for entry in table.schema}
        return {name: size for name, size in sizes.items() if name.startswith(vector_column("")) and size}

    @cached_property
    def _approximate(self) -> frozenset[str]:
        """Columns that have an index of their own, which for a vector column is an approximate one."""
        return frozenset(column for entry in self._table.list_indices() for column in entry.columns)

    def _first_round(self, tasks: Sequence[_Task]) -> None:
        """The first candidates of each task; those under the same filter are searched for together."""
        alike: dict[tuple[str, int], list[_Task]] = defaultdict(list)
        for task in tasks:
            alike[task.wanted, task.limit].append(task)
        for (where, limit), group in alike.items():
            self._round(group, where, limit)

    def _round(self, tasks: Sequence[_Task], where: str, limit: int) -> None:
        """Add to the pools what all legs find under one filter, side by side; note whether anything can be left."""
        vectors = {
            column: np.concatenate([task.vectors[column] for task in tasks]) for column in self._encoders
        }
        with ThreadPoolExecutor(len(self._encoders) + 1) as threads:
            searching = [
                threads.submit(
                    nearest, self._table, column, vectors,
                    where=where, limit=limit, approximate=column in self._approximate,
                )
                for column in self._encoders
            ]  # fmt: skip
            texts = list(threads.map(lambda task: self._matching(task, where), tasks))
            dense = [search.result() for search in searching]
        for at, task in enumerate(tasks):
            legs = [leg[at] for leg in dense]
            task.exhausted = all(len(leg) < limit for leg in legs or (texts[at],))
            for leg in (*legs, texts[at]):
                task.pool |= {candidate.chunk_id: candidate for candidate in leg}

    def _matching(self, task: _Task, where: str) -> list[Candidate]:
        """The full-text leg, limited to the languages that have a weight."""
        if self._config.text_weight == 0:
            return []
        if self._config.cross_lingual_text_weight == 0:
            where = f"{where} AND {one_of(c.LANGUAGE, (*task.languages, UNKNOWN))}"
        return matching(
            self._table, all_terms(task.concepts), task.vectors,
            where=where, limit=task.limit, examined=self._config.examined, count=self._count,
        )  # fmt: skip

    def _answer(self, task: _Task) -> Answer:
        picks = self._picks(task)
        with ThreadPoolExecutor(2) as threads:
            fetching = threads.submit(fetch, self._table, [pick.candidate.row_id for pick in picks], CITED)
            also_in = self._also_in(task, [pick.candidate for pick in picks])
            rows = fetching.result()
        newer = self._newer(task, rows.values())
        permitted_now = visible(task.query, task.as_of, few=True)
        around = neighbours(self._table, picks, rows, where=permitted_now, config=self._config)
        results = tuple(
            cited(
                rank,
                pick,
                rows[pick.candidate.chunk_id],
                also_in=also_in.get(pick.candidate.chunk_id, ()),
                newer=newer,
                around=around.get(pick.candidate.chunk_id, ()),
            )
            for rank, pick in enumerate(picks, start=1)
        )
        return Answer(task.query.text, task.as_of, task.query.groups, self.build, results)

    def _picks(self, task: _Task) -> list[Pick]:
        """Select, and while that leaves fewer than k results, search on past what is covered already."""
        k, cap = task.query.k, self._config.per_document
        canonicals: dict[str, Candidate] = {}
        while True:
            ranked = fuse(
                list(task.pool.values()),
                columns=self._encoders,
                concepts=task.concepts,
                languages=task.languages,
                as_of=task.as_of,
                config=self._config,
            )
            canonicals |= self._canonicals(task, [candidate for candidate, _ in ranked], known=canonicals)
            heads = self._reranked(task, represent(ranked, canonicals, task.terms))
            picks = select(heads, k=k, per_document=cap, config=self._config)
            if len(picks) == k or (task.exhausted and cap >= k):
                return picks
            if task.exhausted:
                # Too few documents for the cap: it gives way before results are withheld.
                cap, task.exhausted = 2 * cap, False
                continue
            self._round([task], f"{task.wanted} AND {_uncovered(ranked, picks, cap)}", task.limit)

    def _reranked(self, task: _Task, heads: list[tuple[Candidate, float]]) -> list[tuple[Candidate, float]]:
        """The best candidates in the reranker's order, with scores from 1 to 2, before all others."""
        if self._reranker is None:
            return heads
        best = heads[: self._config.reranked]
        new = [candidate for candidate, _ in best if candidate.chunk_id not in task.reranked]
        rows = fetch(self._table, [candidate.row_id for candidate in new], (c.TEXT,))
        texts = [rows[candidate.chunk_id][c.TEXT] for candidate in new]
        scores = self._reranker.scores(task.query.clean, texts)
        task.reranked |= {candidate.chunk_id: 1 + score for candidate, score in zip(new, scores, strict=True)}
        ordered = [(candidate, task.reranked[candidate.chunk_id]) for candidate, _ in best]
        ordered.sort(key=lambda scored: (-scored[1], scored[0].chunk_id))
        return ordered + heads[len(best) :]

    def _canonicals(
        self, task: _Task, candidates: Sequence[Candidate], known: Collection[str]
    ) -> dict[str, Candidate]:
        """Canonical copies of the candidates' clusters that the query may find, by cluster id."""
        ids = {
            candidate.canonical_chunk_id
            for candidate in candidates
            if candidate.cluster_id not in known and candidate.canonical_chunk_id is not None
        }
        if not ids:
            return {}
        found = {candidate.chunk_id: candidate for candidate in candidates if candidate.chunk_id in ids}
        missing = ids - found.keys()
        if missing:
            where = f"{wanted(task.query, task.as_of, few=True)} AND {one_of(c.CHUNK_ID, missing)}"
            rows = chosen(self._table, where=where)
            found |= {candidate.chunk_id: candidate for candidate in rows}
        return {
            candidate.cluster_id: candidate
            for candidate in found.values()
            if candidate.cluster_id is not None
        }

    def _newer(self, task: _Task, rows: Collection[Mapping[str, Any]]) -> dict[str, Edition]:
        """Editions that replace those of the rows and that the asker may see, by document id."""
        successors = {row[c.SUPERSEDED_BY] for row in rows} - {None}
        if not successors:
            return {}
        return editions(self._table, where=f"{permitted(task.query)} AND {one_of(c.DOC_ID, successors)}")

    def _also_in(self, task: _Task, candidates: Sequence[Candidate]) -> dict[str, tuple[Place, ...]]:
        """For each result that is in a cluster the other visible documents of the cluster, by chunk id."""
        clusters = {candidate.cluster_id for candidate in candidates if candidate.cluster_id is not None}
        if not clusters:
            return {}
        where = f"{visible(task.query, task.as_of, few=True)} AND {one_of(c.CLUSTER_ID, clusters)}"
        found = places(self._table, where=where)
        return {
            candidate.chunk_id: tuple(
                place for place in found.get(candidate.cluster_id, ()) if place.doc_id != candidate.doc_id
            )[:ALSO_IN]
            for candidate in candidates
            if candidate.cluster_id is not None
        }


def _uncovered(ranked: Sequence[tuple[Candidate, float]], picks: Sequence[Pick], cap: int) -> str:
    """A filter that leaves out what can add no result: known clusters, shown sections, full documents, known rows."""
    clusters = {candidate.cluster_id for candidate, _ in ranked if candidate.cluster_id is not None}
    sections = {pick.candidate.section_id for pick in picks if pick.with_parent}
    documents = [pick.candidate.doc_id for pick in picks]
    full = {doc_id for doc_id in documents if documents.count(doc_id) >= cap}
    rows = {
        candidate.chunk_id
        for candidate, _ in ranked
        if candidate.cluster_id not in clusters
        and candidate.section_id not in sections
        and candidate.doc_id not in full
    }
    return " AND ".join(
        none_of(column, values)
        for column, values in (
            (c.CLUSTER_ID, clusters), (c.SECTION_ID, sections), (c.DOC_ID, full), (c.CHUNK_ID, rows),
        )
        if values
    ) or "true"  # fmt: skip
