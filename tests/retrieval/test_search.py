"""An answer: its form, its filters, the edition in force, and the order of what is found."""

from datetime import date
from typing import Any

import pytest

from pipeline.language.glossary import read_glossary
from pipeline.retrieval.query import Query
from pipeline.retrieval.search import IndexMismatchError, Searcher
from tests.retrieval.searching import CONFIG, TODAY, WORDS, ids, searcher


def test_a_score_is_above_0_in_json_too(make_table: Any, encoder: Any) -> None:
    table = make_table(
        [{"chunk_id": f"c{at}", "text": text, "authority": 0} for at, text in enumerate(("travel", "budget"))]
    )
    answer = searcher(table, encoder, authority_boost=100.0, recency_boost=100.0).search(Query("travel"))
    assert all(0 < result["score"] < 1e-3 for result in answer.as_json()["results"])
    assert len(answer.results) == 2


def test_the_json_of_an_answer_is_the_contract(make_table: Any, encoder: Any) -> None:
    table = make_table(
        [
            {
                "chunk_id": "c1", "doc_id": "d1", "uri": "hr/urlaub.md", "title": "Urlaub", "language": "de",
                "section_path": ["Teil 1", "§ 3 Dauer"], "pages": [2, 3], "effective_date": date(2025, 1, 1),
                "text": "Der Urlaub beträgt 30 Tage.", "parent_text": "Vorher. Der Urlaub beträgt 30 Tage. Nachher.",
                "parent_tokens": 12, "token_count": 7, "low_confidence": True,
            },
        ]
    )  # fmt: skip
    answer = searcher(table, encoder).search(Query("Wie lang ist der Urlaub?"))
    score = answer.results[0].score
    assert score > 0
    assert answer.as_json() == {
        "query": "Wie lang ist der Urlaub?",
        "as_of": "2026-06-01",
        "groups": [],
        "build": "green",
        "results": [
            {
                "rank": 1, "score": float(f"{score:.6g}"), "chunk_id": "c1", "doc_id": "d1", "uri": "hr/urlaub.md",
                "title": "Urlaub", "section_path": ["Teil 1", "§ 3 Dauer"], "pages": [2, 3],
                "effective_date": "2025-01-01", "date_source": "metadata", "language": "de", "kind": "prose", "low_confidence": True,
                "text": "Der Urlaub beträgt 30 Tage.",
                "parent_text": "Vorher. Der Urlaub beträgt 30 Tage. Nachher.", "also_in": [], "collection": "estate",
                "version_label": "", "newer": None, "neighbours": [],
            }
        ],
    }  # fmt: skip
    assert answer.results[0].tokens == 12


def test_an_empty_table_gives_an_empty_answer(make_table: Any, encoder: Any) -> None:
    assert searcher(make_table([]), encoder).search(Query("anything")).results == ()


def test_no_questions_give_no_answers(make_table: Any, encoder: Any) -> None:
    assert searcher(make_table([{"chunk_id": "a", "text": "word"}]), encoder).search_many([]) == []


PARAGRAPHS = {
    "d0": ("de", "Die Wartung der Förderbänder erfolgt jeden zweiten Dienstag im Monat."),
    "d1": ("de", "Größere Störungen werden der Leitstelle unverzüglich gemeldet."),
    "d2": ("de", "In der Straße am Prüfstand liegen Kabel."),
    "t0": ("tr", "Depo sıcaklığı sabah sekizde ölçülür ve deftere yazılır."),
    "t1": ("tr", "Iğdır şubesinde yağışlı günlerde basınç düşüyor."),
    "e0": ("en", "The pumps were serviced by the night shift."),
}


@pytest.fixture
def mixed(make_table: Any) -> Any:
    return make_table(
        [
            {"chunk_id": key, "language": language, "text": text}
            for key, (language, text) in PARAGRAPHS.items()
        ]
    )


@pytest.mark.parametrize(
    "text",
    ["zzzkeintreffer", "?!", "🙂", "x", "der die das und", '"Kabel" AND NOT (Wartung)^2~', "a" * 1000, "foo:bar +-*/\\ [1 TO 2]",
     "wort " * 190, "'; DROP TABLE t; --", "İ", "ß", "§ 5", "..."],
)  # fmt: skip
def test_odd_questions_get_dense_hits_in_the_usual_form(mixed: Any, encoder: Any, text: str) -> None:
    answer = searcher(mixed, encoder).search(Query(text, k=4))
    assert len(answer.results) == 4
    usual = searcher(mixed, encoder).search(Query("Kabel Prüfstand", k=4)).as_json()["results"][0]
    for result in answer.as_json()["results"]:
        assert {key: type(value) for key, value in result.items()} == {
            key: type(value) for key, value in usual.items()
        }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("STRASSE", "d2"), ("strasse", "d2"), ("Straße", "d2"), ("IĞDIR", "t1"), ("ığdır", "t1"), ("Igdir", "t1"),
     ("Störung", "d1"), ("sto\u0308rung", "d1"), ("pump service", "e0"), ("Band", "d0"), ("depoların sıcaklıkları", "t0")],
)  # fmt: skip
def test_full_text_alone_finds_other_forms_of_a_word(mixed: Any, text: str, wanted: str) -> None:
    answer = Searcher(mixed, {}, CONFIG, today=lambda: TODAY).search(Query(text))
    assert ids(answer)[:1] == [wanted]


def test_filters_of_the_query_hold_and_still_fill_k(make_table: Any, encoder: Any) -> None:
    rows = [
        {"chunk_id": f"{at:03}", "text": f"word number {at}", "collection": "ab"[at % 2], "document_class": "xyz"[at % 3],
         "language": ("en", "de")[at // 100], "low_confidence": at % 5 == 0}
        for at in range(200)
    ]  # fmt: skip
    found = searcher(make_table(rows), encoder, candidates=5).search(
        Query(
            "word number",
            k=10,
            collections=("a",),
            classes=("x", "y"),
            languages=("de",),
            include_low_confidence=False,
        )
    )
    assert len(found.results) == 10
    for at in map(int, ids(found)):
        assert (at % 2, at >= 100) == (0, True)
        assert at % 3 != 2
        assert at % 5 != 0


def test_the_edition_in_force_answers(make_table: Any, encoder: Any) -> None:
    text = "The notice period is {} weeks."
    table = make_table(
        [
            {"chunk_id": "2019", "text": text.format(4), "valid_to": date(2023, 1, 1), "cluster_id": "k",
             "canonical_chunk_id": "2026"},
            {"chunk_id": "2023", "text": text.format(6), "valid_from": date(2023, 1, 1), "valid_to": date(2026, 1, 1),
             "cluster_id": "k", "canonical_chunk_id": "2026"},
            {"chunk_id": "2026", "text": text.format(8), "valid_from": date(2026, 1, 1), "cluster_id": "k",
             "canonical_chunk_id": "2026"},
        ]
    )  # fmt: skip
    search = searcher(table, encoder)
    for as_of, edition in [(None, "2026"), (date(2025, 12, 31), "2023"), (date(2020, 1, 1), "2019")]:
        answer = search.search(Query("What is the notice period?", as_of=as_of))
        assert ids(answer) == [edition]
        assert answer.results[0].also_in == ()
        assert answer.as_of == (as_of or TODAY)


def test_an_old_edition_says_which_it_is_and_that_a_newer_one_exists_unless_that_is_hidden(
    make_table: Any, encoder: Any
) -> None:
    text = "The notice period is {} weeks."
    rows = [
        {"chunk_id": "old", "doc_id": "old", "text": text.format(4), "valid_to": date(2023, 1, 1), "version_label": "v1",
         "superseded_by": "new"},
        {"chunk_id": "new", "doc_id": "new", "text": text.format(6), "valid_from": date(2023, 1, 1), "title": "Notice",
         "effective_date": date(2023, 1, 1), "version_label": "v2", "acl_groups": ["hr"]},
    ]  # fmt: skip
    search = searcher(make_table(rows), encoder)
    then = date(2022, 1, 1)
    [seen] = search.search(Query("What is the notice period?", as_of=then, groups=("hr",))).as_json()[
        "results"
    ]
    assert (seen["version_label"], seen["newer"]) == (
        "v1",
        {"uri": "new.md", "title": "Notice", "version_label": "v2", "effective_date": "2023-01-01"},
    )
    [blind] = search.search(Query("What is the notice period?", as_of=then)).as_json()["results"]
    assert blind["newer"] is None
    [now] = search.search(Query("What is the notice period?", groups=("hr",))).as_json()["results"]
    assert (now["version_label"], now["newer"]) == ("v2", None)


def test_a_reranker_orders_the_best_candidates_anew_and_reads_each_once(
    make_table: Any, encoder: Any
) -> None:
    class ByNumber:
        read: list[str]

        def __init__(self) -> None:
            self.read = []

        def scores(self, question: str, texts: Any) -> list[float]:
            self.read += texts
            return [int(text.split()[-1]) / 10 for text in texts]

    rows = [{"chunk_id": f"c{at}", "text": f"travel expenses {at}"} for at in range(8)]
    rows.append({"chunk_id": "x", "text": "pension 9"})
    reranker = ByNumber()
    config = CONFIG.model_copy(update={"reranked": 8})
    search = Searcher(make_table(rows), {"words": encoder}, config, reranker=reranker, today=lambda: TODAY)
    answer = search.search(Query("travel expenses", k=9))
    assert ids(answer) == ["c7", "c6", "c5", "c4", "c3", "c2", "c1", "c0", "x"]
    scores = [result.score for result in answer.results]
    assert scores == sorted(scores, reverse=True)
    assert len(reranker.read) == len(set(reranker.read))


def test_authority_and_recency_decide_between_equals(make_table: Any, encoder: Any) -> None:
    table = make_table(
        [
            {"chunk_id": "a", "text": "travel expenses", "authority": 10},
            {"chunk_id": "b", "text": "travel expenses", "authority": 90},
            {"chunk_id": "c", "text": "travel expenses", "authority": 10, "effective_date": date(2026, 5, 1)},
        ]
    )
    answer = searcher(table, encoder, authority_boost=0.5, recency_boost=0.9).search(Query("travel expenses"))
    assert ids(answer) == ["c", "b", "a"]
    plain = searcher(table, encoder, authority_boost=0, recency_boost=0).search(Query("travel expenses"))
    assert ids(plain) == ["a", "b", "c"]


def test_without_weight_full_text_of_other_languages_is_not_asked(mixed: Any) -> None:
    query = Query("Please tell me where the Kabel can be found in this building")
    asked = Searcher(mixed, {}, CONFIG, today=lambda: TODAY).search(query)
    silent = CONFIG.model_copy(update={"cross_lingual_text_weight": 0.0})
    assert "d2" in ids(asked)
    assert set(ids(Searcher(mixed, {}, silent, today=lambda: TODAY).search(query))) <= {"e0"}


def test_full_text_finds_what_another_language_calls_the_same(make_table: Any) -> None:
    rows = [
        ("d", "de", "Die Mietsicherheit darf drei Monatsmieten nicht übersteigen."),
        ("t", "tr", "Depozito üç aylık kirayı aşamaz."),
        ("x", "de", "Die Wartung der Pumpen ist jährlich fällig."),
        ("n", "en", "The heating is serviced every year."),
    ]
    table = make_table(
        [{"chunk_id": name, "language": language, "text": text} for name, language, text in rows]
    )
    query = Query("How high may the deposit for a flat be?")
    with_words = Searcher(table, {}, CONFIG, glossary=read_glossary(), today=lambda: TODAY)
    assert set(ids(with_words.search(query))) == {"d", "t"}
    assert ids(Searcher(table, {}, CONFIG, today=lambda: TODAY).search(query)) == []
    turkish = Query("Kiracının ödediği güvence bedeli en fazla ne kadar olabilir?", languages=("de",))
    assert ids(with_words.search(turkish))[0] == "d"


def test_an_encoder_that_does_not_fit_the_index_is_an_error_that_says_so(mixed: Any, encoder: Any) -> None:
    with pytest.raises(IndexMismatchError, match="no column vector_other, only vector_words"):
        Searcher(mixed, {"other": encoder}, CONFIG).search(Query("a"))

    class Longer:
        def encode_queries(self, texts: Any) -> Any:
            return encoder.encode_queries(texts).repeat(2, axis=1)

    with pytest.raises(IndexMismatchError, match="length 128, the index holds 64"):
        Searcher(mixed, {"words": Longer()}, CONFIG).search(Query("a"))


def test_an_approximate_index_still_gives_k_results_under_a_narrow_filter(
    make_table: Any, encoder: Any
) -> None:
    from lancedb.index import HnswSq

    table = make_table(
        [
            {
                "chunk_id": f"{at:04}",
                "text": f"{WORDS[at % 10]} {at}",
                "collection": "rare" if at % 150 == 0 else "common",
            }
            for at in range(1500)
        ]
    )
    query = Query("holiday", k=8, collections=("rare",))
    exact = ids(searcher(table, encoder).search(query))
    table.checkout_latest()
    table.create_index("vector_words", config=HnswSq(distance_type="cosine", num_partitions=12))
    table.checkout(table.version)
    assert ids(searcher(table, encoder).search(query)) == exact
    assert len(exact) == 8
    assert len(searcher(table, encoder).search(Query("leave 770", k=8)).results) == 8


@pytest.mark.slow
def test_the_packaged_encoder_finds_across_languages(make_table: Any) -> None:
    from pipeline.embedding.encoders import load_encoder

    packaged = load_encoder("use-multilingual")
    texts = {
        "leave": ("tr", "Çalışanların yıllık ücretli izin süresi yirmi iş günüdür."),
        "rent": ("de", "Die Miete ist bis zum dritten Werktag eines Monats zu zahlen."),
        "fire": ("de", "Bei Feuer ist das Gebäude sofort durch die Notausgänge zu verlassen."),
        "travel": ("tr", "Seyahat masrafları fiş karşılığında ödenir."),
        "data": ("en", "Personal data is erased after the purpose has ended."),
    }
    table = make_table(
        [{"chunk_id": name, "language": language, "text": text} for name, (language, text) in texts.items()],
        encode=packaged.encode_passages,
    )
    search = Searcher(table, {"words": packaged}, CONFIG, today=lambda: TODAY)
    questions = {
        "leave": [
            "How many days of annual leave do employees have?",
            "Wie viele Urlaubstage haben Mitarbeiter im Jahr?",
        ],
        "rent": ["When does the rent have to be paid?", "Kira ne zaman ödenmelidir?"],
        "fire": ["What should I do when there is a fire?", "Yangın çıkarsa ne yapmalıyım?"],
        "data": ["Wann werden personenbezogene Daten gelöscht?", "Kişisel veriler ne zaman silinir?"],
    }
    asked = [(wanted, text) for wanted, variants in questions.items() for text in variants]
    answers = search.search_many([Query(text) for _, text in asked])
    assert [ids(answer)[0] for answer in answers] == [wanted for wanted, _ in asked]
    for text in ("🙂", "?!", "x"):
        assert search.search(Query(text)).results
