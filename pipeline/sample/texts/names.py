"""Invented names that contracts, memos and messages are filled with."""

from pipeline.sample.document import Lang

CLIENTS: dict[Lang, tuple[tuple[str, str], ...]] = {
    "tr": (("Gediz", "Tekstil A.Ş."), ("Çamlıca", "Gıda Sanayi"), ("Ilgaz", "Kâğıt A.Ş."), ("Söğüt", "Seramik"), ("Ağrı", "Un Fabrikası"), ("Körfez", "Tersanesi"), ("Şirince", "Şarapçılık"), ("Tuzla", "Kimya A.Ş."), ("Ödemiş", "Süt Ürünleri"), ("İncirli", "Boya Sanayi")),
    "de": (("Saale", "Papierwerke AG"), ("Müritz", "Molkerei GmbH"), ("Elster", "Chemie AG"), ("Weiß", "Brauerei KG"), ("Harzer", "Mineralbrunnen GmbH"), ("Oder", "Zuckerfabrik AG"), ("Grünau", "Klärwerk GmbH"), ("Börde", "Stärke AG"), ("Spree", "Textilveredelung GmbH"), ("Föhr", "Werft GmbH")),
    "en": (("Avon", "Paper Mills plc"), ("Mendip", "Quarries Ltd"), ("Severn", "Breweries Ltd"), ("Exmoor", "Dairies Ltd"), ("Cotswold", "Ceramics Ltd"), ("Wye", "Water plc"), ("Tamar", "Shipyard Ltd"), ("Quantock", "Foods Ltd"), ("Brecon", "Chemicals plc"), ("Solent", "Salt Works Ltd")),
}  # fmt: skip

TOWNS: dict[Lang, tuple[str, ...]] = {
    "tr": ("Manisa", "Aydın", "Kütahya", "Eskişehir", "Balıkesir", "Uşak", "Denizli", "Muğla", "Çanakkale", "Afyonkarahisar"),
    "de": ("Halle", "Dessau", "Görlitz", "Nordhausen", "Köthen", "Lübbenau", "Suhl", "Zwickau", "Greifswald", "Wurzen"),
    "en": ("Bath", "Gloucester", "Taunton", "Cardiff", "Swindon", "Exeter", "Newport", "Hereford", "Truro", "Poole"),
}  # fmt: skip

PEOPLE: dict[Lang, tuple[str, ...]] = {
    "tr": ("Zeynep Aydın", "Ömer Karataş", "Figen Şahin", "Uğur Çetin", "İpek Güneş", "Rıza Doğan", "Sibel Işık", "Tarık Özkan", "Nuray Ekşi", "Volkan Yücel", "Hülya Bağcı", "Kerem Sağlam"),
    "de": ("Sabine Köhler", "Jörg Weißmann", "Ute Schröder", "Lars Böttcher", "Anke Müller", "Dirk Strauß", "Renate Fröhlich", "Holger Jäger", "Silke Großmann", "Uwe Krämer", "Bärbel Lüders", "Götz Hübner"),
    "en": ("Helen Marsh", "Peter Lowe", "Fiona Grant", "Simon Clarke", "Ruth Ellis", "David Price", "Joan Barlow", "Mark Hayes", "Clare Dunn", "Neil Foster", "Susan Cole", "Ian Webb"),
}  # fmt: skip

MONTHS: dict[Lang, tuple[str, ...]] = {
    "tr": ("Ocak", "Şubat", "Mart", "Nisan", "Mayıs", "Haziran", "Temmuz", "Ağustos", "Eylül", "Ekim", "Kasım", "Aralık"),
    "de": ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"),
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"),
}  # fmt: skip
