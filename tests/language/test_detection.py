"""Language identification against parallel text and reported cases."""

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from pipeline.config import LANGUAGES
from pipeline.language.detection import detect

SENTENCES = {
    "tr": "İşveren, işçinin yıllık ücretli izin hakkını kullandırmak zorundadır.",
    "de": "Die Kündigung eines Arbeitsverhältnisses bedarf zu ihrer Wirksamkeit der Schriftform.",
    "en": "The employer shall give the employee a written statement of the particulars of employment.",
}


@pytest.mark.parametrize(("language", "text"), SENTENCES.items())
def test_sentence_in_any_case(language, text):
    capitals = text.replace("i", "İ").upper() if language == "tr" else text.upper()
    assert detect([text, capitals]) == [language, language]


@pytest.mark.parametrize(
    "text", ["", "   ", "OK", "P-118 / 6,5", "§ 623", "12.03.2026", "KZ-400 KZ-401 KZ-402 KZ-403", "Ventil"]
)
def test_too_little_evidence(text):
    assert detect([text]) == ["und"]


def test_other_scripts_are_unknown():
    assert detect(["Дом очень красивый и сад тоже большой", "这是 一个 测试 文本 内容"]) == ["und", "und"]


def test_other_languages_are_unknown():
    texts = [
        "Le contrat de travail est conclu pour une durée indéterminée et peut être rompu par chacune des parties",
        "El contrato de trabajo se celebra por escrito y puede ser rescindido por cualquiera de las partes",
        "De arbeidsovereenkomst wordt schriftelijk aangegaan en kan door beide partijen worden beëindigd",
    ]
    assert detect(texts) == ["und"] * 3


def test_names_of_another_language():
    assert detect(["der Great Lakes Megalopolis und der Harvard School of Public Health zu gründen"]) == [
        "de"
    ]
    assert detect(["1047'de Kingston ve Clara Oswald ile Jenna Coleman için çekildi"]) == ["tr"]


def test_turkish_typed_without_its_letters():
    assert detect(["iscinin kidem tazminati hangi durumda odenmez", "kira sozlesmesi nasil feshedilir"]) == [
        "tr",
        "tr",
    ]


def test_candidates_limit_the_answer():
    assert set(detect(list(SENTENCES.values()), ["tr", "de"])) <= {"tr", "de", "und"}
    assert detect(list(SENTENCES.values()), ("en", "de", "tr")) == detect(list(SENTENCES.values()))
    with pytest.raises(ValueError, match="fr"):
        detect(["x"], ["fr"])


def test_reported_cases(cases: Path):
    rows = [json.loads(line) for line in (cases / "B42/kisa.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = [row["text"] for row in rows]
    first = detect(texts)
    assert all(detect(texts[::-1])[::-1] == first for _ in range(20))
    assert all(got == row["lang"] for got, row in zip(first, rows, strict=True) if "|" not in row["lang"])
    assert set(first) <= {*LANGUAGES, "und"}


def test_fragments_of_five_to_twelve_words(samples: Path):
    outcomes = Counter()
    for language in LANGUAGES:
        fragments = _fragments(samples / f"xquad/xquad.{language}.json", random.Random(7))
        outcomes += Counter("right" if got == language else got for got in detect(fragments))
    total = outcomes.total()
    assert outcomes["right"] / total >= 0.98
    assert sum(outcomes[language] for language in LANGUAGES) / total <= 0.006  # taken for another


def _fragments(path: Path, rng: random.Random) -> list[str]:
    data = json.loads(path.read_text(encoding="utf-8"))["data"]
    contexts = [paragraph["context"] for article in data for paragraph in article["paragraphs"]]
    sentences = [part.split() for context in contexts for part in re.split(r"(?<=[.!?]) +", context)]
    chosen = []
    for words in rng.sample([words for words in sentences if len(words) > 12], 300):
        length = rng.randint(5, 12)
        start = rng.randint(0, len(words) - length)
        chosen.append(" ".join(words[start : start + length]))
    return chosen
