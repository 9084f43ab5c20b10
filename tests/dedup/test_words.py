"""Which texts count as the same."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.dedup.shingles import string_hashes
from pipeline.dedup.words import hashed_words, words_expr
from pipeline.language.casing import lower


def words(text, language):
    frame = pl.DataFrame({"text": [text], "language": [language]})
    return frame.select(words_expr().alias("w"))["w"][0].to_list()


def test_case_spacing_punctuation_and_form_do_not_count():
    assert words("İZMİR'DE, IŞIK!", "tr") == words("  izmir'de ışık", "tr") == ["izmir", "de", "ışık"]
    assert words("STRASSE", "de") == words("Straße", "de") == ["strasse"]
    assert words("i\u0307\u0307z", "tr") == words("iz", "tr") == ["iz"]
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


def hashed(*rows):
    lengths, values = hashed_words(
        pl.DataFrame(rows, schema=dict.fromkeys(("text", "language", "kind"), pl.String), orient="row")
    )
    ends = lengths.cumsum()
    return [values[end - length : end].tolist() for end, length in zip(ends, lengths, strict=True)]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text(
                alphabet=st.sampled_from("Iİi şĞßẞÄä \n\t\u00a0\u0307\u0301\u00adΣσzZ9-.5€"), max_size=30
            ),
            st.sampled_from(["tr", "de", "und"]),
            st.sampled_from(["prose", "table"]),
        ),
        max_size=5,
    )
)
def test_hashes_are_those_of_the_words(rows):
    # A line that numbers a page cannot come about from these letters, but for a number between dashes.
    rows = [(text.replace("9", "q").replace("5", "q"), language, kind) for text, language, kind in rows]
    expected = [
        string_hashes(pl.Series(words(text, language), dtype=pl.String)).tolist()
        for text, language, _ in rows
    ]
    assert hashed(*rows) == expected


def test_lines_that_number_a_page_do_not_count_and_numbers_do():
    plain = "Der Mieter zahlt\nam dritten Werktag\n42"
    furnished = "Der Mieter zahlt\n- 3 -\nam dritten Werktag\nSEITE 3 von 12\n42"
    turkish = "Der Mieter zahlt\nSayfa 7/9\nam dritten Werktag\n  Page 4\n42"
    one, two, three, table, other = hashed(
        (plain, "de", "prose"), (furnished, "de", "prose"), (turkish, "de", "prose"), (furnished, "de", "table"),
        (plain.replace("42", "43"), "de", "prose"),
    )  # fmt: skip
    assert one == two == three != table
    assert one != other
