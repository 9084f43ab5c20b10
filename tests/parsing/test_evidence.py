import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.parsing.evidence import gather
from pipeline.parsing.tree import Block, Page, finish

LAW = [
    "Devir hangi şekilde olursa olsun devralan işveren sorumludur.",
    "İşveren devralan olsun olmasın, işçiler bildirilir.",
]


def _mended(texts):
    evidence = gather(texts)
    return [evidence.mend(text)[0] for text in texts]


def test_words_without_the_space_between_them_are_parted():
    texts = [*LAW, "Borçlar olursa olsundevralan işçilere ödenir."]
    assert _mended(texts)[-1] == "Borçlar olursa olsun devralan işçilere ödenir."
    assert gather(texts).mend(texts[-1])[1] == {"space": 1}


@pytest.mark.parametrize(
    "texts",
    [
        ["Borçlar olursa olsundevralan işçilere ödenir."],  # the parts stand nowhere alone
        [*LAW, "işverenin devralanın sözleşmesinin"],  # the dictionary knows the whole
        [
            "Kraft und Fahrzeug, Kraft und Fahrzeug, kraftfahrzeug",
            "Öl und Druck prüfen, öldruck",
        ],  # German compounds
        ["the share holder and the share holder of theshare"],
    ],
)
def test_without_evidence_nothing_is_parted(texts):
    assert _mended(texts) == texts


def test_turkish_shown_in_the_western_code_page_is_put_back():
    text = "Ýþ sözleþmesi iþçi yýllýk ücretli izin hakký deðiþiklik saðlanýr"
    assert gather([text]).mend(text) == (
        "İş sözleşmesi işçi yıllık ücretli izin hakkı değişiklik sağlanır",
        {"mojibake": 11},
    )


@pytest.mark.parametrize(
    "text",
    ["Það er gott að vera hér og þú ert góður við mig, því það er þörf", "þeð þýx ðýþ ýýð þþþ qðq wþw"],
)
def test_icelandic_and_noise_stay(text):
    assert gather([text]).mend(text) == (text, {})


def test_letters_set_wide_apart_are_closed_where_they_are_a_word():
    assert gather([]).mend("S Ö Z L E Ş M E ve a b c d") == ("SÖZLEŞME ve a b c d", {"space": 1})


@given(st.lists(st.text(alphabet="abcçğıiöşü ðþý.", max_size=60), max_size=6))
def test_only_spaces_come_and_go_but_for_misread_letters(texts):
    evidence = gather(texts)
    for text in texts:
        mended, _ = evidence.mend(text)
        if not evidence.misread:
            assert mended.replace(" ", "") == text.replace(" ", "")


def test_each_page_counts_its_repairs_in_paragraphs_and_tables_and_leaves_code():
    pages = [
        Page(1, (Block("paragraph", "Die Druckluft-\nanlage ﬁndet die GrÃ¶ÃŸe"), Block("code", "x = 'Ã'"))),
        Page(2, tuple(Block("paragraph", text) for text in LAW)),
        Page(3, (Block("table", rows=(("Konu", "Kural"), ("Devir", "olsundevralan")), header_rows=1),)),
    ]
    rows = finish(pages)
    assert rows[0]["blocks"][0]["text"] == "Die Druckluftanlage findet die Größe"
    assert rows[0]["blocks"][1]["text"] == "x = 'Ã'"
    assert rows[0]["repairs"] == [
        {"kind": "hyphen", "count": 1}, {"kind": "ligature", "count": 1}, {"kind": "mojibake", "count": 2}
    ]  # fmt: skip
    assert rows[1]["repairs"] == []
    assert rows[2]["blocks"][0]["rows"][1] == ["Devir", "olsun devralan"]
    assert rows[2]["blocks"][0]["text"] == "Konu\tKural\nDevir\tolsun devralan"
    assert rows[2]["repairs"] == [{"kind": "space", "count": 1}]
