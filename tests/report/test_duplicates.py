"""Duplicates for a person: from real documents through the stages."""

import csv

import pytest

from pipeline.estate.finding import UnknownDocumentError
from pipeline.line import whole_estate
from pipeline.line.stage import update
from pipeline.line.stages import PARTITIONED
from pipeline.report.csv_file import write_csv
from pipeline.report.duplicates import (
    differing_values,
    document_groups,
    group_lines,
    value_lines,
)
from tests.line.projects import Project

CLAUSES = """\
Der Auftragnehmer wartet die Anlage viermal im Jahr nach den Vorgaben des Herstellers, dokumentiert jede Wartung schriftlich und legt das
Protokoll binnen zehn Tagen vor. Störungen meldet der Auftraggeber unverzüglich und in Textform, und der Auftragnehmer beginnt mit der
Behebung spätestens am nächsten Werktag. Ersatzteile werden nach Aufwand berechnet, soweit sie nicht unter die Gewährleistung fallen."""
PRICE = """\
Für die Wartung zahlt die {name} eine jährliche Vergütung von {price} zuzüglich der gesetzlichen Umsatzsteuer, fällig jeweils am Anfang des
Jahres nach Eingang einer prüffähigen Rechnung auf das dort genannte Konto. Der Vertrag beginnt am {day} und läuft auf unbestimmte Zeit, wenn
ihn nicht eine der Parteien mit einer Frist von drei Monaten zum Ende eines Jahres schriftlich kündigt. Steigen die Löhne im Handwerk um mehr
als vier vom Hundert, so kann jede Partei verlangen, dass über die Vergütung neu verhandelt wird; bis dahin gilt die bisherige fort. Kommt
eine Einigung binnen acht Wochen nicht zustande, entscheidet ein Gutachter, den die Kammer auf Antrag benennt und dessen Kosten beide zu
gleichen Teilen tragen, endgültig und für beide bindend."""
OTHER = """\
Die Kantine öffnet um elf Uhr dreißig und schließt um vierzehn Uhr. Gäste melden sich am Empfang an und bezahlen bar oder mit der Karte des
Hauses, die dort gegen Pfand zu haben ist. Das Essen wird täglich frisch gekocht."""


def contract(name, price, day):
    return f"# Leistung\n\n{CLAUSES}\n\n# Vergütung\n\n{PRICE.format(name=name, price=price, day=day)}\n"


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    docs = {"name": "docs", "source": "docs", "buckets": 1}
    memos = {"name": "memos", "source": "memos", "buckets": 1}
    project = Project(tmp_path_factory.mktemp("duplicates") / "project", docs, memos)
    project.write("adler.md", contract("Adler GmbH", "4.800 Euro", "1. Januar 2024"), authority=80)
    project.write("zorn.md", contract("Zorn KG", "5.200 Euro", "1. März 2025"))
    project.write("kopie.md", contract("Adler GmbH", "4.800 Euro", "1. Januar 2024"))
    project.write("=cmd.md", f"{OTHER}\n", authority=70)
    (project.folder / "memos" / "notiz.md").write_text(
        f"# Zitat\n\n{CLAUSES}\n\n# Kantine\n\n{OTHER}\n\n# Sonst\n\n"
        "Der Parkplatz am Tor bleibt bis Freitag gesperrt, weil dort ein Kran steht und Rohre gehoben werden.\n",
        encoding="utf-8",
    )
    workspace = project.workspace()
    for partition in workspace.partitions:
        for stage in PARTITIONED:
            if stage.name != "embeddings":
                update(workspace, stage, partition)
    whole_estate.CLUSTERS.run(workspace)
    return workspace.lake


def test_groups_of_documents(lake):
    groups = document_groups(lake)
    rows = {(row["uri"], row["canonical_uri"]): row for row in groups.iter_rows(named=True)}
    copy, zorn, memo = rows["kopie.md", "adler.md"], rows["zorn.md", "adler.md"], rows["notiz.md", "adler.md"]
    assert (copy["kind"], copy["share"], copy["near_chunks"], copy["differs"]) == ("exact", 1.0, 0, "")
    assert (zorn["kind"], zorn["share"], zorn["exact_chunks"], zorn["near_chunks"]) == ("near", 1.0, 1, 1)
    assert zorn["differs"] == "1 date, 1 name, 1 sum"
    assert {row["reason"] for row in (copy, zorn, memo)} == {"authority"}
    assert (memo["kind"], memo["exact_chunks"]) == ("near", 1)
    assert 0.3 < memo["share"] < 0.6
    assert document_groups(lake, min_share=0.9)["uri"].to_list() == ["kopie.md", "zorn.md"]
    assert document_groups(lake, collection="memos")["uri"].unique().to_list() == ["notiz.md"]
    lines = list(group_lines(groups))
    assert lines[-1].endswith("groups")
    assert any("100% exact docs/kopie.md (2 chunks exact" in line for line in lines)


def test_values_that_differ(lake):
    for name in ("docs/zorn.md", "zorn.md"):
        values = differing_values(lake, name)
        told = {(row["kind"], row["canonical_value"], row["value"]) for row in values.iter_rows(named=True)}
        assert ("name", "Adler GmbH", "Zorn KG") in told
        assert ("sum", "4.800", "5.200") in told
        assert values["section"].unique().to_list() == ["Vergütung"]
    assert any("4.800 → 5.200" in line for line in value_lines(values))
    # The canonical shows the same, and so does the chunk.
    assert differing_values(lake, "adler.md").equals(values)
    assert differing_values(lake, values["chunk_id"][0]).equals(values)
    assert differing_values(lake, "kopie.md").is_empty()
    with pytest.raises(UnknownDocumentError, match=r"'nichts\.md' is no document and no chunk"):
        differing_values(lake, "nichts.md")


def test_the_csv_starts_no_formula(lake, tmp_path):
    write_csv(document_groups(lake), tmp_path / "groups.csv")
    with (tmp_path / "groups.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["canonical_uri"] for row in rows} == {"adler.md", "'=cmd.md"}
