"""Which texts count as the same."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pipeline.dedup.words import words_expr
from pipeline.language.casing import lower


def words(text, language):
    frame = pl.DataFrame({"text": [text], "language": [language]})
    return frame.select(words_expr().alias("w"))["w"][0].to_list()


def test_case_spacing_punctuation_and_form_do_not_count():
    assert words("İZMİR'DE, IŞIK!", "tr") == words("  izmir'de ışık", "tr") == ["izmir", "de", "ışık"]
    assert words("STRASSE", "de") == words("Straße", "de") == ["strasse"]
    assert words("u\u0308ber", "de") == words("ÜBER", "de") == ["über"]
    assert words("Ver\u00adtrag", "de") == ["vertrag"]
    assert words("", "de") == words(" | — …", "en") == []


def test_what_changes_the_meaning_counts():
    different = [
        "Temperatur -5 °C",
        "Temperatur 5 °C",
        "Temperatur ≥ 5 °C",
        "Temperatur ≤ 5 °C",
        "Temperatur 5 %",
        "Temperatur 5 €",
    ]
    assert len({tuple(words(text, "de")) for text in different}) == len(different)
    assert words("ılık", "tr") != words("ilik", "tr")


@given(
    st.text(alphabet=st.sampled_from("IİıiŞşGĞßẞÄäé A\u0307zZ9.-"), max_size=30),
    st.sampled_from(["tr", "de", "en", "und"]),
)
def test_case_is_that_of_the_language_module(text, language):
    assert words(text, language) == words(lower(text, language), language)
