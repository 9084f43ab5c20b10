"""The line in front by a template, and tables as keys and values."""

from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.chunking.context import embedded_text, template_context
from pipeline.chunking.counter import Ledger
from pipeline.chunking.stage import chunk_documents, ways_of_cutting
from pipeline.config import ChunkingConfig, ConfigError, parse_config
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.schemas import GATED_PAGES

TEMPLATE = "{title}[ ({edition})][, in force from {effective_date}] › {path}"
PATH = ("1. Bölüm", "Kapsam", "Madde 4 Süreler")


def context(build, values, path=PATH, allowance=100, template=TEMPLATE):
    return template_context(template, values, path, allowance, Ledger(build.words()))


def test_fields_are_filled_and_optional_parts_go(build):
    full = {"title": "İzin Yönergesi", "edition": "3. baskı", "effective_date": "2026-01-01"}
    assert (
        context(build, full)
        == "İzin Yönergesi (3. baskı), in force from 2026-01-01 › 1. Bölüm › Kapsam › Madde 4 Süreler"
    )
    assert context(build, {"title": "A"}, ("B",)) == "A › B"
    assert context(build, {}, ()) == ""
    assert context(build, {}, PATH, template="{path}") == "1. Bölüm › Kapsam › Madde 4 Süreler"
    assert context(build, {"title": "{path} [x]"}, ("B",), template="{title}: {path}") == "{path} [x]: B"


def test_a_long_path_loses_its_upper_headings_and_the_title_goes_last(build):
    values = {"title": "Yönerge"}
    assert context(build, values, allowance=9) == "Yönerge › … › Madde 4 Süreler"
    assert context(build, values, allowance=6) == "… › Madde 4 Süreler"


def test_a_sentence_is_cut_short_after_the_path_and_goes_before_the_last_heading(build):
    values = {"context": "Es geht um die Pumpe im Haus."}
    template = "{path}[ – {context}]"
    assert context(build, values, allowance=18, template=template).endswith(
        "Süreler – Es geht um die Pumpe im Haus."
    )
    assert context(build, values, allowance=10, template=template) == "… › Madde 4 Süreler – Es geht…"
    assert context(build, values, allowance=6, template=template) == "… › Madde 4 Süreler"
    assert context(build, {}, template=template) == "1. Bölüm › Kapsam › Madde 4 Süreler"


@settings(deadline=None)
@given(
    values=st.dictionaries(
        st.sampled_from(["title", "edition", "effective_date", "context"]), st.text(max_size=60)
    ),
    path=st.lists(st.text(max_size=40), max_size=4),
    allowance=st.integers(0, 40),
)
def test_the_line_never_takes_more_than_it_may(build, values, path, allowance):
    line = context(build, values, path, allowance, TEMPLATE + "[ – {context}]")
    assert not line or Ledger(build.words()).cost(f"{line}\n") <= allowance
    assert "\n" not in line


@pytest.mark.parametrize("template", ["{titel}", "[[{path}]]", "{path", "[{path}", "a\nb"])
def test_a_template_that_cannot_be_is_refused(template):
    with pytest.raises(
        ConfigError, match=r"prefix_template.*\{title\}, \{path\}, \{effective_date\}, \{edition\}"
    ):
        parse_config(
            {"collections": [{"name": "a", "source": "a"}], "chunking": {"prefix_template": template}},
            base=Path(),
        )


WORDS = st.lists(st.text("abcçğıöşü", min_size=1, max_size=12), min_size=1, max_size=40).map(" ".join)


@settings(deadline=None, max_examples=30)
@given(text=st.lists(WORDS, min_size=1, max_size=6).map(". ".join), sentence=WORDS, size=st.integers(32, 90))
@example(text="ab " * 200, sentence="Yönerge", size=40)
def test_no_cut_and_no_id_depends_on_what_a_model_says(build, text, sentence, size):
    gated = pl.DataFrame([build.page([build.block("paragraph", text, PATH)])], schema=GATED_PAGES.schema)
    config = ChunkingConfig(prefix_template="{path}[ – {context}]", max_tokens=size, min_tokens=5)
    _, plain = cut_documents(build, gated, config)
    ids = plain["chunk_id"].to_list()
    _, placed = cut_documents(build, gated, config, dict.fromkeys(ids[1:], sentence))
    what = ["chunk_id", "text", "span_start", "span_end", "section_id"]
    assert placed.select(what).equals(plain.select(what))
    assert placed.row(0) == plain.row(0)
    for row in placed.iter_rows(named=True):
        whole = embedded_text(row["context"], row["text"])
        assert row["token_count"] == build.words().count([whole])[0] <= size
        assert row["embed_hash"] == fingerprint(whole)


def test_where_the_template_asks_for_none_a_sentence_changes_nothing(build):
    gated = pl.DataFrame([build.page([build.block("paragraph", "Süre.", PATH)])], schema=GATED_PAGES.schema)
    _, plain = cut_documents(build, gated, ChunkingConfig())
    said = dict.fromkeys(plain["chunk_id"], "Yönerge")
    _, placed = cut_documents(build, gated, ChunkingConfig(), said)
    assert placed.equals(plain)


def cut_documents(build, gated, config, sentences=None):
    return chunk_documents(
        documents(), gated, config, build.words(), {}, descriptions=None, sentences=sentences, embed=None
    )


def documents(**more):
    row = {"doc_id": "d", "version_id": "v", "collection": "c", "document_class": "other", "chunk_input_hash": "h",
           "title": "Yönerge", "effective_date": date(2026, 1, 1), "version_label": "2"}  # fmt: skip
    return pl.DataFrame([row | more])


def test_what_the_register_knows_of_a_document_stands_in_front(build):
    gated = pl.DataFrame(
        [build.page([build.block("paragraph", "Süre on gündür.", ["Madde 4"])])], schema=GATED_PAGES.schema
    )
    config = ChunkingConfig(prefix_template=TEMPLATE)
    _, chunks = cut_documents(build, gated, config)
    assert chunks["context"].to_list() == ["Yönerge (2), in force from 2026-01-01 › Madde 4"]


def way(build, config, **more):
    gated = pl.DataFrame(
        [build.page([build.block("title", "Kaufvertrag"), build.block("paragraph", "Kündigung und Gerichtsstand zwischen Auftraggeber und Auftragnehmer.", ["Kaufvertrag"])])],
        schema=GATED_PAGES.schema,
    )  # fmt: skip
    return ways_of_cutting(documents(**more), gated, config)["way"][0]


def test_only_documents_of_a_class_whose_settings_change_are_cut_again(build):
    plain = ChunkingConfig()
    contracts = ChunkingConfig.model_validate({"classes": {"contract": {"strategy": "hybrid"}}})
    assert way(build, plain, document_class="memo") == way(build, contracts, document_class="memo")
    assert way(build, plain, document_class="contract") != way(build, contracts, document_class="contract")
    assert way(build, plain) != way(build, contracts)  # its first page says that it is a contract
    memos = ChunkingConfig.model_validate({"classes": {"memo": {"max_tokens": 200}}})
    assert way(build, plain) == way(build, memos)


def test_the_title_counts_only_where_it_is_shown(build):
    titled = ChunkingConfig(prefix_template="{title} {path}")
    assert way(build, ChunkingConfig()) == way(build, ChunkingConfig(), title="Anders")
    assert way(build, titled) != way(build, titled, title="Anders")
    assert way(build, titled) == way(build, titled, version_label="3")


ROWS = [["Yıl", "Gelir", "Not"], ["2024", "5,2", ""], ["2025", "", ""]]


def test_cells_stand_behind_the_names_of_their_columns(build):
    page = build.page([build.block("table", rows=ROWS, header_rows=1, caption="Tablo 1")])
    _, chunks = build.cut([page], tables="key-value", prefix=False)
    assert [chunk["text"] for chunk in chunks] == ["Tablo 1\nNot\nYıl: 2024 | Gelir: 5,2\nYıl: 2025"]
    _, plain = build.cut([page], prefix=False)
    assert plain[0]["text"] == "Tablo 1\nYıl | Gelir | Not\n2024 | 5,2\n2025"


def test_a_bar_in_a_name_or_a_value_is_no_border_of_cells(build):
    rows = [["Soll | Ist", "Muster", "| leer"], ["4 | 5", "a|b", ""], ["6", "|", ""]]
    page = build.page([build.block("table", rows=rows, header_rows=1)])
    _, chunks = build.cut([page], tables="key-value", prefix=False)
    assert chunks[0]["text"] == (
        "\\| leer\nSoll \\| Ist: 4 \\| 5 | Muster: a|b\nSoll \\| Ist: 6 | Muster: \\|"
    )
    assert [line.count(" | ") for line in chunks[0]["text"].split("\n")] == [0, 1, 1]


def test_a_long_table_of_keys_and_values_needs_no_header_in_each_piece(build):
    rows = [["Jahr", "Umsatz"], *([str(1900 + n), f"{n},5 Mio."] for n in range(60))]
    page = build.page([build.block("table", rows=rows, header_rows=1)])
    _, chunks = build.cut([page], tables="key-value", max_tokens=64, min_tokens=10)
    assert len(chunks) > 3
    assert all(line.startswith("Jahr: ") for chunk in chunks for line in chunk["text"].split("\n"))
    assert all(chunk["token_count"] <= 64 for chunk in chunks)
