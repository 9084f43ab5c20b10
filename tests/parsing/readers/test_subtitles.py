from pipeline.parsing.readers.plain import read_text
from pipeline.parsing.readers.subtitles import read_subtitles

MEETING = """WEBVTT

NOTE Toplantı

1
00:00:01.000 --> 00:00:04.000
<v Ayşe Yılmaz>Basınç <i>6 bar</i> oldu.</v>

00:00:05.000 --> 00:00:06.000
<v Ayşe Yılmaz>Devam ediyoruz.</v>

01:02:05.000 --> 01:02:06.000 align:start
<v Jörg>Gut &amp; schön</v>
"""
FILM = "1\r\n00:00:01,000 --> 00:00:04,000\r\nEin Satz\r\nüber zwei Zeilen.\r\n\r\n2\r\n00:00:05,000 --> 00:00:06,000\r\nANNA: Und noch einer.\r\n"


def _said(pages):
    return [(block.kind, block.text, block.anchor) for page in pages for block in page.blocks]


def test_a_meeting_is_turns_with_their_times():
    assert _said(read_subtitles(MEETING)) == [
        ("turn", "Ayşe Yılmaz: Basınç 6 bar oldu. Devam ediyoruz.", "00:00:01"),
        ("turn", "Jörg: Gut & schön", "01:02:05"),
    ]


def test_a_film_without_speakers_is_paragraphs():
    assert _said(read_subtitles(FILM)) == [
        ("paragraph", "Ein Satz über zwei Zeilen.", "00:00:01"),
        ("turn", "ANNA: Und noch einer.", "00:00:05"),
    ]


def test_a_long_speech_is_cut_behind_a_sentence():
    cues = [
        f"00:{n:02}:00.000 --> 00:{n:02}:09.000\n<v A>Die Leitstelle meldet die Störung Nummer {n}."
        for n in range(50)
    ]
    said = _said(read_subtitles("WEBVTT\n\n" + "\n\n".join(cues)))
    assert 1 < len(said) < 5
    assert " ".join(text for _, text, _ in said).count("Störung") == 50
    assert all(text.startswith("A: ") and text.endswith(".") for _, text, _ in said)


def test_messengers_and_meetings_in_plain_text():
    whatsapp = "\u200e[12.03.24, 14:05:11] Ayşe: Merhaba\n[12.03.24, 14:05:30] Jörg: Hallo.\nNoch eine Zeile\n[12.03.24, 14:06:11] Ayşe: Tamam"
    android = (
        "3/12/24, 2:05\u202fPM - Ann: Hi\n3/12/24, 2:06\u202fPM - Bob: Yes\n3/12/24, 2:07\u202fPM - Ann: ok"
    )
    teams = "Ayşe Yılmaz   0:05\nMerhaba arkadaşlar.\n\nJörg Müller   0:12\nHallo zusammen.\n\nAyşe Yılmaz   0:20\nBaşlayalım."
    assert [text for _, text, _ in _said(read_text(whatsapp))] == [
        "Ayşe: Merhaba",
        "Jörg: Hallo. Noch eine Zeile",
        "Ayşe: Tamam",
    ]
    assert _said(read_text(android))[1] == ("turn", "Bob: Yes", "3/12/24, 2:06 PM")
    assert _said(read_text(teams))[1] == ("turn", "Jörg Müller: Hallo zusammen.", "0:12")


def test_a_timetable_is_no_conversation():
    text = "Abfahrt 10:15\nAnkunft 11:20\nRückfahrt 17:05\nHeimkehr 18:10"
    assert all(kind != "turn" for kind, _, _ in _said(read_text(text)))
