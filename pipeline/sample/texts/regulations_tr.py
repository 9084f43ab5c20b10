"""Turkish regulations: annual leave, business travel."""

from datetime import date

from pipeline.sample.regulations import Regulation, ask_regulation

LEAVE_MEMO = "memos/genelge-izin-planı.docx"
OLD_LEAVE_MEMO = "memos/2023-izin-duyurusu.md"

LEAVE = Regulation(
    code="REG-TR-01",
    slug="yillik-izin-yonetmeligi",
    lang="tr",
    title="Yıllık İzin Yönetmeliği",
    suffix=".pdf",
    values={
        "short": ("14", "15", "16"),
        "middle": ("20", "21", "22"),
        "senior": ("26", "27", "28"),
        "block": ("10", "8", "6"),
        "apply": ("10", "15", "20"),
        "decide": ("yedi", "beş", "üç"),
        "carry": ("5", "8", "10"),
        "until": ("31 Mart", "30 Nisan", "30 Haziran"),
        "wedding": ("üç", "dört", "beş"),
        "father": ("beş", "yedi", "on"),
        "travel": ("iki", "üç", "dört"),
        "notice": ("2019/03", "2023/01", "2026/01"),
    },
    articles=(
        (
            "Amaç ve kapsam",
            "(1) Bu yönetmelik, İzmir tesisinde iş sözleşmesiyle çalışan herkesin yıllık ücretli izinlerinin nasıl planlanacağını, onaylanacağını ve kullanılacağını düzenler.",
            "(2) Stajyerler ve altı aydan kısa süreli belirli iş sözleşmesiyle çalışanlar bu yönetmeliğin dışındadır; onların izinleri sözleşmelerinde ayrıca gösterilir.",
        ),
        (
            "Tanımlar",
            "(1) İzin yılı, çalışanın işe başladığı günün yıl dönümünde başlayan ve on iki ay süren dönemdir.",
            "(2) İzin kurulu, insan kaynakları müdürü ile iki çalışan temsilcisinden oluşan ve izin çakışmalarını karara bağlayan kuruldur.",
        ),
        (
            "İzne hak kazanma",
            "(1) Deneme süresi de içinde olmak üzere en az bir yıl çalışmış olan kişi yıllık izne hak kazanır.",
            "(2) Doğum izni, iş kazası nedeniyle çalışılamayan günler ve işverenin verdiği eğitimler çalışılmış gibi sayılır.",
        ),
        (
            "İzin süreleri",
            "(1) Hizmeti beş yıldan az olan çalışana yılda {short} iş günü izin verilir.",
            "(2) Hizmeti beş yıl ile on beş yıl arasında olan çalışanın izni {middle} iş günüdür.",
            "(3) On beş yılını dolduran çalışan yılda {senior} iş günü izin kullanır.",
            "(4) On sekiz yaşından küçük ve elli yaşından büyük çalışanların izni hiçbir durumda yirmi iş gününden az olamaz.",
        ),
        (
            "İznin bölünmesi",
            "(1) İzin, tarafların anlaşmasıyla bölümlere ayrılabilir; bölümlerden en az biri {block} iş gününden kısa olamaz.",
            "(2) Yarım günlük izin yalnızca devreden günlerden kullanılabilir.",
        ),
        (
            "Başvuru ve onay",
            "(1) Çalışan, izin isteğini başlangıç tarihinden en az {apply} iş günü önce personel portalından iletir.",
            "(2) Birim yöneticisi isteği {decide} iş günü içinde yanıtlar; süresinde yanıtlanmayan istek onaylanmış sayılır.",
            "(3) Aynı döneme birden çok istek gelirse okul çağında çocuğu olanlara öncelik tanınır, uyuşmazlığı izin kurulu çözer.",
        ),
        (
            "Devreden izin",
            "(1) Kullanılmayan iznin en çok {carry} iş günü bir sonraki yıla devreder.",
            "(2) Devreden günler {until} tarihine kadar kullanılmazsa insan kaynakları çalışanla birlikte bir kullanım planı yapar.",
        ),
        (
            "Mazeret izinleri",
            "(1) Evlenen çalışana {wedding} gün, eşi doğum yapan çalışana {father} gün ücretli mazeret izni verilir.",
            "(2) Anne, baba, eş, kardeş veya çocuğun vefatında üç gün ücretli izin kullanılır.",
            "(3) Engelli çocuğunun tedavisi için çalışana yılda on güne kadar mazeret izni tanınır.",
        ),
        (
            "Yol izni",
            "(1) İznini il dışında geçireceğini belgeleyen çalışana isteği üzerine {travel} güne kadar ücretsiz yol izni eklenir.",
        ),
        (
            "İzinden geri çağırma",
            "(1) İzindeki çalışan ancak üretimi durduran bir arıza veya can güvenliği tehlikesi varsa genel müdürün yazılı kararıyla geri çağrılabilir.",
            "(2) Geri çağrılan çalışanın ulaşım ve iptal giderlerini şirket öder, kalan günleri yıl sonunda yanmaz.",
        ),
        (
            "Sözleşmenin sona ermesi",
            "(1) İş sözleşmesi hangi nedenle biterse bitsin kullanılmamış izinlerin ücreti son brüt ücret üzerinden ödenir.",
        ),
        (
            "Yürürlük",
            "(1) Bu yönetmelik {notice} sayılı kararla yürürlüğe girer ve önceki düzenlemenin yerini alır.",
        ),
    ),
    added=(
        (
            "Gönüllülük izni",
            "(1) Kayıtlı bir dernekte gönüllü çalışan personele yılda iki gün ücretli gönüllülük izni verilir; afet bölgesindeki görevlerde bu süre beş güne çıkar.",
        ),
    ),
)

TRAVEL = Regulation(
    code="REG-TR-02",
    slug="seyahat-harcirah-yonetmeligi",
    lang="tr",
    title="Seyahat ve Harcırah Yönetmeliği",
    suffix=".docx",
    values={
        "domestic": ("350", "900", "1.850"),
        "abroad": ("60", "75", "95"),
        "hotel": ("500", "1.600", "3.500"),
        "mile": ("1,10", "3,50", "7,25"),
        "submit": ("on", "yedi", "beş"),
        "limit": ("5.000", "15.000", "40.000"),
        "advance": ("70", "80", "90"),
        "hours": ("Altı", "Beş", "Dört"),
    },
    articles=(
        (
            "Kapsam",
            "(1) Bu yönetmelik, görev yeri dışına şirket işi için yapılan yolculukların giderlerini kapsar.",
        ),
        (
            "Görevlendirme",
            "(1) Yolculuk, birim müdürünün imzaladığı görev emriyle başlar; tahmini gideri {limit} TL'yi aşan görevleri genel müdür yardımcısı da onaylar.",
            "(2) Müşteri arızası gibi acil durumlarda sözlü onay yeterlidir, görev emri dönüşte düzenlenir.",
        ),
        (
            "Gündelik",
            "(1) Yurt içi görevlerde her tam gün için {domestic} TL gündelik ödenir.",
            "(2) Yurt dışı görevlerde gündelik {abroad} avrodur; İsviçre ve Norveç için dörtte bir oranında artırılır.",
            "(3) {hours} saatten kısa süren görevlerde gündelik ödenmez.",
        ),
        (
            "Konaklama",
            "(1) Yurt içinde gecelik otel bedeli vergiler dahil {hotel} TL'ye kadar karşılanır.",
            "(2) Fuar dönemlerinde üst sınır seyahat biriminin yazılı onayıyla yarısı kadar aşılabilir.",
        ),
        (
            "Ulaşım",
            "(1) Üç saatten uzun uçuşlar dışında ekonomi sınıfı bilet alınır.",
            "(2) Kendi aracını kullanan çalışana kilometre başına {mile} TL ödenir; köprü ve otoyol geçişleri ayrıca karşılanır.",
            "(3) Beş yüz kilometreden kısa yolculuklarda tren varsa önce tren tercih edilir.",
        ),
        (
            "Avans",
            "(1) Çalışan, tahmini giderin en çok yüzde {advance} kadarı için avans isteyebilir; önceki avansını kapatmayana yenisi verilmez.",
        ),
        (
            "Masraf bildirimi",
            "(1) Masraf formu dönüşten sonra {submit} iş günü içinde fişleriyle birlikte muhasebeye verilir.",
            "(2) Fişi kaybolan giderler için tutanak düzenlenir; tutanakla yılda en çok üç gider kabul edilir.",
        ),
        (
            "Karşılanmayan giderler",
            "(1) Minibar, otel içi ücretli yayın, trafik cezası ve refakatçi giderleri şirketçe ödenmez.",
        ),
        (
            "Hastalık ve kaza",
            "(1) Yurt dışında hastalanan çalışan yardım hattını arar; sigortanın karşılamadığı zorunlu tedavi giderlerini şirket üstlenir.",
        ),
    ),
    added=(
        (
            "Karbon kaydı",
            "(1) Her yolculuğun karbon salımı portala işlenir; birim, yıllık kotasının üzerindeki salım için ağaçlandırma fonuna ton başına 450 TL aktarır.",
        ),
    ),
)

REGULATIONS = (LEAVE, TRAVEL)

_2020 = date(2020, 6, 15)
_2024 = date(2024, 9, 1)

QUESTIONS = (
    ask_regulation(LEAVE, "tr", "current", "İki yıldır buradayım, senede kaç gün tatil hakkım oluyor?", "Hizmeti beş yıldan az olan çalışana yılda {short} iş günü izin verilir", weight=3, also=(LEAVE_MEMO,)),
    ask_regulation(LEAVE, "tr", "as_of", "2020 yazında yeni başlamış birine yıllık kaç gün izin veriliyordu?", "Hizmeti beş yıldan az olan çalışana yılda {short} iş günü izin verilir", as_of=_2020, weight=2),
    ask_regulation(LEAVE, "tr", "as_of", "2024'te kıdemi beş yılın altında olanların yıllık izni ne kadardı?", "Hizmeti beş yıldan az olan çalışana yılda {short} iş günü izin verilir", as_of=_2024, weight=2, also=(OLD_LEAVE_MEMO,)),
    ask_regulation(LEAVE, "en", "cross_lingual", "How many vacation days does somebody with twenty years at the Izmir plant get?", "On beş yılını dolduran çalışan yılda {senior} iş günü izin kullanır", weight=2, also=(LEAVE_MEMO,)),
    ask_regulation(LEAVE, "de", "cross_lingual", "Wie lange vorher muss man in Izmir einen Urlaubsantrag stellen?", "başlangıç tarihinden en az {apply} iş günü önce personel portalından iletir", weight=2),
    ask_regulation(LEAVE, "tr", "current", "Kullanamadığım izinlerin ne kadarı gelecek seneye aktarılıyor?", "Kullanılmayan iznin en çok {carry} iş günü bir sonraki yıla devreder", weight=2),
    ask_regulation(LEAVE, "tr", "as_of", "Mart 2020'deki kurala göre artan izinlerin kaç günü sonraki yıla kalıyordu?", "Kullanılmayan iznin en çok {carry} iş günü bir sonraki yıla devreder", as_of=_2020),
    ask_regulation(LEAVE, "tr", "definition", "İzin yılı derken tam olarak hangi dönem kastediliyor?", "işe başladığı günün yıl dönümünde başlayan ve on iki ay süren dönemdir"),
    ask_regulation(LEAVE, "tr", "fact", "Patron beni tatilden geri çağırabilir mi, hangi durumda?", "üretimi durduran bir arıza veya can güvenliği tehlikesi varsa genel müdürün yazılı kararıyla geri çağrılabilir"),
    ask_regulation(LEAVE, "tr", "current", "Eşim doğum yaptı, kaç gün evde kalabilirim?", "eşi doğum yapan çalışana {father} gün ücretli mazeret izni verilir", weight=2),
    ask_regulation(LEAVE, "en", "as_of", "In 2024, how many paid days off did a new father get under the Turkish leave rules?", "eşi doğum yapan çalışana {father} gün ücretli mazeret izni verilir", as_of=_2024),
    ask_regulation(LEAVE, "tr", "fact", "Yöneticim izin talebime hiç cevap vermezse ne olur?", "süresinde yanıtlanmayan istek onaylanmış sayılır"),
    ask_regulation(LEAVE, "en", "cross_lingual", "Is there paid time off in Izmir for volunteering with a charity?", "yılda iki gün ücretli gönüllülük izni verilir"),
    ask_regulation(TRAVEL, "tr", "current", "Yurt içi görevde günlük harcırah ne kadar?", "Yurt içi görevlerde her tam gün için {domestic} TL gündelik ödenir", weight=3),
    ask_regulation(TRAVEL, "tr", "as_of", "2020'de yurt içi seyahatlerde gündelik kaç liraydı?", "Yurt içi görevlerde her tam gün için {domestic} TL gündelik ödenir", as_of=_2020, weight=2),
    ask_regulation(TRAVEL, "de", "cross_lingual", "Wie viel Tagegeld bekommen türkische Kollegen bei Auslandsreisen?", "Yurt dışı görevlerde gündelik {abroad} avrodur", weight=2),
    ask_regulation(TRAVEL, "en", "as_of", "What was the nightly hotel cap in lira for domestic trips back in September 2024?", "gecelik otel bedeli vergiler dahil {hotel} TL'ye kadar karşılanır", as_of=_2024),
    ask_regulation(TRAVEL, "tr", "current", "Kendi arabamla müşteriye gidersem km başına ne alırım?", "kilometre başına {mile} TL ödenir"),
    ask_regulation(TRAVEL, "tr", "fact", "Otel fişini kaybettim, yine de parasını alabilir miyim?", "Fişi kaybolan giderler için tutanak düzenlenir"),
    ask_regulation(TRAVEL, "tr", "current", "Seyahatten dönünce masrafları kaç gün içinde vermem lazım?", "dönüşten sonra {submit} iş günü içinde fişleriyle birlikte muhasebeye verilir"),
    ask_regulation(TRAVEL, "en", "cross_lingual", "Will the company in Turkey pay for a parking or speeding fine on a business trip?", "trafik cezası ve refakatçi giderleri şirketçe ödenmez"),
)  # fmt: skip
