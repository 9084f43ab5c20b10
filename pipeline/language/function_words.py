"""Words that carry grammar and no topic: a question is not about them.

They stay in the index, and so in every statistic; only a question leaves them out, unless it has nothing else.
"""

from typing import Final

_GERMAN: Final = """
ab aber alle allem allen aller alles als also am an andere anderem anderen anderer anderes auch auf aus bei beim bin bis bist
da dabei dadurch dafür dagegen daher dahin damit danach daneben dann daran darauf daraus darf darfst darin darüber darum darunter
das dass davon davor dazu dein deine deinem deinen deiner dem den denen denn der deren derer des dessen die dies diese diesem
diesen dieser dieses doch dort du durch dürfen dürft durfte durften eben ein eine einem einen einer eines einige einigen einiger
er es etwa etwas euch euer eure eurem euren eurer für gegen gegenüber gewesen gibt hab habe haben habt hast hat hatte hatten hätte
hätten her hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jemand
jene jenem jenen jener jenes kann kannst können könnt könnte könnten man manche mehr mein meine meinem meinen meiner mich mir mit
möchte möchten mögen muss müssen musst müsste musste mussten nach neben nicht nichts noch nun nur ob oder ohne schon sehr sei seid
sein seine seinem seinen seiner seit selbst sich sie sind so sobald solche solchem solchen solcher soll sollen sollte sollten
sondern sonst soweit über um und uns unser unsere unserem unseren unserer unter viel viele vielen vom von vor wann war waren warum
was weder wegen weil welche welchem welchen welcher welches wem wen wenn wer werde werden werdet wessen wie wieder wieso wieviel
will wir wird wirst wo wofür wohin womit woran worauf wovon wozu wurde wurden würde würden zu zum zur zwar zwischen
"""
_ENGLISH: Final = """
a about above after again against all also am an and any anybody anyone anything are as at be because been before being below
between both but by can cannot could did do does doing done down during each either else ever every everybody everyone everything
few for from further get gets getting give gives given go goes going got had has have having he her here hers herself him himself
his how i if in into is it its itself just let like many may me might more most much must my myself neither no nobody none nor not
nothing now of off often on once one only onto or other others ought our ours ourselves out over own per quite rather same shall
she should since so some somebody someone something still such than that the their theirs them themselves then there therefore
these they this those though through thus to too toward towards under until up upon us very via was we well were what whatever
when whenever where whereas wherever whether which while who whoever whom whose why will with within without would yet you your
yours yourself yourselves
"""
_TURKISH: Final = """
acaba ama ancak artık aslında az bana bazen bazı bazıları belki ben benden beni benim beri bile bir birçok biri birkaç birşey biz
bizden bize bizi bizim böyle böylece bu buna bunda bundan bunlar bunları bunların bunu bunun burada çok çoğu çünkü da daha dahi
de defa değil diğer diye dolayı edebilir eden eder ederim edilen edilir ediyor en etmek etti fakat gene gereken gerek gerekir
gerekiyor gibi göre hala halen hangi hangisi hani hem henüz hep hepsi her herhangi herkes hiç hiçbir için ile ilgili ise işte
kaç kadar karşı kendi kendine kendisi kez ki kim kimden kime kimi kimin kimse mı mi mu mü mıdır midir mudur müdür mıyım miyim
nasıl ne neden nedeniyle nedir nelerdir nerede nereden nereye niçin niye olabilir olan olarak oldu olduğu olduğunu olmak olması
olmaz olsa olsun olup olur olursa oluyor on ona ondan onlar onlara onları onların onu onun orada oysa öyle rağmen sadece sanki
sen senden seni senin siz sizden size sizi sizin sonra şey şeyi şimdi şöyle şu şuna şunu tarafından tüm üzere var vardır ve veya
ya yani yapabilir yapılır yapmak yerine yine yok yoksa zaten
"""
FUNCTION_WORDS: Final = {
    "de": frozenset(_GERMAN.split()),
    "en": frozenset(_ENGLISH.split()),
    "tr": frozenset(_TURKISH.split()),
}
