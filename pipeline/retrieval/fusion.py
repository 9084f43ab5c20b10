"""Fusion: the scores of several legs become one, by weights that know the languages.

Everything that a score is made of comes from the candidates themselves, which the asker may see: no statistics of the
whole index. So no score and no order tells of what is hidden, as long as at most `examined` visible rows match: of more,
full text takes the first by LanceDB's BM25 over the whole index, and hidden rows may exchange the last of them.
"""

from collections.abc import Collection, Sequence
from datetime import date
from typing import Final

import numpy as np

from pipeline.config import UNKNOWN, RetrievalConfig
from pipeline.index.rows import vector_column
from pipeline.language.glossary import Concept, all_terms
from pipeline.retrieval.bm25 import K1, bm25, rarity
from pipeline.retrieval.legs import Candidate

HALF_LIFE_DAYS: Final = 3 * 365.25  # a document that much older has half the boost of recency
FLOOR: Final = 0.001  # what the farthest candidate scores


def fuse(
    pool: Sequence[Candidate],
    *,
    columns: Collection[str],
    concepts: Sequence[Concept],
    languages: Collection[str],
    as_of: date,
    config: RetrievalConfig,
) -> list[tuple[Candidate, float]]:
    """Candidates with their scores, best first; equal scores in the order of chunk ids.

    A convex combination of scores, which keeps what ranks forget: how much better the first is than the second (Bruch,
    Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023). Encoders first: each one's
    cosines are stretched over the pool from 0 to 1, and their mean is weighted by the languages of question and candidate,
    because some encoders prefer the question's own; it counts once for each encoder. Then full text (`matches`), as a share
    of what a row with every word of the question would have. So it fades by itself where it cannot help: a row in another
    language has few of these words, unless the glossary has others for them.

    Args:
        pool: all candidates of all legs, each once.
        columns: the vector columns; each candidate has a cosine for each.
        concepts: what the question is about, in search tokens.
        languages: those that the question may be in.
        as_of: the day that recency is counted from.
        config: weights and boosts.

    Returns:
        Scores are greater than 0 and at most 1.
    """
    near = nearness(pool, columns=columns, languages=languages, config=config)
    match = matches(pool, concepts, config.glossary_weight)
    encoders = len(columns)
    most = encoders + config.text_weight * max(1.0, config.cross_lingual_text_weight)
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


def matches(pool: Sequence[Candidate], concepts: Sequence[Concept], other_words: float) -> list[float]:
    """How much of what is asked for stands in each candidate: 0 to 1.

    BM25 with the pool as the corpus, as a share of the most that a row can have. A concept that the question's own word
    does not find is found by another word for it in the candidate's language, as far as that goes: of several the best
    counts, and it gives at most `other_words` of what the own word would. A term that no candidate has is the rarest of all.

    Args:
        pool: the candidates.
        concepts: what the question is about.
        other_words: 0 to 1.
    """
    terms = {term: at for at, term in enumerate(sorted(all_terms(concepts)))}
    if not terms or not pool:
        return [0.0] * len(pool)
    counts = np.array([[candidate.terms.get(term, 0) for term in terms] for candidate in pool])
    lengths = np.array([sum(candidate.terms.values()) for candidate in pool])
    scores = bm25(counts, lengths, corpus=len(pool))
    highest = rarity(counts, corpus=len(pool)) * (K1 + 1)
    languages = np.array([candidate.language for candidate in pool])
    found, most = np.zeros(len(pool)), 0.0
    for concept in concepts:
        own = [terms[term] for term in concept.tokens]
        best = scores[:, own].sum(axis=1)
        for language, alternatives in concept.others.items():
            spoken = (languages == language) | (languages == UNKNOWN)
            for alternative in alternatives if spoken.any() else ():
                other = [terms[term] for term in alternative]
                share = scores[:, other].sum(axis=1) / highest[other].sum()
                best = np.where(spoken, np.maximum(best, other_words * highest[own].sum() * share), best)
        found += best
        most += highest[own].sum()
    return (found / most).tolist()


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
    return config.text_weight * (1.0 if own else config.cross_lingual_text_weight)


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
