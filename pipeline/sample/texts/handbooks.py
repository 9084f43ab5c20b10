"""Printed matter: a manual with hyphenated lines and footnotes, a safety handbook with figures, a two-column bulletin."""

from datetime import date

from pipeline.sample.document import (
    SOFT_HYPHEN,
    Block,
    Document,
    Figure,
    Footnote,
    Grid,
    Heading,
    Items,
    Look,
    PageBreak,
    Para,
    ask,
)

_MANUAL = "policies/technik/betriebshandbuch-kp200.pdf"
_SAFETY = "policies/isg/iş-sağlığı-güvenliği-el-kitabı.pdf"
_BULLETIN = "policies/bulletins/bulletin-14-dry-running.pdf"

# Where a German typesetter may break these words; a narrow column then has hyphenated line ends.
_BREAKS = (
    "Gleit|ring|dich|tung", "Kreisel|pumpe", "Förder|medi|um", "Inbetrieb|nahme", "Saug|leitung", "Druck|leitung",
    "Ent|lüftungs|schraube", "Wartungs|plan", "Kupplungs|versatz", "Schwingungs|messung", "Betriebs|stunden",
    "Dreh|richtung", "Fach|personal", "Motor|schutz|schalter", "Anlauf|verriegelung", "Trocken|lauf",
    "Absperr|armatur", "Lager|temperatur", "Schmier|stoff", "Ersatz|teil|haltung", "Gewähr|leistung",
    "Nenn|dreh|zahl", "Werkstoff|prüf|zeugnis", "Mindest|förder|menge", "Haltedruck|höhe", "Messuhr|halter",
)  # fmt: skip


def _breakable(text: str) -> str:
    """The text with soft hyphens inside the long technical words."""
    for word in _BREAKS:
        text = text.replace(word.replace("|", ""), word.replace("|", SOFT_HYPHEN))
    return text


_MANUAL_BLOCKS: tuple[Block, ...] = (
    Heading("1 Sicherheit"),
    Para(_breakable("Arbeiten an der Kreiselpumpe führt nur Fachpersonal aus. Vor jedem Eingriff ist der Motorschutzschalter auszuschalten und gegen Wiedereinschalten zu sichern; die Anlaufverriegelung allein genügt nicht.")),
    Para(_breakable("Das Fördermedium kann heiß oder ätzend sein. Die Absperrarmatur auf beiden Seiten wird geschlossen, danach wird das Gehäuse über die Entlüftungsschraube drucklos gemacht."), mark="1"),
    Heading("2 Aufstellung"),
    Para(_breakable("Die Saugleitung wird steigend zur Pumpe verlegt, damit sich keine Luftsäcke bilden. Ihr Durchmesser ist eine Nennweite größer als der Saugstutzen. Der Kupplungsversatz darf höchstens 0,05 Millimeter betragen und wird mit einer Messuhr auf dem Messuhrhalter geprüft.")),
    Para(_breakable("Die vorhandene Haltedruckhöhe muss die der Kennlinie um mindestens einen halben Meter übersteigen, sonst droht Kavitation.")),
    Footnote("1", "Bei Medien über 60 Grad Celsius ist eine Abkühlzeit von zwei Stunden einzuhalten."),
    PageBreak(),
    Heading("3 Inbetriebnahme"),
    Para(_breakable("Vor der Inbetriebnahme wird die Pumpe gefüllt und entlüftet. Die Drehrichtung wird durch kurzes Einschalten kontrolliert; sie stimmt mit dem Pfeil auf dem Gehäuse überein. Trockenlauf zerstört die Gleitringdichtung in weniger als einer Minute."), mark="2"),
    Para(_breakable("Die Mindestfördermenge beträgt ein Viertel der Nennmenge. Wird sie länger als zehn Minuten unterschritten, erwärmt sich das Fördermedium unzulässig.")),
    Heading("4 Wartung"),
    Para(_breakable("Der Wartungsplan sieht alle 4.000 Betriebsstunden einen Wechsel des Schmierstoffs und einmal im Jahr eine Schwingungsmessung vor. Überschreitet die Lagertemperatur 85 Grad, ist die Pumpe abzustellen.")),
    Grid(
        rows=(
            ("Störung", "Ursache", "Abhilfe"),
            ("Pumpe fördert nicht", "Luft in der Leitung", "erneut entlüften"),
            ("Dichtung tropft", "Fläche verschlissen", "Dichtsatz DS-7 einbauen"),
            ("Lager zu heiß", "zu viel Fett", "Überschuss entfernen"),
            ("Motor schaltet ab", "Strom über Nennwert", "Drehzahl senken"),
        ),
        caption="Tabelle 1: Störungen und ihre Behebung",
    ),
    Footnote("2", "Schäden durch Trockenlauf sind von der Garantie ausgeschlossen."),
    PageBreak(),
    Heading("5 Ersatzteile"),
    Para(_breakable("Für die Ersatzteilhaltung empfehlen wir je fünf Pumpen einen Dichtsatz, zwei Lager und ein Laufrad. Auf Bestellung liefern wir ein Werkstoffprüfzeugnis mit.")),
    Figure("pump", "Abbildung 1: Schnitt durch die Pumpe KP-200 mit Laufrad (1), Dichtung (2) und Lagerbock (3)"),
    Heading("6 Gewährleistung"),
    Para(_breakable("Die Gewährleistung beträgt 24 Monate ab Lieferung und setzt voraus, dass das Wartungsbuch lückenlos geführt wurde.")),
)  # fmt: skip

_SAFETY_BLOCKS: tuple[Block, ...] = (
    Heading("1. Genel kurallar"),
    Para("Üretim alanına baret, koruyucu gözlük ve çelik burunlu ayakkabı olmadan girilmez. Ziyaretçilere güvenlik girişinde geçici donanım verilir ve ziyaret boyunca bir refakatçi eşlik eder."),
    Para("Gürültü düzeyinin 85 desibeli aştığı bölümlerde kulak koruyucu takmak zorunludur; dökümhane ve kumlama kabini bu bölümlerdendir.", mark="1"),
    Items(("Yürüyüş yollarının dışına çıkmayın.", "Asılı yükün altından geçmeyin.", "Forklift sürücüsüyle göz teması kurmadan yola adım atmayın.")),
    Footnote("1", "Kulak koruyucular altı ayda bir revir deposundan yenilenir."),
    PageBreak(),
    Heading("2. Acil durumlar"),
    Para("Yangın görüldüğünde en yakın ihbar düğmesine basılır ve dahili 4112 aranır. Söndürme eğitimi almamış kişiler yangına müdahale etmez, toplanma noktasına gider."),
    Para("Toplanma noktası A, kuzey otoparkının bayrak direği yanıdır; B noktası ise lojistik kapısının karşısındaki çim alandır. Ekip liderleri on dakika içinde yoklama alır."),
    Figure("evacuation", "Şekil 1: Tahliye planı, toplanma noktaları A ve B"),
    PageBreak(),
    Heading("3. Kimyasallar"),
    Para("Çözücüler ancak havalandırmalı dolapta ve en çok iki litrelik kaplarda bulundurulur. Göze sıçrama olursa göz duşunda on beş dakika yıkanır ve işyeri hekimi çağrılır."),
    Heading("4. Kaza bildirimi"),
    Para("Ramak kala olaylar da dahil her olay aynı vardiya içinde kırmızı formla bildirilir. Bildirimde bulunan kişi hakkında disiplin işlemi yapılmaz.", mark="2"),
    Grid(
        rows=(
            ("Bölüm", "Sorumlu", "Dahili", "İlk yardım dolabı"),
            ("Dökümhane", "Hakan Yıldız", "4120", "Kapı 3 yanı"),
            ("Talaşlı imalat", "Gülşen Ağaoğlu", "4135", "Torna hattı sonu"),
            ("Boyahane", "İsmail Çınar", "4148", "Fırın girişi"),
            ("Sevkiyat", "Şükran Öz", "4163", "Rampa 2"),
        ),
        caption="Tablo 1: Bölüm sorumluları",
    ),
    Footnote("2", "Kırmızı form her bölümün panosunda ve portalda bulunur."),
)  # fmt: skip

_BULLETIN_BLOCKS: tuple[Block, ...] = (
    Heading("What happened"),
    Para("Between March and May, four customers returned KP-200 pumps with cracked seal faces. In each case the pump had been started against a closed suction valve and had run without liquid for between forty seconds and three minutes. The seal faces, which rely on a film of liquid a few thousandths of a millimetre thick, had overheated and shattered."),
    Para("None of the pumps showed a defect in material or assembly. All four had been delivered without the optional level switch, and at two sites the switch had been ordered but not wired."),
    Heading("How the new guard works"),
    Para("The dry-running guard PG-3 measures the power drawn by the motor forty times a second. An empty pump draws about a third less than a full one. When the power stays below the taught value for six seconds the guard opens the contactor and lights a red lamp. It has to be acknowledged by hand; it never restarts the pump by itself."),
    Para("Teaching takes a minute: run the pump at its normal duty point, hold the button until the lamp turns green, and close the cover. The value survives a power cut. If the impeller is trimmed or the liquid changes, the guard must be taught again."),
    Heading("What to tell customers"),
    Para("Pumps delivered before June can be fitted with the guard in about half an hour. The kit costs 185 pounds and is free of charge for customers with a full service contract. Claims for seals destroyed by dry running are not covered by the warranty, but we grant a one-time discount of forty per cent on a replacement seal when a guard is ordered with it."),
    Heading("Field results"),
    Para("Sixty guards have been running since January, most of them in breweries and paper mills. In five months they tripped twenty-three times. Nineteen trips were real: an empty tank, a closed valve, a hose that had come off. The other four were caused by teaching at too high a flow and went away after the value had been taught again."),
    Para("No seal failed in the monitored pumps during this time. In the two years before, the same pumps had used up fourteen seals, each of which meant half a day of standstill. One brewery has since asked for the guard on all of its forty-two pumps."),
    Heading("Limits"),
    Para("The guard does not protect against a blocked discharge line, because a pump that runs against a closed valve draws more power only at first. For this case the temperature probe TP-9 is still needed. Variable-speed drives are supported from firmware 2.4."),
    Heading("Who to ask"),
    Para("Questions go to Owen Pritchard in application engineering, who keeps two demonstration units for loan. A training video of nine minutes is on the service portal."),
)  # fmt: skip

DOCUMENTS = (
    Document(_MANUAL, "de", "Betriebshandbuch Kreiselpumpe KP-200", _MANUAL_BLOCKS, {"external_id": "MAN-KP200", "doc_type": "manual", "version_label": "4"}, look=Look(header="Poyraz Maschinenbau GmbH · Betriebshandbuch KP-200", footer="Ausgabe 4", serif=True)),
    Document(_SAFETY, "tr", "İş Sağlığı ve Güvenliği El Kitabı", _SAFETY_BLOCKS, {"doc_type": "manual", "effective_date": date(2025, 1, 15)}, look=Look(header="Poyraz Makine A.Ş. · İSG El Kitabı", footer="İç kullanım", logo=True)),
    Document(_BULLETIN, "en", "Technical Bulletin 14: Dry Running", _BULLETIN_BLOCKS, {"doc_type": "bulletin", "effective_date": date(2025, 6, 20)}, look=Look(header="Poyraz Controls Ltd · Technical Bulletin", columns=2, serif=True)),
)  # fmt: skip

QUESTIONS = (
    ask("de", "fact", "Wie genau müssen Motor- und Pumpenwelle zueinander ausgerichtet sein?", _MANUAL, "höchstens 0,05 Millimeter betragen", weight=2),
    ask("de", "fact", "Was passiert, wenn die KP-200 ohne Flüssigkeit läuft?", _MANUAL, "zerstört die Gleitringdichtung in weniger als einer Minute"),
    ask("de", "fact", "Nach wie vielen Stunden muss das Fett der KP-200 gewechselt werden?", _MANUAL, "alle 4.000 Betriebsstunden einen Wechsel des Schmierstoffs"),
    ask("de", "footnote", "Wie lange soll eine Pumpe mit heißem Medium abkühlen, bevor man sie öffnet?", _MANUAL, "ist eine Abkühlzeit von zwei Stunden einzuhalten"),
    ask("de", "table", "Welches Teil baue ich ein, wenn die Dichtung der KP-200 tropft?", _MANUAL, "Dichtsatz DS-7 einbauen", weight=2),
    ask("en", "cross_lingual", "How long is the warranty on the KP-200 pump and what is the condition?", _MANUAL, "beträgt 24 Monate ab Lieferung"),
    ask("tr", "cross_lingual", "KP-200 pompasında yatak sıcaklığı kaç dereceyi geçerse pompa durdurulmalı?", _MANUAL, "85 Grad, ist die Pumpe abzustellen"),
    ask("de", "figure", "Auf welchem Bild sieht man das Laufrad und den Lagerbock?", _MANUAL, "Schnitt durch die Pumpe KP-200 mit Laufrad"),
    ask("tr", "fact", "Yangın çıkarsa hangi numarayı arayacağım?", _SAFETY, "düğmesine basılır ve dahili 4112 aranır", weight=2),
    ask("tr", "fact", "Fabrikada nerelerde kulaklık takmak gerekiyor?", _SAFETY, "85 desibeli aştığı bölümlerde kulak koruyucu takmak zorunludur"),
    ask("en", "cross_lingual", "Somebody got solvent in their eye at the Izmir plant. How long should it be rinsed?", _SAFETY, "göz duşunda on beş dakika yıkanır"),
    ask("tr", "table", "Boyahanenin güvenlik sorumlusu kim?", _SAFETY, "İsmail Çınar", weight=2),
    ask("de", "cross_lingual", "Wo ist in Izmir der Sammelpunkt A bei einer Räumung?", _SAFETY, "kuzey otoparkının bayrak direği yanıdır"),
    ask("tr", "footnote", "Kulak koruyucular ne sıklıkla değiştiriliyor?", _SAFETY, "altı ayda bir revir deposundan yenilenir"),
    ask("en", "fact", "After how long does the PG-3 switch off an empty pump?", _BULLETIN, "stays below the taught value for six seconds", weight=2),
    ask("en", "fact", "What does the retrofit kit against running dry cost?", _BULLETIN, "The kit costs 185 pounds"),
    ask("de", "cross_lingual", "Schützt das neue Wächtermodul auch bei verstopfter Druckleitung?", _BULLETIN, "The guard does not protect against a blocked discharge line"),
    ask("en", "fact", "Who lends out demo units of the pump guard?", _BULLETIN, "Owen Pritchard in application engineering"),
)  # fmt: skip
