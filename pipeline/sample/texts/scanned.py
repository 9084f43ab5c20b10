"""Letters and notices that exist only as scans, of three qualities; some lie sideways, one is blank, one is hopeless."""

from datetime import date

from pipeline.sample.document import Block, Document, Heading, Lang, Look, PageBreak, Para, Scan, ask

_WARRANTY = "scans/letters/garantieverlaengerung-1998.pdf"
_LEASE = "scans/letters/lease-unit-7.pdf"
_PERMIT = "scans/belgeler/çalışma-ruhsatı.pdf"
_BOILER = "scans/protokolle/kesselprüfung.tif"
_CRANE = "scans/belgeler/vinç-muayene.png"
_ACCIDENT = "scans/letters/accident-report-loading-bay.pdf"
_FAX = "scans/faxe/fax-spedition.pdf"
_THANKS = "scans/belgeler/teşekkür-mektubu.pdf"
_SIDEWAYS = "scans/protokolle/abnahme-halle-4.pdf"
_UPSIDE = "scans/letters/noise-survey.pdf"
_BLANK = "scans/leer/leerseite.pdf"
_HOPELESS = "scans/faxe/unleserlich.pdf"


def _scanned(
    path: str, lang: Lang, title: str, scan: Scan, issued: date | None, *texts: str | Block
) -> Document:
    blocks = tuple(Para(each) if isinstance(each, str) else each for each in texts)
    meta: dict[str, object] = {"doc_type": "letter"}
    if issued:
        meta["effective_date"] = issued
    return Document(path, lang, title, blocks, meta, look=Look(serif=True), scan=scan)


DOCUMENTS = (
    _scanned(
        _WARRANTY, "de", "Verlängerung der Garantie", Scan("clean"), date(1998, 9, 14),
        "Leipzig, den 14. September 1998",
        "Sehr geehrter Herr Professor Lindner,",
        "wir freuen uns, daß die Umwälzpumpen in Ihrem Gewächshaus seit sechs Jahren ohne Ausfall laufen. Als Dank verlängern wir die Garantie auf die Gehäuse um weitere vier Jahre.",
        "Die Verlängerung gilt für die Pumpen mit den Nummern 3071 bis 3076. Lager und Dichtungen sind davon ausgenommen, weil sie dem üblichen Verschleiß unterliegen.",
        "Bitte bewahren Sie dieses Schreiben zusammen mit der ursprünglichen Rechnung auf.",
        "Mit freundlichen Grüßen, Ernst Köhler, Leiter Kundendienst",
    ),
    _scanned(
        _LEASE, "en", "Lease of storage unit 7", Scan("clean"), date(2014, 4, 1),
        Heading("Terms", 2),
        "The landlord lets unit 7 of the Avonmouth trading estate to Poyraz Controls Ltd for fifteen years from 1 April 2014.",
        "The rent is 27,600 pounds a year, payable each quarter in advance. It is reviewed every fifth year and can only rise.",
        "The tenant may end the lease early after the tenth year by giving nine months' notice.",
        PageBreak(),
        Heading("Repairs", 2),
        "The roof and the outer walls are repaired by the landlord. The tenant paints the inside every seven years and keeps the drains clear.",
        "Flammable liquids must not be stored in the unit without the written consent of the fire officer.",
    ),
    _scanned(
        _PERMIT, "tr", "İşyeri Açma ve Çalışma Ruhsatı", Scan("clean"), date(2011, 7, 22),
        "Belge no: 2011/4487",
        "Yukarıda adı geçen işyerinin döküm ve talaşlı imalat alanında ikinci sınıf gayrisıhhi müessese olarak çalışmasında sakınca görülmemiştir.",
        "Ruhsat, kurulu motor gücü 940 kilovat ve 415 çalışan için geçerlidir. Motor gücü yüzde on artarsa ruhsat yenilenir.",
        "Gece çalışması saat 22.00 ile 06.00 arasında yalnızca kapalı alanda yapılır.",
    ),
    _scanned(
        _BOILER, "de", "Protokoll der Kesselprüfung", Scan("medium"), date(2017, 11, 8),
        "Geprüft wurde der Dampfkessel Nr. 5 im Heizhaus, Baujahr 2003, durch den Sachverständigen Horst Grabow.",
        "Das Sicherheitsventil öffnete bei 11,5 bar und schloß bei 10,4 bar. Die Wanddicke am Boden betrug 8,2 Millimeter.",
        "Der Kessel darf bis November 2022 betrieben werden. Die Speisewasserpumpe ist zu überholen.",
    ),
    _scanned(
        _CRANE, "tr", "Vinç Muayene Raporu", Scan("medium"), date(2018, 5, 3),
        "Muayene edilen araç: 12,5 ton kapasiteli köprülü vinç, imal yılı 2006, ikinci hol.",
        "Deneme yükü 15.600 kilogram olarak uygulanmış, köprüde kalıcı eğilme görülmemiştir.",
        "Çelik halatta on iki telin kırık olduğu saptanmış, halatın otuz gün içinde değiştirilmesi istenmiştir.",
        "Muayeneyi yapan: Makine Mühendisi Tülay Ersoy.",
    ),
    _scanned(
        _ACCIDENT, "en", "Accident report: loading bay", Scan("medium"), date(2016, 2, 19),
        "On Friday morning at ten to seven a driver slipped on ice in loading bay 3 and broke his left wrist.",
        "The bay had been gritted at five, but rain washed the grit away. The drain in front of the gate was blocked by leaves.",
        "Measures: the drain is cleaned every week from October to March, and a heated mat of six metres is laid before the gate.",
    ),
    _scanned(
        _FAX, "de", "Telefax der Spedition", Scan("poor"), date(2009, 12, 3),
        "Die Ladung für Rotterdam wird wegen Glatteis erst am Montag um 14 Uhr abgeholt.",
        "Bitte halten Sie neun Paletten und die Zollpapiere bereit. Der Fahrer heißt Willem de Groot.",
    ),
    _scanned(
        _THANKS, "tr", "Teşekkür mektubu", Scan("poor"), date(2012, 10, 25),
        "Belediyemizin su arıtma tesisine bağışladığınız iki dalgıç pompa için teşekkür ederiz.",
        "Pompalar sayesinde köylerimize günde 900 metreküp temiz su verilmektedir.",
    ),
    _scanned(
        _SIDEWAYS, "de", "Abnahmeprotokoll Halle 4", Scan("medium", quarter_turns=1), date(2020, 9, 30),
        "Die Halle wurde am 30. September gemeinsam mit dem Architekten Benno Falk begangen.",
        "Der Estrich zeigt im Bereich der Achse C drei Risse, die bis zum 20. Oktober zu verpressen sind. Die Tore schließen dicht.",
        "Einbehalten werden 18.400 Euro bis zur Beseitigung aller Mängel.",
    ),
    _scanned(
        _UPSIDE, "en", "Noise survey of the test bench", Scan("clean", quarter_turns=2), date(2021, 6, 11),
        "The level at the operator's desk was 79 decibels with one pump running and 83 decibels with three.",
        "A curtain of rubber strips between bench and desk is expected to bring the level down by six decibels.",
        "The survey was carried out by Imogen Tate with a calibrated meter of class one.",
    ),
    _scanned(_BLANK, "de", "", Scan("medium"), None),
    _scanned(
        _HOPELESS, "de", "Lieferschein", Scan("hopeless"), None,
        "Vierzehn Kisten Armaturen wurden in beschädigtem Zustand angenommen, siehe Vermerk des Lagermeisters.",
        "Die Nachlieferung ist für die kommende Woche zugesagt.",
    ),
)  # fmt: skip

QUESTIONS = (
    ask("de", "scan", "Für welche Pumpen hat Professor Lindner eine längere Garantie bekommen?", _WARRANTY, "mit den Nummern 3071 bis 3076", weight=2),
    ask("en", "scan", "By how many years was the warranty of the greenhouse pumps in Leipzig extended?", _WARRANTY, "um weitere vier Jahre"),
    ask("en", "scan", "What rent do we pay for the storage unit in Avonmouth?", _LEASE, "27,600 pounds a year", weight=2),
    ask("en", "scan", "Who has to fix the roof of unit 7?", _LEASE, "are repaired by the landlord"),
    ask("tr", "scan", "Avonmouth'taki depoda yanıcı sıvı bulundurabilir miyiz?", _LEASE, "must not be stored in the unit"),
    ask("tr", "scan", "Çalışma ruhsatımız kaç kilovat motor gücü için geçerli?", _PERMIT, "motor gücü 940 kilovat", weight=2),
    ask("de", "scan", "Zu welchen Uhrzeiten ist Nachtarbeit in Izmir nach der Betriebserlaubnis nur drinnen gestattet?", _PERMIT, "saat 22.00 ile 06.00"),
    ask("de", "scan", "Bei welchem Druck hat das Sicherheitsventil des Dampfkessels geöffnet?", _BOILER, "11,5 bar", weight=2),
    ask("tr", "scan", "Vinç muayenesinde hangi deneme yükü kullanıldı?", _CRANE, "15.600 kilogram", weight=2),
    ask("en", "scan", "Why was loading bay 3 slippery although it had been gritted?", _ACCIDENT, "rain washed the grit away"),
    ask("en", "scan", "How often is the drain at the loading bay cleaned in winter?", _ACCIDENT, "cleaned every week from October to March"),
    ask("de", "scan", "Wann holt die Spedition die Ladung für Rotterdam ab?", _FAX, "erst am Montag um 14"),
    ask("tr", "scan", "Belediyeye verdiğimiz pompalar günde ne kadar su sağlıyor?", _THANKS, "900 metreküp temiz su"),
    ask("de", "scan", "Wie viel Geld behalten wir bis zur Mängelbeseitigung in Halle 4 ein?", _SIDEWAYS, "18.400 Euro", weight=2),
    ask("en", "scan", "How loud is it at the operator's desk with a single pump?", _UPSIDE, "79 decibels with one pump", weight=2),
)  # fmt: skip
