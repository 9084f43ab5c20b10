"""Fusion: the ranks of several legs become one score, by weights that know the languages."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from math import fsum, log
from typing import Final

from pipeline.config import UNKNOWN, RetrievalConfig
from pipeline.retrieval.legs import Candidate

HALF_LIFE_DAYS: Final = 3 * 365.25  # a document that much older has half the boost of recency
NEAREST: Final = 10  # rows of a dense leg that show which language the answer is in


def fuse(
    dense: Mapping[str, Sequence[Candidate]],
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

    A heading says what its section is about: whoever asks for the "Verbraucher" wants "§ 13 Verbraucher", not one of the
    two hundred sections that mention them. So a candidate gains by the share of the query that its heading covers.

    Args:
        dense: for each encoder, by its slug, its candidates, nearest first.
        text: candidates of the full-text leg, best first.
        words: the terms of each word of the query; a row with any of them contains the word.
        languages: those that the query may be in.
        as_of: the day that recency is counted from.
        config: weights and boosts.
    """
    scores: dict[str, float] = defaultdict(float)
    candidates = {candidate.chunk_id: candidate for leg in (*dense.values(), text) for candidate in leg}
    for slug, leg in dense.items():
        for rank, candidate in enumerate(leg, start=1):
            weight = encoder_weight(slug, candidate.language, languages, config)
            scores[candidate.chunk_id] += weight / (config.rrf_k + rank)
    pool = list(candidates.values())
    worth = word_worth(pool, words)
    doubt = config.text_doubt * (1 - language_share(list(dense.values()), languages))
    weights = text_weights(text, worth, languages=languages, doubt=doubt, config=config)
    for rank, (candidate, weight) in enumerate(zip(text, weights, strict=True), start=1):
        scores[candidate.chunk_id] += weight / (config.rrf_k + rank)
    boosted = [
        (
            candidate,
            scores[candidate.chunk_id]
            * boost(candidate, as_of, config)
            * (1 + config.heading_boost * covered(worth, candidate.heading)),
        )
        for candidate in pool
    ]
    return sorted(boosted, key=lambda scored: (-scored[1], scored[0].chunk_id))


def encoder_weight(slug: str, language: str, languages: Collection[str], config: RetrievalConfig) -> float:
    """The weight of an encoder for a chunk's language and those that the query may be in: the narrowest that is set."""
    own = language == UNKNOWN or language in languages
    keys = [f"{slug}:{asked}-{language}" for asked in languages] if len(languages) == 1 else []
    keys += [f"{slug}:{'same' if own else 'cross'}", slug]
    return next((config.encoder_weights[key] for key in keys if key in config.encoder_weights), 1.0)


def language_share(dense: Sequence[Sequence[Candidate]], languages: Collection[str]) -> float:
    """Share (0 to 1) of the nearest rows that are in a language of the query; 1 when there are none."""
    nearest = [candidate for leg in dense for candidate in leg[:NEAREST]]
    own = sum(candidate.language == UNKNOWN or candidate.language in languages for candidate in nearest)
    return own / len(nearest) if nearest else 1.0


def word_worth(
    pool: Sequence[Candidate], words: Sequence[Collection[str]]
) -> list[tuple[frozenset[str], float]]:
    """Each word of the query with its rarity in the pool; what no candidate contains is the rarest of all.

    Args:
        pool: all candidates of all legs. Only what the asker may see is among them, so that nothing else counts.
        words: the terms of each word of the query.
    """
    sets = [frozenset(word) for word in words if word]
    return [
        (word, log((len(pool) + 1) / (sum(not word.isdisjoint(row.terms) for row in pool) + 0.5)))
        for word in sets
    ]


def covered(worth: Sequence[tuple[frozenset[str], float]], terms: frozenset[str]) -> float:
    """Share (0 to 1) of the query's words that the terms contain, each counted by its worth."""
    total = fsum(value for _, value in worth)
    return fsum(value for word, value in worth if not word.isdisjoint(terms)) / total if total else 0.0


def text_weights(
    text: Sequence[Candidate],
    worth: Sequence[tuple[frozenset[str], float]],
    *,
    languages: Collection[str],
    doubt: float,
    config: RetrievalConfig,
) -> list[float]:
    """The weight of each full-text hit: by its language, times `covered` to the power of doubt.

    Hits on small words alone cover little. A question without words has no doubt.

    Args:
        text: the hits.
        worth: as `word_worth` gives it.
        languages: those that the query may be in.
        doubt: 0 and more; at 0 the language alone decides.
        config: weights by language.
    """
    weights: list[float] = []
    for hit in text:
        own = hit.language == UNKNOWN or hit.language in languages
        weight = config.text_weight if own else min(config.text_weight, config.cross_lingual_text_weight)
        weights.append(weight * (covered(worth, hit.terms) ** doubt if worth else 1))
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
