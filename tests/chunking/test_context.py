"""The line in front of a chunk, and the string that is embedded."""

import polars as pl

from pipeline.chunking.context import embedded_text, embedded_text_expr, path_context
from pipeline.chunking.counter import Ledger


def test_the_expression_is_the_function():
    frame = pl.DataFrame({"context": ["A › B", ""], "text": ["x {}", "y"]})
    expected = [embedded_text(*row) for row in frame.iter_rows()]
    assert expected == ["A › B\nx {}", "y"]
    assert frame.select(embedded_text_expr()).to_series().to_list() == expected


def test_the_nearest_heading_stays(build):
    ledger = Ledger(build.words())
    path = ["Handbuch der Anlage", "Zweiter Teil", "§ 5 Frist"]
    assert path_context(path, 100, ledger) == "Handbuch der Anlage › Zweiter Teil › § 5 Frist"
    assert path_context(path, 9, ledger) == "… › Zweiter Teil › § 5 Frist"
    assert path_context(path, 6, ledger) == "… › § 5 Frist"
    assert path_context(path, 3, ledger) == "§ 5…"
    assert path_context(["Donaudampfschifffahrt" * 9], 3, Ledger(build.characters())) == "D…"
    assert path_context(["Donaudampfschifffahrt"], 1, Ledger(build.characters())) == ""
    assert path_context([], 9, ledger) == path_context([" "], 9, ledger) == ""


def test_a_heading_over_the_budget_drops_no_text(build):
    path = [" ".join(f"Abschnitt{n}" for n in range(160)), " ".join(f"Unterabschnitt{n}" for n in range(120))]
    body = "Die Kennzahl Q-9 beträgt 42 und wird jährlich geprüft."
    blocks = [
        build.block("heading", path[0]),
        build.block("heading", path[1], path[:1]),
        build.block("paragraph", body, path),
    ]
    counter = build.real()
    _, chunks = build.cut([build.page(blocks)], counter, max_tokens=128)
    assert [chunk["text"] for chunk in chunks] == [body]
    assert chunks[0]["section_path"] == path
    assert chunks[0]["context"].startswith("Unterabschnitt0 ")
    assert counter.count([embedded_text(chunks[0]["context"], body)])[0] == chunks[0]["token_count"] <= 128


def test_no_prefix_when_it_is_off(build):
    blocks = [build.block("heading", "A"), build.block("paragraph", "Text.", ["A"])]
    _, chunks = build.cut([build.page(blocks)], prefix=False)
    assert (chunks[0]["context"], chunks[0]["section_path"]) == ("", ["A"])
