"""What a vision model is asked, in the language of the document, and the mark in front of its words."""

from collections.abc import Mapping
from typing import Final

PROMPT_VERSION: Final = "1"  # raise it when a prompt changes: every image is then asked about again

PROMPTS: Final[Mapping[str, str]] = {
    "tr": (
        "Bu görsel bir belgeden alınmıştır. Onu sözcüklerle arayacak biri için anlat: önce türünü (şema, grafik, fotoğraf …),"
        " sonra ne gösterdiğini yaz. Okunabilen her etiketi, sayıyı, birimi ve ilişkiyi olduğu gibi aktar; tahmin yürütme."
        " Türkçe, en çok 150 sözcük, giriş cümlesi olmadan yanıtla. Yalnızca süs ise tek bir tire (-) yaz."
    ),
    "de": (
        "Dieses Bild stammt aus einem Dokument. Beschreibe es für jemanden, der mit Wörtern danach sucht: zuerst seine Art"
        " (Schema, Diagramm, Foto …), dann, was es zeigt. Gib jede lesbare Beschriftung, Zahl, Einheit und Beziehung wörtlich"
        " wieder; rate nicht. Antworte auf Deutsch, mit höchstens 150 Wörtern, ohne Einleitung. Ist es nur Schmuck, antworte"
        " mit einem einzigen Strich (-)."
    ),
    "en": (
        "This image is from a document. Describe it for somebody who searches for it by words: first its kind (scheme, chart,"
        " photograph …), then what it shows. Give every label, number, unit and relation that can be read as it stands; do not"
        " guess. Answer in English, in at most 150 words, without an introduction. If it is mere decoration, answer with a"
        " single dash (-)."
    ),
}
"""The question for each language."""

MARKS: Final[Mapping[str, str]] = {
    "tr": "[Makine açıklaması]",
    "de": "[Maschinelle Bildbeschreibung]",
    "en": "[Machine description]",
}
"""Stands in front of a description in a chunk: whoever reads it sees that the document does not say so itself."""
