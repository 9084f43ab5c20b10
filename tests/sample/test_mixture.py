"""Estates of any size: the same mixture, and no two texts alike."""

from collections import Counter

from pipeline.sample.composed import MAX_SCANS, ROUND, further
from pipeline.sample.mixture import core, documents, questions


def test_the_default_size_is_the_core():
    assert sum(len(unit) for unit in core(7)) == 80


def test_growing_an_estate_only_adds():
    small, large = documents(80, 7), documents(500, 7)
    assert large[:80] == small


def test_a_large_estate_has_distinct_paths_and_texts():
    made = documents(3_000, 7)
    assert len({document.path for document in made}) == 3_000
    further_texts = [document.text() for document in made[80:]]
    assert len(set(further_texts)) == len(further_texts)


def test_further_memos_share_little_of_their_wording():
    memos = [d for i in range(1_500) if (d := further(i, 7)).path.startswith("memos/") and d.lang == "en"][
        :80
    ]
    shingles = [{*zip(w, w[1:], w[2:], strict=False)} for d in memos if (w := d.text().split())]
    overlaps = [len(a & b) / len(a | b) for n, a in enumerate(shingles) for b in shingles[:n]]
    assert max(overlaps) < 0.6
    assert sum(overlaps) / len(overlaps) < 0.15


def test_the_mixture_holds_and_scans_are_bounded():
    made = [further(index, 7) for index in range(len(ROUND) * 40)]
    shares = Counter(document.collection for document in made)
    assert shares["contracts"] / len(made) == ROUND.count("contract") / len(ROUND)
    assert shares["regulations"] / len(made) == ROUND.count("regulation") / len(ROUND)
    assert shares["scans"] / len(made) <= 0.04
    beyond = [further(index, 7) for index in range(len(ROUND) * MAX_SCANS, len(ROUND) * (MAX_SCANS + 2))]
    assert not any(document.scan for document in beyond)


def test_further_regulations_change_from_edition_to_edition():
    for turn in range(12):
        editions = [further(turn * len(ROUND) + place, 7) for place in range(3)]
        assert [d.meta.get("supersedes") for d in editions[1:]] == [
            [d.meta["external_id"]] for d in editions[:2]
        ]
        assert len({d.text() for d in editions}) == 3
        assert not any("{" in d.text() for d in editions)


def test_questions_shrink_with_the_estate_and_keep_their_ids():
    every = {d.path for d in documents(80, 7)}
    few = {d.path for d in documents(20, 7)}
    all_questions, some_questions = dict(questions(every, 7)), dict(questions(few, 7))
    assert some_questions.keys() < all_questions.keys()
    assert all(all_questions[number].query == asked.query for number, asked in some_questions.items())
    assert all(
        path in few for asked in some_questions.values() for path, _ in (*asked.gold, *asked.forbidden)
    )
