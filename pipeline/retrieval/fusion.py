"""Fusion: the scores of several legs become one, by weights that know the languages.

Everything that a score is made of comes from the candidates themselves, which the asker may see: no statistics of the
whole index. So no score and no order tells of what is hidden, as long as at most `candidates` visible rows match: of more,
full text takes the first by its BM25 over the whole index, and hidden rows may exchange the last of them.
"""

from collections.abc import Collection, Sequence
from datetime import date
from math import fsum, log
from typing import Final

from pipeline.config import UNKNOWN, RetrievalConfig
from pipeline.index.rows import vector_column
from pipeline.retrieval.legs import Candidate

HALF_LIFE_DAYS: Final = 3 * 365.25  # a document that much older has half the boost of recency
K1: Final = 1.2  # of BM25: how soon further occurrences of a term stop to count
B: Final = 0.75  # of BM25: how much the length of a row counts
FLOOR: Final = 0.001  # what the farthest candidate scores


def fuse(
    pool: Sequence[Candidate],
    *,
    columns: Collection[str],
    terms: Collection[str],
    languages: Collection[str],
    as_of: date,
    config: RetrievalConfig,
) -> list[tuple[Candidate, float]]:
    """Candidates with their scores, best first; equal scores in the order of chunk ids.

    A convex combination of scores, which keeps what ranks forget: how much better the first is than the second (Bruch,
    Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023). Encoders first: each one's
    cosines are stretched over the pool from 0 to 1, and their mean is weighted by the languages of question and candidate,
    because some encoders prefer the question's own; it counts once for each encoder. Then full text: BM25 as a share of what a row with every
    term would have. So it fades by itself where it cannot help: a row in another language than the question has few of its
    terms, even if it is the best that full text found.

    Args:
        pool: all candidates of all legs, each once.
        columns: the vector columns; each candidate has a cosine for each.
        terms: analysed terms of the question.
        languages: those that the question may be in.
        as_of: the day that recency is counted from.
        config: weights and boosts.

    Returns:
        Scores are greater than 0 and at most 1.
    """
    near = nearness(pool, columns=columns, languages=languages, config=config)
    match = matches(pool, terms)
    encoders = len(columns)
    most = encoders + config.text_weight
    highest = (1 + config.authority_boost) * (1 + config.recency_boost)
    scored = [
        (
            candidate,
            max(
                FLOOR,
                (encoders * close + text_weight(candidate.language, languages, config) * share) / (most or 1),
            )
            * boost(candidate, as_of, config)
            / highest,
        )
        for candidate, close, share in zip(pool, near, match, strict=True)
    ]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0].chunk_id))


def nearness(
    pool: Sequence[Candidate],
    *,
    columns: Collection[str],
    languages: Collection[str],
    config: RetrievalConfig,
) -> list[float]:
    """For each candidate the weighted mean of its cosines, each stretched over the pool: 0 the farthest, 1 the nearest."""
    totals, weights = [0.0] * len(pool), [0.0] * len(pool)
    for column in sorted(columns):
        cosines = [candidate.cosines[column] for candidate in pool]
        low, high = min(cosines, default=0.0), max(cosines, default=0.0)
        for at, (candidate, cosine) in enumerate(zip(pool, cosines, strict=True)):
            weight = encoder_weight(column, candidate.language, languages, config)
            totals[at] += weight * ((cosine - low) / (high - low) if high > low else 1.0)
            weights[at] += weight
    return [total / weight if weight else 0.0 for total, weight in zip(totals, weights, strict=True)]


def matches(pool: Sequence[Candidate], terms: Collection[str]) -> list[float]:
    """BM25 of each candidate, with the pool as the corpus, as a share (0 to 1) of the most that a row can have.

    A term that no candidate has counts in that most, as the rarest of all.
    """
    lengths = [sum(candidate.terms.values()) for candidate in pool]
    mean = fsum(lengths) / len(pool) if pool else 1.0
    damping = [K1 * (1 - B + B * length / (mean or 1)) for length in lengths]
    scores, most = [0.0] * len(pool), 0.0
    for term in sorted(terms):
        counts = [candidate.terms.get(term, 0) for candidate in pool]
        found = sum(count > 0 for count in counts)
        rarity = log(1 + (len(pool) - found + 0.5) / (found + 0.5))
        most += rarity * (K1 + 1)
        if found:
            for at, count in enumerate(counts):
                if count:
                    scores[at] += rarity * count * (K1 + 1) / (count + damping[at])
    return [score / most if most else 0.0 for score in scores]


def encoder_weight(column: str, language: str, languages: Collection[str], config: RetrievalConfig) -> float:
    """The weight of an encoder for a chunk's language and those that the query may be in: the narrowest that is set."""
    slug = column.removeprefix(vector_column(""))
    own = language == UNKNOWN or language in languages
    keys = [f"{slug}:{asked}-{language}" for asked in languages] if len(languages) == 1 else []
    keys += [f"{slug}:{'same' if own else 'cross'}", slug]
    return next((config.encoder_weights[key] for key in keys if key in config.encoder_weights), 1.0)


def text_weight(language: str, languages: Collection[str], config: RetrievalConfig) -> float:
    """The weight of full text for a chunk's language and those that the query may be in."""
    own = language == UNKNOWN or language in languages
    return config.text_weight if own else min(config.text_weight, config.cross_lingual_text_weight)


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
