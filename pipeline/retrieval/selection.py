"""Selection: which of the ranked candidates become results, and which of them are shown with their whole section.

Every candidate here has passed the filters: all of them are visible to the asker and in force.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from pipeline.config import RetrievalConfig
from pipeline.retrieval.legs import Candidate


@dataclass(frozen=True)
class Pick:
    """A result to be: its row, its score, and whether it is shown with its section."""

    candidate: Candidate
    score: float
    with_parent: bool


def represent(
    ranked: Sequence[tuple[Candidate, float]], canonicals: Mapping[str, Candidate], terms: Collection[str]
) -> list[tuple[Candidate, float]]:
    """Leave one candidate of each cluster of near-duplicates, in the place and with the score of its best one.

    Near-duplicates differ in what a template leaves open: names, sums, dates. So the copy with the most terms of the
    query stands for its cluster: who asks for one client's contract gets that one. Among equals the canonical copy
    does, else the most authoritative, the latest, the best ranked.

    Args:
        ranked: candidates with scores, best first.
        canonicals: canonical copies that are visible, by cluster id, whether ranked or not.
        terms: analysed terms of the query.
    """
    wanted = frozenset(terms)
    copies: dict[str, dict[str, Candidate]] = defaultdict(dict)
    for candidate, _ in ranked:
        if candidate.cluster_id is not None:
            copies[candidate.cluster_id].setdefault(candidate.chunk_id, candidate)
    for cluster_id, canonical in canonicals.items():
        copies[cluster_id].setdefault(canonical.chunk_id, canonical)

    def fitness(copy: Candidate) -> tuple[int, bool, int, date]:
        return (
            len(wanted & copy.terms.keys()),
            copy.chunk_id == copy.canonical_chunk_id,
            copy.authority,
            copy.effective_date or date.min,
        )

    left: list[tuple[Candidate, float]] = []
    seen: set[str] = set()
    for candidate, score in ranked:
        if candidate.cluster_id is None:
            left.append((candidate, score))
        elif candidate.cluster_id not in seen:
            seen.add(candidate.cluster_id)
            # max keeps the first among equals, and copies are in ranked order
            left.append((max(copies[candidate.cluster_id].values(), key=fitness), score))
    return left


def select(
    ranked: Sequence[tuple[Candidate, float]], *, k: int, per_document: int, config: RetrievalConfig
) -> list[Pick]:
    """Walk down the ranking until there are `k` results.

    A section whose text is given with one result does not occur again. A result is given its section while the
    answer's token budget lasts; a section that is longer than `parent_tokens`, or than what is left of the budget,
    falls back to the chunk itself, and then other chunks of that section may follow.

    Args:
        ranked: candidates with scores, one of each cluster, best first.
        k: how many.
        per_document: how many of one document; further ones are left out.
        config: budget and cap on parents.

    Returns:
        At most `k` picks, best first.
    """
    picks: list[Pick] = []
    sections: set[str] = set()
    documents: Counter[str] = Counter()
    budget = config.token_budget
    for candidate, score in ranked:
        if len(picks) == k:
            break
        if candidate.section_id in sections or documents[candidate.doc_id] >= per_document:
            continue
        tokens = candidate.parent_tokens
        with_parent = tokens is not None and tokens <= min(config.parent_tokens, budget)
        if with_parent and tokens is not None:
            budget -= tokens
            sections.add(candidate.section_id)
        documents[candidate.doc_id] += 1
        picks.append(Pick(candidate, score, with_parent))
    return picks
