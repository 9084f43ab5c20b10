"""The gate over frames: routes, blank pages, languages, the contract of its table."""

from pathlib import Path

import polars as pl
import pytest

from pipeline.config import GateConfig, parse_config
from pipeline.gate.pages import gate_fingerprint
from pipeline.tables import columns as c
from pipeline.tables.schemas import GATED_PAGES
from tests.gate.pages_builder import block, documents, failed, gated_alone, page, parsed
from tests.gate.texts import GARBAGE, GOOD

EXPECTED = {"hr": ("tr", "de", "en")}


def gate(*pages, config=None, languages=None, **changes):
    names = sorted({row[c.DOC_ID] for row in pages})
    frame = gated_alone(
        parsed(*pages), documents(*names, **changes), config or GateConfig(), languages or EXPECTED
    )
    GATED_PAGES.pandera.validate(frame)
    return frame


def one(*args, **kwargs):
    return gate(page(*args, **kwargs)).row(0, named=True)


@pytest.mark.parametrize("language", GOOD)
def test_good_pages_pass(language):
    for confidence in (None, 0.985):
        row = one(GOOD[language], confidence=confidence)
        assert (row[c.ROUTE], row[c.LANGUAGE], row["blank"]) == ("pass", language, False)
        assert row[c.INPUT_HASH] == "gate-1"
        assert row[c.ATTEMPTS] == [
            {"engine": "rapidocr", "preprocessing": "none", "quality": row[c.QUALITY], "error": ""}
        ]
        assert "".join(block["text"] for block in row[c.BLOCKS]) == GOOD[language].replace("\n", "")


def test_garbage_is_rejected_and_kept():
    row = one(GARBAGE["wrong font map"](GOOD["de"]))
    assert row[c.ROUTE] == "reject"
    assert row[c.BLOCKS]


def test_low_confidence_routes():
    routes = [one(GOOD["en"], confidence=confidence)[c.ROUTE] for confidence in (0.97, 0.82, 0.7)]
    assert routes == ["pass", "flag", "reject"]


def test_thresholds_decide():
    pages = [page(GOOD["en"], confidence=0.82)]
    assert gate(*pages, config=GateConfig(flag_below=0.3, reject_below=0.1))[c.ROUTE].to_list() == ["pass"]
    assert gate(*pages, config=GateConfig(flag_below=0.95, reject_below=0.9))[c.ROUTE].to_list() == ["reject"]


def test_blank_pages_pass_without_text():
    for row in (
        one(),
        one("  \n "),
        one("· ,", confidence=0.6),
        one("j l", confidence=0.55),
    ):
        assert (row["blank"], row[c.ROUTE], row[c.BLOCKS], row[c.QUALITY]) == (True, "pass", [], 1.0)


def test_pages_that_only_look_blank():
    assert not one("§ 5", confidence=0.97)["blank"]
    drawing = one(kind="figure")  # its description may come later
    assert (drawing["blank"], drawing[c.ROUTE], len(drawing[c.BLOCKS])) == (False, "pass", 1)
    assert (
        one("", confidence=0.0, kind="figure")[c.ROUTE] == "reject"
    )  # something is there that could not be read
    assert one("(cid:12)(cid:13)")[c.ROUTE] == "reject"


def test_failed_pages_are_left_to_the_register():
    assert gate(failed("timeout"), page(GOOD["en"], number=1)).height == 1
    assert gate(failed("timeout")).height == 0


def test_nothing_to_do():
    empty = gated_alone(parsed(), documents(), GateConfig(), EXPECTED)
    assert empty.equals(GATED_PAGES.empty())


def test_language_of_a_short_page_is_its_documents():
    assert gate(page("Anlage 3"), **{c.LANGUAGE_HINT: "de"})[c.LANGUAGE].to_list() == ["de"]
    assert gate(page("Anlage 3"), **{c.LANGUAGE_HINT: "fr"})[c.LANGUAGE].to_list() == ["und"]
    assert gate(page("Anlage 3"))[c.LANGUAGE].to_list() == ["und"]


def test_order_of_pages_makes_no_difference():
    pages = [page(GOOD[lang], doc=doc, number=n) for doc in "ab" for n, lang in enumerate(GOOD, start=1)]
    forward = gate(*pages)
    shuffled = gated_alone(
        parsed(*pages).sample(fraction=1, shuffle=True, seed=3), documents("a", "b"), GateConfig(), EXPECTED
    )
    assert forward.equals(shuffled)
    assert forward.select(GATED_PAGES.key).rows() == sorted(forward.select(GATED_PAGES.key).rows())


def test_captions_count_as_text():
    blocks = page("", kind="figure")[c.BLOCKS]
    blocks[0]["caption"] = "Abbildung 4: Aufbau der Pumpe"
    row = gate(page(**{c.BLOCKS: blocks})).row(0, named=True)
    assert not row["blank"]


def test_fingerprint_moves_with_what_the_gate_reads():
    def config(**changes):
        return parse_config(
            {"collections": [{"name": "hr", "source": "x", **changes.pop("hr", {})}], **changes},
            base=Path.cwd(),
        )

    base = gate_fingerprint(config())
    # Order and the languages of a collection are no part of it: those count in the rows of that collection alone.
    assert base == gate_fingerprint(config(hr={"languages": ["tr"]}))
    assert base != gate_fingerprint(config(gate={"flag_below": 0.8}))
    assert base != gate_fingerprint(config(gate={"thresholds": [{"language": "tr", "flag_below": 0.8}]}))
    assert base == gate_fingerprint(config(gate={"warn_rejected_above": 0.5}))
    assert base != gate_fingerprint(config(parsing={"ocr": "tesseract"}))


def test_thresholds_of_language_and_class():
    strict = GateConfig(
        thresholds=({"language": "de", "flag_below": 1.0}, {"document_class": "memo", "flag_below": 0.5})
    )
    for language, name, route in (("de", "policy", "flag"), ("en", "policy", "pass"), ("de", "memo", "pass")):
        row = gate(page(GOOD[language], confidence=0.97), config=strict, **{c.DOCUMENT_CLASS: name})
        assert row[c.ROUTE].item() == route


def test_the_deciding_measure_is_a_column():
    worst = [one(text, **more)[c.SCORES]["worst"] for text, more in (
        (GOOD["de"], {}), (GARBAGE["wrong font map"](GOOD["de"]), {}), (GARBAGE["letters apart"](GOOD["de"]), {}),
        (GOOD["de"], {"confidence": 0.6}),
    )]  # fmt: skip
    assert worst == ["", "known_words", "single_letters", "confidence"]


def test_rows_keep_their_types():
    frame = gate(page(GOOD["en"]))
    assert frame.schema == GATED_PAGES.schema
    assert frame.select(pl.col(c.QUALITY).is_between(0, 1).all()).item()


def _long_table(rows, row_pages):
    text = "\n".join("\t".join(row) for row in rows)
    return block(text, "table") | {"rows": rows, "row_pages": row_pages, "caption": "Tabelle 1"}


def test_rows_of_a_long_table_count_for_the_page_that_they_stand_on():
    good = ["Wartung der Anlage", "Die Pumpe wird jeden Monat geprüft und das Ergebnis wird aufgeschrieben."]
    garbage = ["wrtng dr nlg", "xq zzpt krrw gnlp wqxz rrtk ppqz xxwv zzkq brrt qqpl wwzx kkrp"]
    table = _long_table([good, good, garbage, garbage, garbage], [1, 1, 2, 2, 3])
    pages = parsed(
        page(number=1, **{c.BLOCKS: [table]}),
        page(number=2),
        page("Der Betrieb prüft die Anlage jeden Monat. " * 20, number=3),
        page(number=4),
    )
    gated = gated_alone(pages, documents("a"), GateConfig(), {"hr": ["de"]})
    assert gated["blank"].to_list() == [False, False, False, True]
    assert gated[c.ROUTE].to_list() == ["pass", "reject", "pass", "pass"]
    assert gated[c.BLOCKS].list.len().to_list() == [1, 0, 1, 0]
    characters = gated[c.SCORES].struct.field("characters").to_list()
    assert characters[0] == sum(map(str.isalnum, "Tabelle 1" + "".join(good * 2)))
    assert characters[1] == sum(map(str.isalnum, "".join(garbage * 2)))
