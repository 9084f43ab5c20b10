import random
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.config import RetrievalConfig
from pipeline.retrieval.query import Query
from pipeline.retrieval.search import IndexMismatchError, Searcher

TODAY = date(2026, 6, 1)
CONFIG = RetrievalConfig()


def searcher(table: Any, encoder: Any, **changes: Any) -> Searcher:
    config = CONFIG.model_copy(update=changes)
    return Searcher(table, {"words": encoder}, config, build="green", today=lambda: TODAY)


def ids(answer: Any) -> list[str]:
    return [result.chunk_id for result in answer.results]


# --- the answer ---


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
                "rank": 1, "score": round(score, 6), "chunk_id": "c1", "doc_id": "d1", "uri": "hr/urlaub.md",
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


# --- near-duplicates ---


def copies(**groups: str) -> list[dict[str, Any]]:
    return [
        {"chunk_id": name, "doc_id": f"d-{name}", "uri": f"{name}.md", "title": name.upper(), "acl_groups": [group],
         "text": "Each party may terminate with a notice of six weeks.", "cluster_id": "k", "canonical_chunk_id": "canon"}
        for name, group in groups.items()
    ]  # fmt: skip


def test_copies_collapse_to_the_canonical_and_name_the_others(make_table: Any, encoder: Any) -> None:
    rows = copies(a="public", canon="hr", b="legal", z="public")
    rows[-1] |= {"external_id": "z.md", "uri": "0.md"}  # was renamed, and keeps its place
    query = Query("terminate with notice", groups=("hr",))
    [result] = searcher(make_table(rows), encoder).search(query).results
    assert result.chunk_id == "canon"
    assert [(place.uri, place.title) for place in result.also_in] == [("a.md", "A"), ("0.md", "Z")]


def test_who_may_not_see_the_canonical_gets_a_copy_and_no_trace_of_it(make_table: Any, encoder: Any) -> None:
    table = make_table(copies(a="public", canon="hr", b="legal", z="public"))
    [result] = searcher(table, encoder).search(Query("terminate with notice")).results
    assert result.chunk_id == "a"
    assert [place.uri for place in result.also_in] == ["z.md"]
    without = make_table(copies(a="public", z="public"))
    assert searcher(without, encoder).search(Query("terminate with notice")).as_json() == (
        searcher(table, encoder).search(Query("terminate with notice")).as_json()
    )


def test_the_copy_that_the_question_names_stands_for_its_cluster(make_table: Any, encoder: Any) -> None:
    rows = copies(canon="public", adler="public", zorn="public")
    for row in rows[1:]:
        row["text"] = f"{row['chunk_id'].title()} GmbH may terminate with a notice of six weeks."
    search = searcher(make_table(rows), encoder)
    assert ids(search.search(Query("When may Zorn GmbH terminate?"))) == ["zorn"]
    assert ids(search.search(Query("When may a party terminate?"))) == ["canon"]


def test_a_huge_cluster_does_not_crowd_out_other_results(make_table: Any, encoder: Any) -> None:
    clause = "The standard clause about liability limits liability."
    rows = [
        {"chunk_id": f"k{at:03}", "text": clause, "cluster_id": "k", "canonical_chunk_id": "k007"}
        for at in range(150)
    ] + [{"chunk_id": f"o{at}", "text": f"Something else entirely, matter {at}"} for at in range(6)]
    answer = searcher(make_table(rows), encoder, candidates=20).search(Query("liability clause", k=5))
    assert ids(answer)[0] == "k007"
    assert len(answer.results) == 5
    assert len(answer.results[0].also_in) == 20


# --- parents, cap, budget ---


def test_a_section_is_given_once_and_only_within_its_cap(make_table: Any, encoder: Any) -> None:
    table = make_table(
        [
            {"chunk_id": f"{section}{at}", "text": f"annual leave rule {section} {at}", "doc_id": f"d{section}",
             "section_id": section, "parent_text": f"whole {section}", "parent_tokens": tokens}
            for section, tokens in (("short", 300), ("long", 900))
            for at in range(3)
        ]
    )  # fmt: skip
    answer = searcher(table, encoder, parent_tokens=800).search(Query("annual leave rule", k=10))
    shown = [(result.doc_id, result.shown) for result in answer.results]
    assert shown.count(("dshort", "whole short")) == 1
    assert sorted(text for doc_id, text in shown if doc_id == "dlong") == [
        f"annual leave rule long {n}" for n in range(3)
    ]
    assert len(shown) == 4


def test_the_token_budget_bounds_the_sections_not_the_number_of_results(
    make_table: Any, encoder: Any
) -> None:
    table = make_table(
        [
            {
                "chunk_id": f"c{at}",
                "text": f"annual leave rule {at}",
                "parent_text": f"section {at}",
                "parent_tokens": 700,
            }
            for at in range(6)
        ]
    )
    answer = searcher(table, encoder, token_budget=1500).search(Query("annual leave rule", k=6))
    assert [result.parent_text is not None for result in answer.results] == [True, True] + [False] * 4
    assert [result.tokens for result in answer.results] == [700, 700] + [20] * 4


def test_the_cap_per_document_makes_room_and_gives_way_when_nothing_else_is_there(
    make_table: Any, encoder: Any
) -> None:
    rows = [{"chunk_id": f"a{at:02}", "doc_id": "A", "text": f"annual leave rule {at}"} for at in range(40)]
    rows += [
        {"chunk_id": f"b{at}", "doc_id": f"B{at}", "text": f"nothing of the kind {at}"} for at in range(2)
    ]
    search = searcher(make_table(rows), encoder, per_document=3, candidates=10)
    documents = [result.doc_id for result in search.search(Query("annual leave rule", k=5)).results]
    assert sorted(documents) == ["A", "A", "A", "B0", "B1"]
    documents = [result.doc_id for result in search.search(Query("annual leave rule", k=8)).results]
    assert len(documents) == 8
    assert {"B0", "B1"} < set(documents)


def test_a_table_without_its_section_brings_what_stands_beside_it(make_table: Any, encoder: Any) -> None:
    texts = ["Fees by weight:", "weight | fee", "heavier | more", "Elsewhere", "Fees of others"]
    rows = [
        {"chunk_id": f"c{at}", "doc_id": "d", "section_id": "s" if at < 4 else "other", "ordinal": at, "text": text,
         "kind": "table" if "|" in text else "prose", "token_count": 20, "parent_tokens": 5000,
         "acl_groups": ["public"] if at != 2 else ["hr"]}
        for at, text in enumerate(texts)
    ]  # fmt: skip
    table = make_table(rows)
    query = Query("weight fee", k=1, groups=("hr",))
    [result] = searcher(table, encoder).search(query).results
    assert (result.chunk_id, result.neighbours) == ("c1", ("Fees by weight:", "heavier | more"))
    [result] = searcher(table, encoder).search(Query("weight fee", k=1)).results
    assert result.neighbours == ("Fees by weight:",)
    tight = CONFIG.model_copy(update={"token_budget": 30})
    [result] = Searcher(table, {"words": encoder}, tight, today=lambda: TODAY).search(query).results
    assert result.neighbours == ("Fees by weight:",)
    prose = searcher(table, encoder).search(Query("Elsewhere", k=1)).results[0]
    assert (prose.chunk_id, prose.neighbours) == ("c3", ())


# --- fusion ---


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


# --- the law: against a brute-force oracle ---

GROUPS = ("hr", "legal", "board", "it's", "public")
DAYS = tuple(date(year, 1, 1) for year in (2019, 2021, 2023, 2025, 2027))
WORDS = [
    "leave",
    "notice",
    "period",
    "salary",
    "budget",
    "contract",
    "party",
    "liability",
    "travel",
    "pension",
]


def random_rows(seed: int) -> list[dict[str, Any]]:
    dice = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for at in range(150):
        document, cluster = dice.randrange(25), dice.randrange(20)
        clustered = dice.random() < 0.5
        start, end = sorted(dice.sample(DAYS, 2))
        rows.append(
            {
                "chunk_id": f"c{at:03}", "doc_id": f"d{document}", "section_id": f"s{document}-{dice.randrange(4)}",
                "collection": f"col{document % 3}",
                "text": " ".join(dice.choices(WORDS[:3] if clustered else WORDS, k=6)),
                "acl_groups": dice.sample(GROUPS, dice.choice((1, 1, 1, 2))),
                "valid_from": dice.choice((None, start)), "valid_to": dice.choice((None, end)),
                "cluster_id": f"k{cluster}" if clustered else None,
                "canonical_chunk_id": f"canon{cluster}" if clustered else None,
                "authority": dice.randrange(101), "parent_text": dice.choice((None, "section")), "parent_tokens": 30,
            }
        )  # fmt: skip
    for cluster in range(20):
        members = [row for row in rows if row["cluster_id"] == f"k{cluster}"]
        for row in members:
            row["canonical_chunk_id"] = members[0]["chunk_id"]
    return rows


def oracle(rows: list[dict[str, Any]], query: Query, as_of: date) -> dict[str, dict[str, Any]]:
    """What the asker may see, by a loop that shares nothing with the filters."""
    allowed = {*query.groups, "public"}
    return {
        row["chunk_id"]: row
        for row in rows
        if allowed & set(row["acl_groups"])
        and (row["valid_from"] is None or row["valid_from"] <= as_of)
        and (row["valid_to"] is None or as_of < row["valid_to"])
    }


@pytest.fixture(scope="module", params=[1, 2])
def estate(request: Any, tmp_path_factory: Any, encoder: Any) -> Any:
    from inspect import unwrap

    conftest = next(p for p in request.config.pluginmanager.get_plugins() if hasattr(p, "WordEncoder"))
    make = unwrap(conftest.make_table.__wrapped__)(tmp_path_factory.mktemp("estate"), encoder)
    rows = random_rows(request.param)
    return rows, make(rows)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    groups=st.sets(st.sampled_from(GROUPS[:4])).map(tuple),
    as_of=st.sampled_from([*DAYS, date(2022, 6, 1), date(2000, 1, 1)]),
    k=st.sampled_from([1, 3, 10, 40, 100]),
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    per_document=st.sampled_from([1, 3, 50]),
    candidates=st.sampled_from([1, 10, 60]),
)
def test_only_what_is_visible_is_shown_and_nothing_visible_is_withheld(
    *,
    estate: Any,
    encoder: Any,
    groups: Any,
    as_of: Any,
    k: Any,
    words: Any,
    per_document: Any,
    candidates: Any,
) -> None:
    rows, table = estate
    query = Query(" ".join(words), groups=groups, as_of=as_of, k=k)
    search = searcher(table, encoder, per_document=per_document, candidates=candidates, token_budget=100_000)
    answer = search.search(query)
    visible = oracle(rows, query, as_of)

    shown = {result.chunk_id: visible[result.chunk_id] for result in answer.results}  # KeyError: a leak
    assert len(shown) == len(answer.results) <= k
    clusters = [row["cluster_id"] for row in shown.values() if row["cluster_id"]]
    assert len(clusters) == len(set(clusters))
    for result in answer.results:
        row = visible[result.chunk_id]
        others = {
            other["doc_id"]
            for other in visible.values()
            if row["cluster_id"] and other["cluster_id"] == row["cluster_id"]
        } - {row["doc_id"]}
        assert {place.doc_id for place in result.also_in} == others

    if (
        len(answer.results) < k
    ):  # then there is no more: the reader has each visible row, a copy of it, or its section
        sections = {row["section_id"] for row in shown.values() if row["parent_text"]}
        read = {
            chunk_id
            for chunk_id, row in visible.items()
            if chunk_id in shown or row["section_id"] in sections
        }
        copied = {visible[chunk_id]["cluster_id"] for chunk_id in read} - {None}
        assert [
            row
            for chunk_id, row in visible.items()
            if chunk_id not in read and row["cluster_id"] not in copied
        ] == []

    assert [result.score for result in answer.results] == sorted(
        (r.score for r in answer.results), reverse=True
    )
    assert search.search_many([Query("other", k=2), query])[1] == answer


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
