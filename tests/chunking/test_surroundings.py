import pytest

from pipeline.chunking.blocks import Block, Source
from pipeline.chunking.surroundings import with_surroundings

S = (Source(0, 1, flagged=False),)


def _figure(caption):
    return Block("figure", caption, (), S, caption=caption)


def _text(text, kind="paragraph"):
    return Block(kind, text, (), S)


def _around(*blocks):
    return [block.around for block in with_surroundings(blocks) if block.kind == "figure"]


@pytest.mark.parametrize(
    ("caption", "mention"),
    [
        ("Abbildung 3: Pumpe", "Wie Abb. 3 zeigt, liegt das Rad innen."),
        ("Abb. 3: Pumpe", "Die Abbildungen 2 und 3 zeigen das Rad."),
        ("Abbildung 3: Pumpe", "Siehe Abbildung 3."),
        ("Bild 2.1 – Ventil", "Das Ventil (Bild 2.1) bleibt offen."),
        ("Figure 3: Pump", "The wheel is shown in Fig. 3."),
        ("Fig. 3: Pump", "Figures 1, 2 and 3 show the wheel."),
        ("FIGURE IV: Pump", "as in Figure IV, the wheel"),
        ("Şekil 3: Pompa", "Çark, Şekil 3'te görülür."),
        ("Şekil 3. Pompa", "Çark için şekil 2 ve 3’e bakınız."),
        ("Şekil 3: Pompa", "Bu, 3 numaralı şekilde verilmiştir."),
        ("ŞEKİL 3: POMPA", "Bu durum Şekil 3’te verilmiştir."),
        ("Resim 1: Kapı", "Kapı (Resim 1) kapalıdır."),
    ],
)
def test_the_paragraph_that_names_a_figure_is_found_wherever_it_stands(caption, mention):
    before, after = _text("Etwas anderes steht davor."), _text("Und danach.")
    assert _around(_text(mention), _text("A", "heading"), before, _figure(caption), after) == [mention]
    assert _around(before, _figure(caption), after, _text("A", "heading"), _text(mention)) == [mention]


@pytest.mark.parametrize(
    ("caption", "other"),
    [
        ("Abbildung 3: Pumpe", "Siehe Abbildung 31 und Abbildung 3.2."),
        ("Abbildung 3.2: Pumpe", "Siehe Abbildung 3 und Abbildung 13.2."),
        ("Şekil 3: Pompa", "Çark Tablo 3'te ve Grafik 3’te görülür."),
        ("Figure 3: Pump", "Table 3 and Section 3 say so; 3 figures follow."),
        ("Abbildung 3: Pumpe", "Abbildung 3: Pumpe ........ 17"),  # a list of figures
    ],
)
def test_what_only_looks_like_a_mention_is_none(caption, other):
    near = _text("Davor steht dies.")
    assert _around(_text(other), near, _figure(caption)) == ["Davor steht dies."]


def test_of_several_mentions_the_nearest_counts():
    far, near = _text("Abb. 1 zeigt A."), _text("Abb. 1 zeigt B.")
    assert _around(far, _text("x"), _text("y"), _figure("Abbildung 1: P"), near) == [near.text]


def test_without_a_mention_it_is_the_paragraph_before_but_not_across_a_heading():
    assert _around(_text("Davor."), _figure("Ein Foto"), _text("Danach.")) == ["Davor."]
    assert _around(_text("Davor."), _text("Titel", "heading"), _figure("Ein Foto")) == [""]


LONG = " ".join(f"Dies ist der Satz Nummer {n} über etwas ganz anderes." for n in range(40))


@pytest.mark.parametrize(
    ("caption", "sentence"),
    [
        ("Abbildung 3: Schnitt", "In Abbildung 3 dreht das Laufrad links."),
        ("Figure 3: Section", "In Figure 3 the impeller turns left."),
        ("Şekil 3: Kesit", "Şekil 3'te çark sola döner."),
    ],
)
def test_a_figure_is_a_chunk_with_that_paragraph_as_context_and_the_page_of_the_figure(
    build, caption, sentence
):
    pages = [
        build.page([build.block("paragraph", f"{LONG} {sentence} {LONG}", ("Pumpen",))], 1),
        build.page([build.block("figure", f"{caption}\nLaufrad 7", ("Pumpen",), caption=caption)], 2),
    ]
    _, chunks = build.cut(pages, max_tokens=80, min_tokens=10)
    [figure] = [chunk for chunk in chunks if chunk["kind"] == "figure"]
    assert figure["text"] == f"{caption}\nLaufrad 7"
    path, around = figure["context"].split("\n")
    assert path == "Pumpen"
    assert sentence in around
    assert figure["pages"] == [2]
    assert figure["token_count"] <= 80


def test_a_description_is_text_of_the_figure_and_makes_one_of_a_picture_without_caption():
    from pipeline.chunking.blocks import read_blocks

    raw = {
        "kind": "figure",
        "text": "",
        "section_path": [],
        "row_pages": [],
        "spans": [],
        "rows": [],
        "header_rows": 0,
        "caption": "",
        "image_hash": "h",
    }
    page = {"page_no": 1, "route": "pass", "blank": False, "blocks": [raw]}
    assert read_blocks([page]) == []
    [block] = read_blocks([page], {"h": "Eine Pumpe."})
    assert block.description == "Eine Pumpe."


def test_a_mute_picture_takes_no_caption_of_a_table(build):
    blocks = [
        build.block("caption", "Tabelle 3: Preise"),
        build.block("figure", image_hash="h"),
        build.block("table", rows=[["a", "b"], ["1", "2"]], header_rows=1),
    ]
    _, chunks = build.cut([build.page(blocks)], max_tokens=60, min_tokens=5)
    assert [(chunk["kind"], chunk["text"]) for chunk in chunks] == [
        ("table", "Tabelle 3: Preise\na | b\n1 | 2")
    ]
