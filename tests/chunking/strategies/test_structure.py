"""Prose is cut where its author cut it."""

SENTENCES = [
    "Am 3. Juni wurde die Anlage übergeben.",
    "Der Grenzwert beträgt z. B. 4 bar, d. h. weniger als im Vorjahr.",
    "Siehe § 5 Abs. 2 Nr. 7 der Ordnung.",
    "Der Umbau schlug mit 7 Mio. Franken zu Buche.",
    "Teil III. beschreibt den 1. Kanal der Halle.",
    "Wir stehen vor der 23. Abnahme.",
    "Der Bericht endet hier.",
]


def test_one_sentence_a_chunk_when_the_budget_wants_it(build):
    page = build.page([build.block("paragraph", " ".join(SENTENCES))])
    _, chunks = build.cut([page], build.characters(), max_tokens=70, min_tokens=1)
    assert [chunk["text"] for chunk in chunks] == [*SENTENCES[:5], " ".join(SENTENCES[5:])]


def test_a_section_that_fits_is_one_chunk(build):
    page = build.page([build.block("paragraph", sentence) for sentence in SENTENCES])
    _, chunks = build.cut([page])
    assert [chunk["text"] for chunk in chunks] == ["\n\n".join(SENTENCES)]


def test_paragraphs_are_kept_whole(build):
    paragraphs = [" ".join([sentence] * 3) for sentence in SENTENCES]
    _, chunks = build.cut(
        [build.page([build.block("paragraph", p) for p in paragraphs])], max_tokens=90, min_tokens=10
    )
    assert len(chunks) > 2
    assert [p for chunk in chunks for p in chunk["text"].split("\n\n")] == paragraphs


def test_a_short_piece_joins_a_neighbour_of_its_section_only(build):
    long = "Die Anlage wird jeden Tag geprüft. " * 8
    blocks = [
        build.block("heading", "A"),
        build.block("paragraph", long, ["A"]),
        build.block("paragraph", "Ausnahmen gibt es nicht.", ["A"]),
        build.block("heading", "B"),
        build.block("paragraph", "Kurz.", ["B"]),
    ]
    _, chunks = build.cut([build.page(blocks)], max_tokens=70, min_tokens=25)
    assert [chunk["section_path"][0] for chunk in chunks] == ["A", "A", "B"]
    assert chunks[1]["text"].endswith("geprüft.\n\nAusnahmen gibt es nicht.")
    assert chunks[1]["token_count"] >= 25
    assert chunks[2]["text"] == "Kurz."


def test_what_announces_a_list_stays_with_it(build):
    items = [f"{n}. der Mieter die Pflicht Nummer {n} schuldhaft verletzt hat," for n in range(1, 6)]
    blocks = [
        build.block("paragraph", "Der Vermieter kann kündigen. " * 8),
        build.block("paragraph", "Das ist der Fall, wenn"),
    ]
    blocks += [build.block("list_item", item) for item in items]
    _, chunks = build.cut([build.page(blocks)], max_tokens=72, min_tokens=10)
    assert any("Das ist der Fall, wenn\n\n1. der" in chunk["text"] for chunk in chunks)


def test_the_end_of_a_long_text_is_embedded(build):
    """A chunk over the encoder's limit would be cut off silently, and its end could never be found."""
    text = (
        "Größere Störungen werden der Leitstelle unverzüglich gemeldet. " * 100
        + "Das Kennwort lautet ZEBRA-4417."
    )
    counter = build.real(limit=128)
    _, chunks = build.cut([build.page([build.block("paragraph", text)])], counter)
    embedded = [f"{c['context']}\n{c['text']}" if c["context"] else c["text"] for c in chunks]
    assert max(counter.count(embedded)) <= 128
    assert counter.count(embedded) == [chunk["token_count"] for chunk in chunks]
    assert chunks[-1]["text"].endswith("ZEBRA-4417.")
