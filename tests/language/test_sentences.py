"""Sentence ends: what stays whole, what parts, and that nothing is lost."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.language.sentences import sentence_spans

WHOLE = {
    "tr": [
        "Av. Ayşe Yılmaz 12.03.2026 tarihinde davaya vekil olarak katıldı.",
        "Bkz. md. 5 ve md. 6 hükümleri.",
        "Bu Kanunun 5. fıkrası uyarınca işlem yapılır.",
        "Masa, sandalye vb. eşyalar depoya alındı.",
        "Toplam 12.500,75 TL ödendi.",
        "II. Abdülhamid dönemi 33 yıl sürdü.",
        "Prof. Dr. A. Kaya ve 3. Hukuk Dairesi aynı görüştedir.",
        '"Gel!" dedi ve çıktı.',
        'Ali, "Geldim. Gördüm. Yendim." dedi ve sustu.',
        "Karar (5763/1 md .) Bakanlığa gönderildi.",
        "Bu kitap ve Bu şehir adlı film beğenildi.",
        "ABC Ltd. Şti. ile T.C. Sağlık Bakanlığı anlaştı.",
        "(Değişik: 15/5/2008-5763/1 md.) Bu Kanun hükümleri uygulanır.",
    ],
    "de": [
        "Nach § 623 Abs. 2 BGB i. V. m. Nr. 4 gilt die Schriftform.",
        "Am 3. Juni und am 12.03.2026 tagte der Ausschuss.",
        "Das kostet z. B. 5 Mio. Euro, d. h. weniger als 12.500 pro Kopf.",
        "Herr Dr. J. K. Müller wohnt in der Hauptstr. 5 in Bonn.",
        "Dienstbarkeiten, Bannrechte usw. Entschädigungen sind zu leisten.",
        "„Was ist das?“ fragte er leise.",
        "Er rief: „Komm her. Sofort!“, und ging.",
        "Die Zeitung erschien in Der Spiegel und können Sie lesen.",
        "Der Vertrag läuft ca. drei Std. oder zzgl. der Pausen.",
        "Die Frist (vgl. Anm. 4) endet am 31. Dezember.",
        "1. Der Arbeitgeber zahlt den Lohn.",
    ],
    "en": [
        "Mr. Smith paid $3.50 on Oct. 5 to the U.S. Congress.",
        "See Fig. 3, No. 4 and pp. 5 to 7, e.g. Table 2.",
        "We stayed in The Hague and saw the Doctor Who exhibition.",
        '"He left. She stayed," said Tom quietly.',
        "J. R. R. Tolkien wrote it, cf. Art. 5 of the contract.",
        "Acme Corp. v. Doe was decided at 5 p.m. by the court.",
    ],
}
PARTED = {
    "tr": ["Bkz. md. 5.", "Elma, armut vb.", "Ancak muz alınmadı.", "Tutar 2019'da ödendi.", "(Bu hüküm 2020'de eklenmiştir.)", "Son."],
    "de": ["Das war 2019.", "Danach kam nichts.", "Er sagte: „Komm her.“", "Dann ging er.", "Gemäß § 5 Abs. 2.", "Anlagen sind nötig.", "Äpfel usw.", "Die Liste endet."],
    "en": ["He said no.", "It ended in 1999.", "Then it closed at 5 p.m.", "Did it?", "Yes!", "The end."],
}  # fmt: skip


CARELESS = {
    "tr": ["Toplantı saat üçte başladı.", "Ücreti 5'e.", "İzmir'e gitti.", "sonra herkes eve gitti", "Bu durum kimseyi şaşırtmadı."],
    "de": ["Das Essen war wirklich lecker.", "die Bedienung war leider langsam", "Wir kommen trotzdem wieder.",
           "Gezahlt nach Absatz 2a.", "Personen sind zu nennen."],
    "en": ["the food was great!", "we will come back soon", "It's a fine place :)", "Highly recommended.",
           "not impressive enough", "The waiter was rude."],
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text"), [(lang, text) for lang, texts in WHOLE.items() for text in texts]
)
def test_stays_whole(language, text):
    assert sentence_spans(text, language) == [(0, len(text))]


@pytest.mark.parametrize(("language", "sentences"), CARELESS.items())
def test_forgotten_marks_and_capitals(language, sentences):
    assert _split(" ".join(sentences), language) == sentences


@pytest.mark.parametrize(("language", "sentences"), [*PARTED.items(), *WHOLE.items()])
def test_parts_between_sentences(language, sentences):
    sentences = [text for text in sentences if text[0].isupper()]
    assert _split(" ".join(sentences), language) == sentences


def test_unknown_language_knows_all_abbreviations():
    for texts in WHOLE.values():
        for text in texts:
            assert len(sentence_spans(text, "und")) == 1, text


def test_items_and_paragraphs_part():
    text = "Es gilt:\n- Punkt eins\n- Punkt zwei\n\nEin Absatz ohne Punkt\n\n1. Die Regel gilt.\n2. Sie endet am\n3. Juni."
    assert _split(text, "de") == [
        "Es gilt:", "- Punkt eins", "- Punkt zwei", "Ein Absatz ohne Punkt", "1. Die Regel gilt.", "2. Sie endet am", "3. Juni.",
    ]  # fmt: skip
    assert len(_split("Die Frist endet am\n3. Juni des Jahres.", "de")) == 1


def test_reported_case(cases: Path):
    text = (cases / "B40/saetze_de.txt").read_text(encoding="utf-8")
    assert _split(text, "de") == json.loads(
        (cases / "B40/expected_sentences.json").read_text(encoding="utf-8")
    )


@pytest.mark.parametrize(
    "piece",
    [
        "1. ",
        " ",
        ".",
        "z. B. ",
        '" a',
        "„a",
        ")",
        ". (",
        "a Die ",
        "\n",
        "\n ",
        "“a. B",
        "a.",
        ": ",
        "§ 5 Abs. 2. ",
        " :)",
        "x",
        "1) ",
    ],
)
def test_long_text_without_a_sentence_end(piece):
    # Time that grows with the square of the text would make minutes of these.
    text = piece * (100_000 // len(piece)) + "A"
    _assert_partition(text, sentence_spans(text, "de"))


@given(st.text(), st.sampled_from(["tr", "de", "en", "und"]))
def test_nothing_is_lost_on_any_text(text, language):
    _assert_partition(text, sentence_spans(text, language))


PIECES = [
    "Abs.",
    "2",
    "3.",
    "Die",
    "der",
    "md.",
    "Bu",
    "bu",
    "usw.",
    "?",
    "“",
    "(",
    ")",
    "\n",
    "\n\n",
    " ",
    "z. B.",
    "- ",
    "a) ",
    "…",
    "12.03.2026",
]


@given(
    st.lists(st.sampled_from(PIECES)).map(" ".join) | st.lists(st.sampled_from(PIECES)).map("".join),
    st.sampled_from(["tr", "de", "en"]),
)
def test_nothing_is_lost_on_awkward_text(text, language):
    _assert_partition(text, sentence_spans(text, language))


def _split(text, language):
    return [text[start:end] for start, end in sentence_spans(text, language)]


def _assert_partition(text, spans):
    position = 0
    for start, end in spans:
        assert text[position:start].strip() == ""
        assert start < end
        assert text[start:end] == text[start:end].strip()
        position = end
    assert text[position:].strip() == ""
