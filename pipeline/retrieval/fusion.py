"""Fusion: the ranks of several legs become one score, by weights that know the languages."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date
from math import fsum, log
from typing import Final

from pipeline.config import RetrievalConfig
from pipeline.retrieval.legs import Candidate

HALF_LIFE_DAYS: Final = 3 * 365.25  # a document that much older has half the boost of recency
UNKNOWN: Final = "und"
NEAREST: Final = 10  # rows of a dense leg that show which language the answer is in


def fuse(
    dense: Sequence[Sequence[Candidate]],
    text: Sequence[Candidate],
    *,
    words: Sequence[Collection[str]],
    languages: Collection[str],
    as_of: date,
    config: RetrievalConfig,
) -> list[tuple[Candidate, float]]:
    """Candidates with their scores, best first; equal scores in the order of chunk ids.

    Weighted reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): a leg adds weight / (rrf_k + rank).
    Ranks alone mislead across languages: when the answer is in another language than the question, full text still
    ranks 60 rows in the question's own, which share its small words and nothing else, above what dense search found.
    So a full-text hit counts as much as the words that it contains are worth, and that the more strictly, the
    more of the nearest vectors are in other languages (see `text_weights`).

    Args:
        dense: for each vector column its candidates, nearest first.
        text: candidates of the full-text leg, best first.
        words: the terms of each word of the query; a row with any of them contains the word.
        languages: those that the query may be in.
        as_of: the day that recency is counted from.
        config: weights and boosts.
    """
    scores: dict[str, float] = defaultdict(float)
    candidates = {candidate.chunk_id: candidate for leg in (*dense, text) for candidate in leg}
    for leg in dense:
        for rank, candidate in enumerate(leg, start=1):
            scores[candidate.chunk_id] += 1 / (config.rrf_k + rank)
    doubt = config.text_doubt * (1 - language_share(dense, languages))
    weights = text_weights(
        text, list(candidates.values()), words=words, languages=languages, doubt=doubt, config=config
    )
    for rank, (candidate, weight) in enumerate(zip(text, weights, strict=True), start=1):
        scores[candidate.chunk_id] += weight / (config.rrf_k + rank)
    boosted = [
        (candidate, scores[chunk_id] * boost(candidate, as_of, config))
        for chunk_id, candidate in candidates.items()
    ]
    return sorted(boosted, key=lambda scored: (-scored[1], scored[0].chunk_id))


def language_share(dense: Sequence[Sequence[Candidate]], languages: Collection[str]) -> float:
    """Share (0 to 1) of the nearest rows that are in a language of the query; 1 when there are none."""
    nearest = [candidate for leg in dense for candidate in leg[:NEAREST]]
    own = sum(candidate.language == UNKNOWN or candidate.language in languages for candidate in nearest)
    return own / len(nearest) if nearest else 1.0


def text_weights(
    text: Sequence[Candidate],
    pool: Sequence[Candidate],
    *,
    words: Sequence[Collection[str]],
    languages: Collection[str],
    doubt: float,
    config: RetrievalConfig,
) -> list[float]:
    """The weight of each full-text hit: by its language, times covered ** doubt.

    `covered` is the share (0 to 1) of the query's words that the hit contains, each word counted by its rarity in the
    pool; a word that no candidate contains is the rarest of all, so hits on small words alone cover little.

    Args:
        text: the hits.
        pool: all candidates of all legs.
        words: the terms of each word of the query.
        languages: those that the query may be in.
        doubt: 0 and more; at 0 the language alone decides.
        config: weights by language.
    """
    sets = [frozenset(word) for word in words if word]
    rarity = [
        log((len(pool) + 1) / (sum(not word.isdisjoint(candidate.terms) for candidate in pool) + 0.5))
        for word in sets
    ]
    total = fsum(rarity)
    weights: list[float] = []
    for hit in text:
        own = hit.language == UNKNOWN or hit.language in languages
        weight = config.text_weight if own else min(config.text_weight, config.cross_lingual_text_weight)
        found = fsum(
            worth for word, worth in zip(sets, rarity, strict=True) if not word.isdisjoint(hit.terms)
        )
        weights.append(weight * (found / total) ** doubt if total else weight)
    return weights


def boost(candidate: Candidate, as_of: date, config: RetrievalConfig) -> float:
    """The factor of authority (0 to 100) and recency: 1 to (1 + authority_boost) x (1 + recency_boost).

    Recency halves every three years before `as_of`; a document without a date has none.
    """
    recency = 0.0
    if candidate.effective_date is not None:
        age = max(0, (as_of - candidate.effective_date).days)
        recency = 0.5 ** (age / HALF_LIFE_DAYS)
    authority = min(max(candidate.authority, 0), 100) / 100
    return (1 + config.authority_boost * authority) * (1 + config.recency_boost * recency)
