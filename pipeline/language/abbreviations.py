"""Words that a point does not end, by language: lower case, without their last point, separated by spaces.

`TITLES` never end a sentence. `NUMBERED` are abbreviations only before a number ("Art. 5", but "dieser Art."). `CLOSING`
stand at the end of an enumeration and end a sentence when a capital follows. `OTHERS` end one only when a word follows
that is capitalised nowhere else: one of `STARTERS`. One of these begins a sentence even where the mark before it is missing,
except those `UNSURE` and those behind a word of `BINDING`, which needs another. Single letters ("z. B.", "i. V. m.", initials) need no list.
"""

from typing import Final

Words = dict[str, str]

TITLES: Final[Words] = {
    "tr": """
        av dr doç prof yrd öğr gör uzm op dt ecz müh mim arş sn hz alb gen org korg tümg tuğg yzb ütğm tğm bçvş çvş
        bkz krş örn yay çev cad sok sk mah blv apt opr atğm mr mrs
        """,
    "de": """
        dr prof dipl ing hr fr frl st jun sen hrsg vgl bzw ggf ca evtl insb insbes sog inkl exkl zzgl bspw mind vorauss
        einschl ausschl gem isd bezügl bzgl zb dh vs gegr geb verh ehem
        """,
    "en": """
        dr prof mr mrs ms messrs st rev hon gen col maj capt lt sgt gov sen rep pres supt vs cf eg ie viz e.g i.e approx
        esp incl excl mt ft
        """,
}

NUMBERED: Final[Words] = {
    "tr": "no nu md mad sf sh ss cilt sy say fık bent böl kıs şek tab lev rg r.g tel tlf dk sn sa",
    "de": """
        abs nr nrn art sp ziff rn rz rdnr kap abschn anl abb tab bd bde buchst lit alt hs hbs ser aufl jg blatt bl tel fax
        postf pos anm fn var halbs uabs unterabs satz lfd
        """,
    "en": "no nos art arts sec secs par paras para pp vol vols ch chap fig figs ex eq tbl cl reg app tel ext",
}

CLOSING: Final[Words] = {
    "tr": "vb vs vd vdğ ark",
    "de": "",  # a noun may follow: "Rechte usw. Entschädigung"
    "en": "etc al co inc ltd corp llc plc seq jr sr a.m p.m",
}

OTHERS: Final[Words] = {
    "tr": """
        ltd şti tic san paz ith ihr koop müd bşk bşkl gn md mad fık no nu mio mlyn mly tel min maks yy mrk şb fak ens alm
        ekon ist ank oca şub nis tem ağu eyl pzt çar cum cmt r.g t.c tc
        """,
    "de": """
        abs nr nrn ziff rn rz rdnr kap abschn anl abb buchst lit hs halbs uabs mio mrd tsd tel tab bd max min sek str jan
        feb febr mär apr jun jul aug sep sept okt nov dez v.chr n.chr chr bgbl rgbl bearb aufl allg entspr erl ausf betr
        bisw dt engl frz ital griech jh jhd jhdt u.a z.b d.h i.v.m i.d.r o.ä u.ä s.o s.u u.u m.e z.t i.s.d i.s.v v.a a.a.o
        o.g a.d i.a i.v usw usf etc pp dgl uvm uam al ff kath amtl gesetzl verf verw vorl zul zus
        """,
    "en": """
        jan feb mar apr jun jul aug sep sept oct nov dec tue tues thu thur thurs fri dept div assn bros ave blvd univ intl
        natl sat sun mar est ed min max dist misc cont u.s u.k u.n e.u d.c ph.d m.d b.a m.a eds
        """,
}

# Words that stand in lower case inside a sentence and often begin one: capitalised after a point, they begin one.
STARTERS: Final[Words] = {
    "tr": """
        bu bunun buna bunu bunlar bunların bunlara bunları böylece böyle bununla ancak ayrıca fakat ama çünkü eğer şayet
        ise ve veya ya hem her bir bazı bütün tüm diğer söz sonra daha en ilk ilgili aynı nitekim üstelik dolayısıyla
        öte yine gene hiç kimse ne nasıl neden niçin şu şöyle biz siz onlar onun ona onu aksi hâlde halde işbu
        oysa oysaki işte yani belki şimdi artık bugün zaten hâlâ
        """,
    "de": """
        der die das dem den des ein eine einer eines einem einen sie es wir ihr ich man dies diese dieser dieses diesem
        diesen jene jeder jede jedes alle als am an auf aus bei beim bis da dabei dadurch daher dafür damit danach dann
        darauf darin darüber dazu denn dennoch deshalb doch dort durch falls für gegen hat haben hier hierbei hierzu im in
        ins ist sind wird werden wurde kann können muss darf soll mit nach nachdem nicht noch nur ob obwohl ohne sein seine
        seit sobald sofern soweit trotz über um und unter vom von vor während was weil wenn wer wie wo zu zudem zum zur
        zwar zwischen beide einige viele mehrere jedoch allerdings außerdem auch gleiches er so
        mein meine unser unsere leider heute gestern nun jetzt immer sehr da
        """,
    "en": """
        the a an this that these those it its he she they we you his her their our there here in on at by for from with
        without to of as if when while where what who how why because since although though however therefore thus hence
        but and or nor not no any each every all both some many most such after before during under over between until
        once then also is are was were has have had do does did can could may might must shall should will would
        just please thank thanks very never now even maybe perhaps also my me
        nothing everything everyone obviously unfortunately hopefully actually finally usually
        """,
}

# Starters that are capitalised within a sentence too: names, titles, polite forms, nouns.
UNSURE: Final[Words] = {
    "tr": "en ilk son diğer ilgili aynı söz ise veya ve ya hem ne tüm bütün kimse",
    "de": "sie ihr ich sein seine seit aus für so man er was wo bis über unter alle viele mehrere einige wer wie nur also",
    "en": "a an so one any may his their to of as or such most can will do once by",
}

# Words that another follows: behind them a capital is a name.
BINDING: Final[Words] = {
    "tr": "ve veya ile ya da de ki bir bu şu her adlı isimli için gibi",
    "de": """
        der die das dem den des ein eine einer eines einem einen und oder sowie in im an am auf aus bei beim bis durch für
        gegen hinter mit nach neben ohne seit über um unter von vom vor zu zum zur zwischen als wie heißt heißen genannt
        namens laut wegen dass daß ob wenn weil
        """,
    "en": """
        a an the and or but nor in on at of to for from by with without into onto over under about as than that if is are
        was were be called named titled entitled like see read wrote says said say my our your his her their this these those
        it not no i
        """,
}
