"""Which text stands under which heading, on which pages."""


def test_sections_follow_headings_and_articles(build):
    pages = [
        build.page(
            [
                build.block("title", "Reiseordnung"),
                build.block("heading", "§ 1 Zweck", ["Reiseordnung"]),
                build.block("paragraph", "Diese Ordnung regelt Reisen.", ["Reiseordnung", "§ 1 Zweck"]),
                build.block("heading", "§ 2 Kosten", ["Reiseordnung"]),
                build.block("paragraph", "Die Kosten trägt die Firma.", ["Reiseordnung", "§ 2 Kosten"]),
                build.block(
                    "paragraph", "MADDE 12 – (1) Yolluk peşin ödenir.", ["Reiseordnung", "§ 2 Kosten"]
                ),
                build.block("paragraph", "§ 5 Abs. 2 gilt entsprechend.", ["Reiseordnung", "§ 2 Kosten"]),
            ]
        )
    ]
    sections, chunks = build.cut(pages)
    assert [(section["path"], section["text"]) for section in sections] == [
        (["Reiseordnung", "§ 1 Zweck"], "Diese Ordnung regelt Reisen."),
        (["Reiseordnung", "§ 2 Kosten"], "Die Kosten trägt die Firma."),
        (
            ["Reiseordnung", "§ 2 Kosten", "Madde 12"],
            "MADDE 12 – (1) Yolluk peşin ödenir.\n\n§ 5 Abs. 2 gilt entsprechend.",
        ),
    ]
    assert [chunk["article"] for chunk in chunks] == ["§ 1", "§ 2", "Madde 12"]
    assert chunks[0]["context"] == "Reiseordnung › § 1 Zweck"


def test_no_heading_is_lost(build):
    _, chunks = build.cut(
        [
            build.page(
                [
                    build.block("heading", "Rules on the"),
                    build.block("heading", "Use of Cars"),
                    build.block("paragraph", "Cars are shared.", ["Use of Cars"]),
                    build.block("heading", "§ 3 (weggefallen)", ["Teil"]),
                    build.block("heading", "§ 4 Haftung", ["Teil"]),
                    build.block("paragraph", "Es haftet der Fahrer.", ["Teil", "§ 4 Haftung"]),
                    build.block("heading", "Contents", []),
                    build.block("heading", "Scope", []),
                    build.block("heading", "Terms", []),
                ]
            )
        ]
    )
    assert [(chunk["section_path"], chunk["text"], chunk["article"]) for chunk in chunks] == [
        (["Rules on the", "Use of Cars"], "Cars are shared.", None),
        (["Teil", "§ 3 (weggefallen)"], "§ 3 (weggefallen)", "§ 3"),
        (["Teil", "§ 4 Haftung"], "Es haftet der Fahrer.", "§ 4"),
        ([], "Contents\nScope\nTerms", None),
    ]


def test_no_heading_is_lost_before_an_article(build):
    pages = [
        build.page([build.block("heading", "Der")], 1),
        build.page([build.block("heading", "Mieter")], 2),
        build.page(
            [build.block("heading", "Der"), build.block("paragraph", "§ 5", ["Der"])],
            3,
        ),
    ]
    sections, _ = build.cut(pages)
    assert [(section["path"], section["text"]) for section in sections] == [
        (["Der", "Mieter", "Der", "§ 5"], "§ 5")
    ]


def test_a_paragraph_over_a_page_border_is_one(build):
    first = [
        build.block(
            "paragraph", "The tenant must give the landlord notice of every defect that he finds in the prem-"
        ),
        build.block("footnote", "1 See the annex."),
    ]
    second = [
        build.block("paragraph", "ises without delay."),
        build.block("paragraph", "Other duties remain."),
    ]
    sections, chunks = build.cut([build.page(first, 1), build.page(second, 2, route="flag")])
    assert "in the premises without delay." in sections[0]["text"]
    assert sections[0]["pages"] == chunks[0]["pages"] == [1, 2]
    assert chunks[0]["low_confidence"]


def test_halves_that_do_not_belong_together_stay_apart(build):
    ends = [build.block("paragraph", "The tenant must give notice of every defect in the premises.")]
    starts = [build.block("paragraph", "Other duties remain.")]
    item = [build.block("paragraph", "(2) the landlord pays for it")]
    compound = [build.block("paragraph", "Die Satzung regelt die Wahl der Haupt-")]
    rest = [build.block("paragraph", "und Nebenorgane.")]
    assert "premises.\n\nOther" in build.cut([build.page(ends, 1), build.page(starts, 2)])[0][0]["text"]
    assert "premises.\n\n(2)" in build.cut([build.page(ends, 1), build.page(item, 2)])[0][0]["text"]
    assert "Haupt- und Neben" in build.cut([build.page(compound, 1), build.page(rest, 2)])[0][0]["text"]


def test_rejected_pages_give_nothing_and_break_the_text(build):
    half = "The tenant must give the landlord notice of every defect that he finds in the"
    pages = [
        build.page([build.block("paragraph", half)], 1),
        build.page([build.block("paragraph", "gar8ag€")], 2, route="reject"),
        build.page([build.block("paragraph", "premises without delay.")], 3),
        build.page([build.block("paragraph", "ghost")], 4, blank=True),
    ]
    sections, chunks = build.cut(pages)
    assert [section["text"] for section in sections] == [f"{half}\n\npremises without delay."]
    assert chunks[0]["pages"] == [1, 3]
    assert not chunks[0]["low_confidence"]


def test_confidence_and_pages_are_those_of_the_chunk(build):
    pages = [
        build.page(
            [build.block("paragraph", f"Sentence {n} of page {number} says what it says.") for n in range(8)],
            number,
            route,
        )
        for number, route in ((1, "pass"), (2, "flag"), (3, "pass"))
    ]
    _, chunks = build.cut(pages, max_tokens=60, min_tokens=10)
    for chunk in chunks:
        named = {int(part.split()[0]) for part in chunk["text"].split("of page ")[1:]}
        assert set(chunk["pages"]) == named
        assert chunk["low_confidence"] == (2 in named)


def test_captions_of_figures_and_tables(build):
    blocks = [
        build.block("caption", "Figure 1: Plan of the hall"),
        build.block("figure", "Figure 1: Plan of the hall", caption="Figure 1: Plan of the hall"),
        build.block("figure"),
        build.block(
            "paragraph", "The hall has four gates, and each of them is closed at night by the guard."
        ),
        build.block("table", rows=[["Gate", "Key"], ["A", "7"]], header_rows=1),
        build.block("caption", "Table 2: Keys"),
    ]
    sections, chunks = build.cut([build.page(blocks)], max_tokens=60, min_tokens=5)
    assert sections[0]["text"].count("Figure 1") == 1
    assert [(chunk["kind"], chunk["text"]) for chunk in chunks] == [
        ("figure", "Figure 1: Plan of the hall"),
        ("prose", "The hall has four gates, and each of them is closed at night by the guard."),
        ("table", "Table 2: Keys\nGate | Key\nA | 7"),
    ]


def test_the_same_text_twice_has_two_ids(build):
    _, chunks = build.cut(
        [
            build.page(
                [
                    build.block("heading", "A"),
                    build.block("paragraph", "Same.", ["A"]),
                    build.block("heading", "B"),
                    build.block("paragraph", "Same.", ["B"]),
                    build.block("heading", "A"),
                    build.block("paragraph", "Same.", ["A"]),
                ]
            )
        ]
    )
    assert len({chunk["chunk_id"] for chunk in chunks}) == 3
    assert len({chunk["chunk_hash"] for chunk in chunks}) == 1
    assert len({chunk["embed_hash"] for chunk in chunks}) == 2


def test_language_is_the_chunks_own(build):
    blocks = [
        build.block("heading", "A"),
        build.block("paragraph", "Der Mieter hat die Wohnung pünktlich und sauber zurückzugeben.", ["A"]),
        build.block("heading", "B"),
        build.block("paragraph", "Kiracı konutu zamanında ve temiz olarak geri vermek zorundadır.", ["B"]),
        build.block("heading", "C"),
        build.block("paragraph", "12 / 34", ["C"]),
    ]
    _, chunks = build.cut([build.page(blocks)])
    assert [chunk["language"] for chunk in chunks] == [
        "de",
        "tr",
        "tr",
    ]  # the numbers: the usual one of the document
    assert [chunk["language"] for chunk in build.cut([build.page(blocks)], languages={"c": ["tr"]})[1]] == [
        "tr"
    ] * 3
