"""German compounds: Kündigungsfrist is a Frist and has to do with Kündigung.

A split is accepted when the head is a noun of the dictionary and the modifier a noun, verb stem or adjective of it, with
the linking letters that German puts between them. Capitalised entries of the dictionary are nouns.
"""

from functools import lru_cache
from typing import Final

from pipeline.language.casing import lower
from pipeline.language.lemmas import known

MIN_LENGTH: Final = 7
MAX_LENGTH: Final = 45


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LINKS: Final = ("s", "es", "n", "en", "er", "e")  # "ens", "ns" are s after a form in n
# Prefixes make new words of a word; they say nothing about its meaning on their own.
_PREFIXES: Final = _words("""
    ab an auf aus bei be da dar durch ein ent er fort ge gegen her hin hinter in los mit miss nach neben nieder ob über
    um un unter ver vor weg wider wieder zer zu zurück zusammen zwischen ur anti auto des dis inter re sub sch den der
    die das dem sei sie mal ten hier dort war wir bis ich per pro bar abt dien
    """)
# Endings of German words that happen to be listed as nouns; as heads they would split words that are whole.
_NO_HEADS: Final = _words("""
    schaft heit keit ungen tum nis ling chen lein ion ionen innen erin tät enz anz ner ler rung lung tung gung dung chung
    eilung tion iker isten enden ener eren heiten ente enten erie elle ellen eine einer eben enge engen ster stag ständ
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
    best: tuple[int, str, str] | None = None
    for cut in range(2, len(word) - 2):
        head = _noun(word[cut:])
        if not head or not _is_head(word[cut:], cut):
            continue
        modifier = _modifier(word[:cut])
        if modifier and (best is None or min(cut, len(word) - cut) > best[0]):
            best = (min(cut, len(word) - cut), modifier, head)
    if best is None:
        return ()
    found = [piece for part in best[1:] for piece in (parts(part) or (part,))]
    return tuple(dict.fromkeys(found))


def _may_be_noun(word: str) -> bool:
    entries = known(word, "de")
    return not entries or any(entry[0].isupper() for entry in entries)


def _noun(form: str) -> str:
    """The lemma of a noun in lower case; "" if the form is none."""
    if len(form) < 2:
        return ""
    return next((lower(lemma, "de") for lemma in known(form, "de") if lemma[0].isupper()), "")


def _is_head(head: str, cut: int) -> bool:
    if head in _LATE_HEADS:
        return cut >= 4
    return head not in _NO_HEADS and (len(head) >= 4 or (head in _SHORT and cut >= 3))


def _modifier(text: str) -> str:
    """The lemma of what stands before the head; "" if it is nothing that German compounds with."""
    if text in _PREFIXES or (len(text) < 3 and text not in _SHORT):
        return ""
    if (lemma := _noun(text)) and lemma not in _PREFIXES:
        return lemma
    for link in _LINKS:
        stem = text.removesuffix(link)
        if stem != text and len(stem) >= 3 and stem not in _PREFIXES and (lemma := _noun(stem)):
            return lemma
    if len(text) >= 4 and (lemma := _noun(text + "e")):  # Schul(e), Sprach(e)
        return lemma
    verb = next((text + end for end in ("en", "n") if text + end in known(text + end, "de")), "")
    if len(text) >= 4 and verb:
        return verb
    return text if len(text) >= 4 and text in known(text, "de") else ""
