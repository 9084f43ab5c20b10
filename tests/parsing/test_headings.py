import pytest

from pipeline.parsing.headings import names_itself, numbering, split_run_in


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
