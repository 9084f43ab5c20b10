"""The gold questions against the files as written: every quote is there, and only there."""

from collections import Counter
from datetime import date


def _flat(text: str) -> str:
    return " ".join(text.split())


def test_there_are_enough_questions_of_every_language_and_kind(questions):
    assert len(questions) >= 150
    languages = Counter(each["lang"] for each in questions)
    assert min(languages[lang] for lang in ("tr", "de", "en")) >= 40
    kinds = Counter(each["kind"] for each in questions)
    expected = {
        "fact",
        "definition",
        "table",
        "scan",
        "as_of",
        "current",
        "access",
        "chat",
        "duplicate",
        "forbidden",
    }
    assert expected <= set(kinds)
    assert min(kinds[kind] for kind in expected - {"definition"}) >= 8
    assert kinds["cross_lingual"] >= 20


def test_ids_and_queries_are_distinct(questions):
    assert len({each["id"] for each in questions}) == len(questions)
    assert len({each["query"] for each in questions}) == len(questions)


def test_every_quote_stands_in_its_document(questions, texts):
    missing = [
        (each["id"], pair["document"], pair["quote"])
        for each in questions
        for pair in (*each["gold"], *each.get("forbidden", []))
        if _flat(pair["quote"]) not in texts[pair["document"]]
    ]
    assert not missing


def test_no_quote_stands_in_a_document_that_is_not_gold(questions, texts, estate_metadata):
    """Other editions of the same text aside, which the date of the question excludes."""
    stray = []
    for each in questions:
        gold = {pair["document"] for pair in each["gold"]}
        day = date.fromisoformat(each.get("as_of", "2026-11-30"))
        # A table cell is a word or two and belongs to its document; that it is unique there is tested below.
        quotes = {pair["quote"] for pair in each["gold"] if len(pair["quote"].split()) > 2}
        stray += [
            (each["id"], path, quote)
            for quote in quotes
            for path in texts.keys() - gold
            if quote in texts[path] and _answers_on(day, path, estate_metadata)
        ]
    assert not stray


def test_short_quotes_are_unique_in_their_document(questions, texts):
    many = [
        (each["id"], pair["quote"], texts[pair["document"]].count(pair["quote"]))
        for each in questions
        for pair in each["gold"]
        if texts[pair["document"]].count(pair["quote"]) != 1
    ]
    assert not many


def test_the_gold_answers_on_the_day_of_the_question(questions, estate_metadata):
    for each in questions:
        day = date.fromisoformat(each.get("as_of", "2026-11-30"))
        assert all(_answers_on(day, pair["document"], estate_metadata) for pair in each["gold"]), each["id"]


def test_askers_may_read_the_gold_and_not_the_forbidden(questions, estate_metadata):
    for each in questions:
        groups = set(each["groups"])
        assert all(groups & set(estate_metadata[pair["document"]]["acl_groups"]) for pair in each["gold"]), (
            each["id"]
        )
        for pair in each.get("forbidden", []):
            assert not groups & set(estate_metadata[pair["document"]]["acl_groups"]), each["id"]
        assert bool(each["gold"]) != bool(each.get("forbidden")), each["id"]
        assert (each["kind"] == "forbidden") == bool(each.get("forbidden"))


def test_questions_are_paraphrased(questions):
    """No question contains the passage that answers it, nor the other way round."""
    for each in questions:
        for pair in each["gold"]:
            words = pair["quote"].split()
            runs = {" ".join(words[at : at + 5]) for at in range(len(words) - 4)}
            assert not any(run in each["query"] for run in runs), each["id"]


def _answers_on(day: date, path: str, estate_metadata: dict[str, dict]) -> bool:
    fields = estate_metadata[path]
    if fields.get("effective_date", date.min) > day or fields.get("expiry_date", date.max) < day:
        return False
    own = fields.get("external_id")
    return not any(
        own in other.get("supersedes", []) and other["effective_date"] <= day
        for other in estate_metadata.values()
    )
