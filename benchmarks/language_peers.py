"""Sentence splitters and language detectors that the benchmark measures beside ours: those installed where it runs."""

import importlib
import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec

Split = Callable[[str], Sequence[str]]
Detect = Callable[[list[str]], list[str]]
LANGUAGES = ("tr", "de", "en")
NAMES = {"tr": "turkish", "de": "german", "en": "english"}


def splitters(language: str) -> dict[str, Split]:
    """Name to function from a text to its sentences, ours first; peers that are not installed are left out."""
    builders: dict[str, Callable[[str], Split]] = {
        "kesit": _ours,
        "pysbd": _pysbd,
        "simplemma": _simplemma,
        "nupunkt": _nupunkt,
        "spacy": _spacy,
        "nltk": _nltk,
        "regex": _regex,
    }
    found: dict[str, Split] = {}
    for name, build in builders.items():
        if name in {"kesit", "regex"} or find_spec(name):
            try:
                found[name] = build(language)
            except (ImportError, LookupError, ValueError) as error:
                print(f"{name} ({language}) left out: {str(error).strip().splitlines()[0]}")
    return found


def _ours(language: str) -> Split:
    from pipeline.language.sentences import sentence_spans

    return lambda text: [text[start:end] for start, end in sentence_spans(text, language)]


def _pysbd(language: str) -> Split:
    # It has no Turkish: its English rules, as its users would have to.
    segmenter = importlib.import_module("pysbd").Segmenter(
        language="en" if language == "tr" else language, clean=False
    )
    return segmenter.segment


def _simplemma(language: str) -> Split:
    split = importlib.import_module("simplemma.sentences").split_sentences
    return lambda text: split(text, lang=language)


def _nupunkt(_: str) -> Split:
    return importlib.import_module("nupunkt").sent_tokenize


def _spacy(language: str) -> Split:
    pipe = importlib.import_module("spacy").blank(language)
    pipe.add_pipe("sentencizer")
    return lambda text: [sentence.text for sentence in pipe(text).sents]


def _nltk(language: str) -> Split:
    # Its data comes inside llama-index-core, for whoever has that.
    folder = find_spec("llama_index.core")
    data = importlib.import_module("nltk.data")
    if folder and folder.submodule_search_locations:
        data.path += [f"{place}/_static/nltk_cache" for place in folder.submodule_search_locations]
    punkt = importlib.import_module("nltk.tokenize.punkt")
    return punkt.PunktTokenizer(NAMES[language]).tokenize


def _regex(_: str) -> Split:
    return re.compile(r"(?<=[.!?])\s+(?=[\"'„“»«(\[]?[A-ZÄÖÜÇĞİŞ0-9])").split
