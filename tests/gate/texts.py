"""Text that a page may hold, and ways in which it goes wrong."""

import random
import string

GOOD = {
    "tr": """İşveren, işçinin yıllık ücretli izin hakkını kullandırmak zorundadır. İzin süresi hizmet süresine göre belirlenir ve
bölünemez. Bir yıldan beş yıla kadar çalışan işçiye on dört günden az izin verilemez. Yıllık izin, tarafların anlaşması ile
bölümler halinde kullanılabilir. Sözleşmenin feshi halinde kullanılmayan izin ücreti işçiye ödenir.""",
    "de": """Die Kündigung eines Arbeitsverhältnisses bedarf zu ihrer Wirksamkeit der Schriftform. Der Arbeitgeber muss den
Betriebsrat vor jeder Kündigung hören und ihm die Gründe mitteilen. Eine ohne Anhörung ausgesprochene Kündigung ist unwirksam.
Für größere Störungen gelten die Bestimmungen über den Annahmeverzug. Überstunden werden im folgenden Monat vergütet.""",
    "en": """The employer shall give the employee a written statement of the particulars of employment. The statement must
contain the names of both parties and the date when the employment began. Any change shall be notified within one month.
Nothing in this clause limits the right of either party to terminate the contract without notice for good cause.""",
}
_SHUFFLED = random.Random(1).sample(string.ascii_lowercase, 26)
_FONT_MAP = str.maketrans(string.ascii_letters, "".join(_SHUFFLED) + "".join(_SHUFFLED).upper())

GARBAGE = {
    "wrong font map": lambda text: text.translate(_FONT_MAP),
    "glyph numbers": lambda text: "".join(f"(cid:{ord(char) - 29})" for char in text),
    "half glyph numbers": lambda text: text + "".join(f"(cid:{ord(char) - 29})" for char in text),
    "private characters": lambda text: "".join(
        chr(0xF000 + ord(char) % 256) if char.isalpha() else char for char in text
    ),
    "reversed": lambda text: text[::-1],
    "letters apart": " ".join,
    "no spaces": lambda text: text.replace(" ", "").replace("\n", ""),
}

UNUSUAL = {
    "a heading": "INHALTSVERZEICHNIS",
    "two words": "Anlage 3",
    "a price list": "\n".join(f"KZ-{n}\t{n * 37}.{n % 90 + 10}\t{n * 3},5 %" for n in range(60)),
    "a parts list": "Nr\tBezeichnung\tEinheit\tPreis\n" + "\n".join(f"{n}\tFlanschdichtung DN{n}\tStk\t{n},50" for n in range(40)),
    "names": "Hülya Öztürk\nJürgen Schäuble\nWilliam Nichols\nŞükrü Çağlayan\nBjörn Łukasz\nXhevdet Krasniqi\nWojciech Szczęsny",
    "code": "def advance(tables, previous, inputs):\n    main = previous.get(tables[0].name, {})\n    return {k: v for k, v in main.items()}\n" * 3,
    "a form": "☐ Ja ☐ Nein\nName: ______________\nDatum: ____.____.____\nUnterschrift ......................",
    "contents": "\n".join(f"{n}. Abschnitt {n} ........................ {n * 3}" for n in range(1, 30)),
    "addresses": "\n".join(f"hartco-flooring{n}.com\t{n}-Apr-2019\tsupport{n}@lifetimeluxury.com" for n in range(40)),
    "formulas": "E = m · c² ± 0.5 % → ∑ xᵢ ≤ √2 ≈ 1.414; α + β ≥ γ",
}  # fmt: skip
