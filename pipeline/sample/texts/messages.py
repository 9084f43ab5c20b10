"""Chat transcripts and mails."""

from datetime import date

from pipeline.sample.document import Document, Para, Raw, ask

_FIELD = "chats/saha-destek/2026-02-11-aliaga-pompa.txt"
_IT = "chats/it-leipzig/2026-03-04-umzug-server.txt"
_LAUNCH = "chats/launch/2026-04-21-pg3-launch.txt"
_RECRUIT = "chats/ik/2026-05-06-aday-görüşmesi.txt"
_SUPPLIER = "chats/mail/supplier-delay-castings.eml"
_CALIBRATION = "chats/mail/kalibrasyon-takvimi.eml"

_FIELD_TEXT = """[09:14] Ayşe: Günaydın, Aliağa'daki müşteri aradı, 3 numaralı pompa titriyormuş.
[09:15] Murat: Hangi model?
[09:15] Ayşe: KP-200, seri numarası 88-1907. Geçen ay devreye aldık.
[09:17] Murat: Emiş tarafındaki süzgeci kontrol etsinler, büyük ihtimalle tıkalıdır.
[09:31] Ayşe: Baktılar, süzgeç temiz.
[09:33] Murat: O zaman ankraj cıvatalarına baksınlar, tork 120 Nm olmalı.
[09:58] Ayşe: Bulduk: arka ayaktaki iki cıvata gevşekmiş, sıkınca titreşim 2,1 mm/s'ye düştü.
[10:02] Murat: Güzel. Devreye alma formuna tork kontrolünü ekleyelim, bir daha olmasın.
[10:05] Ayşe: Formu ben güncelliyorum. Müşteri cuma günü tekrar ölçüm yapacak.
[10:06] Murat: Sonucu buraya yazarsın, gerekirse perşembeden Deniz'i gönderirim.
[14:40] Ayşe: Bir de yedek süzgeç istiyorlar, stokta kaç tane var?
[14:44] Selin: Depoda yedi tane kaldı, yenileri 3 Mart'ta geliyor.
"""
_IT_TEXT = """[07:52] Jürgen: Moin, der Umzug des Dateiservers startet am Samstag um 6 Uhr.
[07:55] Heike: Wie lange ist er weg?
[07:56] Jürgen: Geplant sind neun Stunden, Puffer bis Sonntagmittag.
[08:03] Tobias: Und das CAD-Archiv? Die Nachtschicht braucht die Zeichnungen.
[08:05] Jürgen: Das Archiv bleibt lesend erreichbar, schreiben geht erst wieder ab Montag 5 Uhr.
[08:11] Heike: Müssen wir die Laufwerke neu verbinden?
[08:12] Jürgen: Nein, der Name bleibt. Nur Laufwerk Q wird zu Laufwerk R.
[08:20] Tobias: Wen rufe ich an, wenn am Samstag was klemmt?
[08:21] Jürgen: Bereitschaft hat Frau Grünwald, Durchwahl 377.
[08:24] Heike: Dann hänge ich einen Zettel an die Werkstatttür.
"""
_LAUNCH_TEXT = """[13:02] Priya: Quick sync on the PG-3 launch. Where are we with the data sheet?
[13:03] Owen: Final proof is with the printer, 400 copies.
[13:04] Marta: The web shop page is ready but the German text is missing.
[13:06] Priya: Who translates?
[13:07] Marta: Heike in Leipzig, she promised it for Wednesday.
[13:10] Owen: Certification: the lab wants one more surge test. That moves the release to 18 May.
[13:12] Priya: So we are no longer shipping on the 4th?
[13:12] Owen: No. I'd rather be two weeks late than recall units.
[13:15] Marta: I'll tell the distributors today. Do we keep the introductory price?
[13:17] Priya: Yes, 10 percent off until the end of August.
[13:20] Owen: One more thing: the demo units must go back to stores before stocktaking.
"""
_RECRUIT_TEXT = """[11:20] Nesrin: Satın alma uzmanı adaylarını konuşalım. İlk aday Baran Tekin.
[11:22] Cem: Teknik bilgisi iyi ama ücret beklentisi 96.000 TL, bandın üstünde.
[11:24] Nesrin: Referansları nasıl?
[11:25] Cem: Eski müdürü çok övdü, yalnız ihbar süresi sekiz hafta.
[11:29] Nesrin: İkinci aday Elif Sönmez, haziran başında başlayabilir.
[11:31] Cem: Bence teklifi Elif'e yapalım, Baran yedekte kalsın.
[11:33] Nesrin: Tamam, teklif mektubunu bugün hazırlıyorum.
"""

DOCUMENTS = (
    Document(_FIELD, "tr", "Saha destek: Aliağa pompa", (Raw(_FIELD_TEXT),), {"doc_type": "chat", "effective_date": date(2026, 2, 11)}),
    Document(_IT, "de", "Umzug des Dateiservers", (Raw(_IT_TEXT),), {"doc_type": "chat", "effective_date": date(2026, 3, 4)}),
    Document(_LAUNCH, "en", "PG-3 launch", (Raw(_LAUNCH_TEXT),), {"doc_type": "chat", "effective_date": date(2026, 4, 21)}),
    Document(_RECRUIT, "tr", "Aday görüşmesi", (Raw(_RECRUIT_TEXT),), {"doc_type": "chat", "acl_groups": ["hr"]}),
    Document(
        _SUPPLIER,
        "en",
        "Delay of the May castings",
        (
            Para("From: Gareth Hughes <g.hughes@brackenfoundry.example>"),
            Para("Dear Ms Nair,"),
            Para("I am sorry to tell you that the volute castings of purchase order 4500-7731 will leave our foundry eleven working days late. The pattern cracked during the second pour and a new one has to be milled."),
            Para("We will send the first twenty pieces by courier at our own expense so that your assembly line does not stop. The remaining sixty follow by lorry in the week after."),
            Para("Kind regards, Gareth Hughes, Bracken Foundry"),
        ),
        {"doc_type": "email", "effective_date": date(2026, 5, 12)},
    ),
    Document(
        _CALIBRATION,
        "tr",
        "Kalibrasyon takvimi",
        (
            Para("From: Gülşen Ağaoğlu <gulsen.agaoglu@poyraz.example>"),
            Para("Merhaba arkadaşlar,"),
            Para("Basınç sensörlerinin kalibrasyonu bu yıl 9 ile 13 Haziran arasında yapılacak. Kumpas ve mikrometreleri en geç 5 Haziran cuma günü ölçüm odasına teslim edin."),
            Para("Etiketi eksik olan cihazlar üretimde kullanılamaz; kayıp etiket için Onur'a başvurun, yenisini aynı gün basıyor."),
            Para("Teşekkürler, Gülşen"),
        ),
        {"doc_type": "email", "effective_date": date(2026, 5, 20)},
    ),
)  # fmt: skip

FORBIDDEN = ((_RECRUIT, "ücret beklentisi 96.000 TL"),)

QUESTIONS = (
    ask("tr", "chat", "Aliağa'daki pompanın titremesinin sebebi neydi?", _FIELD, "arka ayaktaki iki cıvata gevşekmiş", weight=2),
    ask("tr", "chat", "Ankraj cıvataları kaç Nm'ye sıkılmalı?", _FIELD, "tork 120 Nm olmalı"),
    ask("en", "chat", "How many spare strainers did the Izmir warehouse have left in February?", _FIELD, "Depoda yedi tane kaldı"),
    ask("de", "chat", "Wer hat beim Serverumzug am Wochenende Bereitschaft?", _IT, "Bereitschaft hat Frau Grünwald, Durchwahl 377", weight=2),
    ask("de", "chat", "Welches Netzlaufwerk bekommt nach dem Umzug einen neuen Buchstaben?", _IT, "Nur Laufwerk Q wird zu Laufwerk R"),
    ask("tr", "chat", "Leipzig'de CAD arşivine sunucu taşındıktan sonra ne zaman yeniden yazılabilecek?", _IT, "schreiben geht erst wieder ab Montag 5 Uhr"),
    ask("en", "chat", "Why was the PG-3 release pushed back, and to when?", _LAUNCH, "the lab wants one more surge test. That moves the release to 18 May", weight=2),
    ask("de", "chat", "Welchen Einführungsrabatt gibt es auf den PG-3 und bis wann?", _LAUNCH, "10 percent off until the end of August"),
    ask("tr", "access", "Satın alma uzmanlığı için teklifi hangi adaya yapmaya karar verdik?", _RECRUIT, "Bence teklifi Elif'e yapalım", groups=("hr",), weight=2),
    ask("en", "fact", "How late will the castings from Bracken be?", _SUPPLIER, "will leave our foundry eleven working days late"),
    ask("de", "cross_lingual", "Warum verspäten sich die Gussteile der Bestellung 4500-7731?", _SUPPLIER, "The pattern cracked during the second pour"),
    ask("tr", "fact", "Mikrometremi kalibrasyona ne zamana kadar teslim etmeliyim?", _CALIBRATION, "en geç 5 Haziran cuma günü ölçüm odasına teslim edin"),
)  # fmt: skip
