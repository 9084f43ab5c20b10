import pytest

from pipeline.parsing.headings import names_itself, numbering, opens, split_run_in


@pytest.mark.parametrize(
    "text",
    ["§ 5 Kündigung", "Madde 12", "MADDE 3 – Tanımlar", "Article 4 Scope", "Artikel IV", "3.1.4 Aufbewahrung", "İKİNCİ BÖLÜM",
     "Geçici Madde 2", "Chapter 2 Leave", "Zweiter Abschnitt", "Anhang B"],
)  # fmt: skip
def test_lines_that_are_headings_by_their_words(text):
    assert names_itself(text)


@pytest.mark.parametrize(
    "text",
    ["§ 5 Absatz 2 gilt entsprechend", "Madde 12 uyarınca ödenir", "Article 4 shall apply", "3.5 kg Öl", "2026 yılında",
     "Artikel 5 und 6 bleiben unberührt.", "1. Einleitung"],
)  # fmt: skip
def test_citations_and_sentences_are_not(text):
    assert names_itself(text) is None


def test_ranks_order_the_divisions():
    ranks = [
        numbering(t).rank for t in ("Erster Teil", "Chapter 1", "Abschnitt 2", "§ 3", "3.1 X", "3.1.1 X")
    ]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)


def test_run_in_articles_are_split():
    assert split_run_in("MADDE 7 – (1) İşçi bildirir.") == ("MADDE 7", "(1) İşçi bildirir.")
    assert split_run_in("Madde 7 uyarınca işçi bildirir.") is None


def test_an_english_section_takes_its_title_along():
    assert split_run_in("SECTION 2. Sale and Delivery of the Shares. Subject to the terms") == (
        "SECTION 2. Sale and Delivery of the Shares", "Subject to the terms"
    )  # fmt: skip
    assert split_run_in("Section 5. The parties agree to this. They sign.") is None
    assert split_run_in("SECTION 2. " + "A" * 100_000 + " x") is None


def test_a_number_heads_its_first_part():
    assert opens("2.Research Program.", "2.1 Performance. The Parties will perform.")
    assert opens("2. Termin", "2.1Der Termin gilt; " + "wort " * 40)
    assert not opens("2.1 Roles 8", "2.1.1 Access by clients 9")  # a table of contents
    assert not opens("2. Roles", "2.1 Access")
    assert not opens("2. Roles", "3.1 Access is given.")
    assert not opens("Roles", "1.1 Access is given.")
