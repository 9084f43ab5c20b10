"""Numbers of articles in three languages."""

import pytest

from pipeline.chunking.articles import (
    article_of_heading,
    article_of_paragraph,
    article_of_path,
    clause_of_paragraph,
)


@pytest.mark.parametrize(
    ("heading", "label"),
    [
        ("§ 5 Kündigungsfrist", "§ 5"),
        ("§312k Kündigung", "§ 312k"),
        ("§§ 3 bis 5 (weggefallen)", "§§ 3 bis 5"),
        ("MADDE 12 – Fesih", "Madde 12"),
        ("Madde 12/A", "Madde 12/A"),
        ("GEÇİCİ MADDE 3", "Geçici Madde 3"),
        ("Ek Madde 1 - Yürürlük", "Ek Madde 1"),
        ("Article 4 Scope", "Article 4"),
        ("ARTICLE IV", "Article IV"),
        ("Artikel 3", "Artikel 3"),
        ("Art. 7 Haftung", "Art. 7"),
        ("3.1.4 Delivery", "3.1.4"),
        ("12.03.2026 Protokoll", None),
        ("2026 in numbers", None),
        ("Maddenin Halleri", None),
        ("Artikel und Adjektive", None),
    ],
)
def test_headings(heading, label):
    assert article_of_heading(heading) == label


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("MADDE 12 – (1) İşveren öder.", "Madde 12"),
        ("Madde 7- Bu Kanun yürürlüğe girer.", "Madde 7"),
        ("Article 4. The tenant pays.", "Article 4"),
        ("§ 5", "§ 5"),
        ("§ 5 (1) Die Frist beträgt", "§ 5"),
        ("§ 5 Abs. 2 gilt entsprechend.", None),
        ("Article 4 applies.", None),
        ("Madde 12 uyarınca ödenir.", None),
    ],
)
def test_paragraphs(text, label):
    assert article_of_paragraph(text) == label


def test_path_and_clause():
    assert article_of_path(["§ 5 Frist", "Zu Absatz 1"]) == "§ 5"
    assert article_of_path(["Teil"]) is None
    assert clause_of_paragraph("3.1.4 The supplier shall deliver.") == "3.1.4"
    assert clause_of_paragraph("3.14 ist ungefähr") == "3.14"
    assert clause_of_paragraph("12.03.2026 war ein Tag") is None
