"""What a language model is asked about a chunk, and what of the document it is shown, in the chunk's own language.

The idea is that of Contextual Retrieval (Anthropic, 2024). There the model is shown the whole document with each chunk; here its
beginning and what stands around the chunk, so that an edit asks again about the chunks near it and not about the whole document.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

import polars as pl

from pipeline.config import ContextConfig
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint

PROMPT_VERSION: Final = "1"  # raise it when a prompt changes: every chunk is then asked about again

PROMPT: Final = "prompt"
_OTHERWISE: Final = "en"  # asks for the language of the passage, for chunks whose own is not known
_PROMPTS: Final[Mapping[str, str]] = {
    "tr": (
        "Aşağıda bir belgenin başı ve belgeden bir parça, çevresiyle birlikte verilmiştir.\n\n"
        "<belge_başı>\n{beginning}\n</belge_başı>\n\n<çevre>\n{before}<parça>\n{text}\n</parça>{after}\n</çevre>\n\n"
        "Parçanın belgedeki yerini tek bir cümleyle, en çok 25 sözcükle belirt: parça tek başına okunduğunda anlaşılmayan kimi, neyi,"
        " hangi konuyu, ürünü veya dönemi söyle. Yalnızca burada yazanı kullan, parçayı yineleme. Türkçe, yalnız bu cümleyle yanıtla."
        " Eklenecek bir şey yoksa tek bir tire (-) yaz."
    ),
    "de": (
        "Hier stehen der Anfang eines Dokuments und ein Abschnitt daraus mit seiner Umgebung.\n\n"
        "<anfang>\n{beginning}\n</anfang>\n\n<umgebung>\n{before}<abschnitt>\n{text}\n</abschnitt>{after}\n</umgebung>\n\n"
        "Ordne den Abschnitt mit einem einzigen Satz von höchstens 25 Wörtern in das Dokument ein: Nenne, was man ihm allein nicht"
        " ansieht, also um wen, welche Sache, welches Thema oder welche Zeit es geht. Verwende nur, was hier steht, und wiederhole den"
        " Abschnitt nicht. Antworte auf Deutsch und nur mit diesem Satz. Gibt es nichts zu ergänzen, antworte mit einem einzigen Strich (-)."
    ),
    "en": (
        "Here are the beginning of a document and a passage from it with what stands around.\n\n"
        "<beginning>\n{beginning}\n</beginning>\n\n<around>\n{before}<passage>\n{text}\n</passage>{after}\n</around>\n\n"
        "Place the passage in the document with one sentence of at most 25 words: say what the passage alone leaves open, that is whom,"
        " which thing, subject or time it is about. Use only what is written here and do not repeat the passage. Answer in the"
        " language of the passage with this sentence alone. If there is nothing to add, answer with a single dash (-)."
    ),
}


def questions(sections: pl.DataFrame, chunks: pl.DataFrame, config: ContextConfig) -> pl.DataFrame:
    """The question about each chunk.

    Args:
        sections: rows of `sections` of whole documents.
        chunks: rows of `chunks` of these documents.
        config: the model, and how much of the document it is shown.

    Returns:
        chunk_id, doc_id, version_id, input_hash (of the chunk's row), prompt, question_hash; in the order of the documents.
    """
    shown = config.shown_characters // 2
    beginnings = _beginnings(sections, shown)
    parents = dict(sections.select(c.SECTION_ID, c.TEXT).iter_rows())
    ordered = chunks.sort(*c.VERSION_KEY, c.ORDINAL)
    prompts: list[str] = []
    for row in ordered.iter_rows(named=True):
        around, start, end = parents[row[c.SECTION_ID]], row[c.SPAN_START], row[c.SPAN_END]
        path = " › ".join(row[c.SECTION_PATH])
        before = around[max(0, start - shown // 2) : start]
        prompts.append(
            _PROMPTS.get(row[c.LANGUAGE], _PROMPTS[_OTHERWISE]).format(
                beginning=beginnings[row[c.DOC_ID], row[c.VERSION_ID]],
                before=f"{path}\n{before}" if path else before,
                text=row[c.TEXT],
                after=around[end : end + shown // 2],
            )
        )
    hashes = [fingerprint(PROMPT_VERSION, config.model, prompt) for prompt in prompts]
    return ordered.select(
        c.CHUNK_ID,
        *c.VERSION_KEY,
        c.INPUT_HASH,
        pl.Series(PROMPT, prompts, dtype=pl.String),
        pl.Series(c.QUESTION_HASH, hashes, dtype=pl.String),
    )


def _beginnings(sections: pl.DataFrame, characters: int) -> dict[tuple[str, str], str]:
    """The beginning of each version's text, each section under its heading."""
    texts: defaultdict[tuple[str, str], str] = defaultdict(str)
    for row in sections.sort(*c.VERSION_KEY, c.ORDINAL).iter_rows(named=True):
        version = row[c.DOC_ID], row[c.VERSION_ID]
        if len(texts[version]) < characters:
            heading = "".join(row[c.PATH][-1:])
            texts[version] += f"{heading}\n{row[c.TEXT]}\n"
    return {version: text[:characters].strip() for version, text in texts.items()}
