"""German compounds: Kündigungsfrist is a Frist and has to do with Kündigung.

A split is accepted when the head is a noun of the dictionary and the modifier a noun, verb stem or adjective of it, with
the linking letters that German puts between them. Capitalised entries of the dictionary are nouns.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from pipeline.language.casing import lower
from pipeline.language.lemmas import known

MIN_LENGTH: Final = 7
MAX_LENGTH: Final = 45
MIN_PART: Final = 4  # letters, where the head is no word of the dictionary but a compound itself


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LINKS: Final = ("s", "es", "n", "en", "er", "e")  # "ens", "ns" are s after a form in n
# Prefixes make new words of a word; they say nothing about its meaning on their own.
_PREFIXES: Final = _words("""
    ab an auf aus bei be da dar durch ein ent er fort ge gegen her hin hinter in los mit miss nach neben nieder ob über
    um un unter ver vor weg wider wieder zer zu zurück zusammen zwischen ur anti auto des dis inter re sub sch den der
    die das dem sei sie mal ten hier dort war wir bis ich per pro bar abt dien
    """)
# Entries of the dictionary that are none of the words they seem to begin: "Mac-ht", "Fei-ertag", "Pau-schale".
_NO_MODIFIERS: Final = _words("""
    besch wiede pau fei met mac vors tran trans mate dia apo sech wied aufs abd übers inn spi zen ken adr anh ass
    """)
# A word with one of these before its stem is no compound: "Verb-raucher", "Gew-erbe", "Bet-rieb"; these few are.
_INSEPARABLE: Final = ("be", "ge", "er", "ver", "zer", "ent", "emp")
_SHORT_NOUNS: Final = _words(
    "erb erbe erd erde berg bett beet bein bier gen geld gift ernte ente erz geist beere verse"
)
# Endings of German words that happen to be listed as nouns; as heads they would split words that are whole.
_NO_HEADS: Final = _words("""
    schaft heit keit ungen tum nis ling chen lein ion ionen innen erin tät enz anz ner ler rung lung tung gung dung chung
    eilung tion iker isten enden ener eren heiten ente enten erie elle ellen eine einer eben enge engen ster stag ständ
    cher tand hung rinne rinnen nisse nissen ismus isch ische ischen sten ertag ertage hode hoden rial trum tein riff
    ache achen anten mente menten ruck ruch tuck eilen tete lyse kunft gien trial serbe weger lungen bungen tungen zungen
    """)
# Nouns that also end many whole words (Gericht, Gegenstand): heads only after a modifier of four letters or more.
_LATE_HEADS: Final = _words("stand tisch tische ring ringe alter ort orte essen ende art arten recht")
_SHORT: Final = _words("amt rat tag weg art akt uhr öl gas rad tor zug hof bad see eis not ort arm uni")


@lru_cache(maxsize=2**16)
def parts(word: str) -> tuple[str, ...]:
    """Lemmas of the parts of a German compound, in order, inner compounds split on; empty when it is none.

    Args:
        word: one word in lower case.
    """
    if not MIN_LENGTH <= len(word) <= MAX_LENGTH or not word.isalpha() or not _may_be_noun(word):
        return ()
    best = _split(word, 2, _noun) or _split(word, MIN_PART, _compound)
    if best is None:
        return ()
    found = [piece for part in best for piece in (parts(part) or (part,))]
    return tuple(dict.fromkeys(found))


def _split(word: str, shortest: int, head_of: Callable[[str], str]) -> tuple[str, str] | None:
    """Modifier and head at the place nearest the middle where both are words; None if there is none."""
    best: tuple[int, str, str] | None = None
    for cut in range(shortest, len(word) - shortest):
        if best and min(cut, len(word) - cut) <= best[0]:
            continue
        head = head_of(word[cut:])
        if head and _is_head(word, cut) and (modifier := _modifier(word[:cut])):
            best = (min(cut, len(word) - cut), modifier, head)
    return best[1:] if best else None


def _compound(word: str) -> str:
    """The word itself if it is a compound of parts that are not short; "" if not."""
    pieces = parts(word)
    return word if pieces and all(len(piece) >= MIN_PART for piece in pieces) else ""


def _may_be_noun(word: str) -> bool:
    entries = known(word, "de")
    return not entries or any(entry[0].isupper() for entry in entries)


def _noun(form: str) -> str:
    """The lemma of a noun in lower case; "" if the form is none."""
    if len(form) < 2:
        return ""
    return next((lower(lemma, "de") for lemma in known(form, "de") if lemma[0].isupper()), "")


def _is_head(word: str, cut: int) -> bool:
    head = word[cut:]
    if head in _LATE_HEADS:
        return cut >= 4 or word[:cut] in _SHORT_NOUNS
    return head not in _NO_HEADS and (len(head) >= 4 or (head in _SHORT and cut >= 3))


def _may_modify(text: str) -> bool:
    """Whether it is long enough, and neither a prefix nor one with the first letters of its stem."""
    if text in _PREFIXES or text in _NO_MODIFIERS or (len(text) < 3 and text not in _SHORT):
        return False
    prefix = next((prefix for prefix in _INSEPARABLE if text.startswith(prefix)), "")
    return not prefix or len(text) - len(prefix) > 2 or text in _SHORT_NOUNS


def _modifier(text: str) -> str:
    """The lemma of what stands before the head; "" if it is nothing that German compounds with."""
    if not _may_modify(text):
        return ""
    if (lemma := _noun(text)) and lemma not in _PREFIXES:
        return lemma
    for link in _LINKS:
        stem = text.removesuffix(link)
        if (
            stem != text
            and len(stem) >= 3
            and stem not in _PREFIXES | _NO_MODIFIERS
            and (lemma := _noun(stem))
        ):
            return lemma
    if (len(text) >= 4 or text in _SHORT_NOUNS) and (
        lemma := _noun(text + "e")
    ):  # Schul(e), Sprach(e), Erb(e)
        return lemma
    verb = next((text + end for end in ("en", "n") if text + end in known(text + end, "de")), "")
    if len(text) >= 4 and verb:
        return verb
    return text if len(text) >= 4 and text in known(text, "de") else ""
