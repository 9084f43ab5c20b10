import pytest

from pipeline.estate.media import is_document, is_metadata, media_type, suffix_of


@pytest.mark.parametrize(
    "uri",
    [
        "rapor.docx", "a/b/Rapor.DOCX", "no ending", "settings.toml", "a~b.pdf", "partial/a.pdf", "x.tmp/a.pdf",
        "lock.pdf", "Thumbs.db.pdf", "~draft.docx", "meta.toml", "my_defaults.toml",
    ],
)  # fmt: skip
def test_documents(uri):
    assert is_document(uri)
    assert not is_metadata(uri)


@pytest.mark.parametrize(
    "uri",
    [
        "~$rapor.docx", ".~lock.rapor.docx#", "Thumbs.db", "THUMBS.DB", ".DS_Store", "desktop.ini", "rapor2.docx.part",
        "x.PART", "indirme.crdownload", "yukleme.tmp", "~WRL0001.tmp", "a.txt~", "a.swp", ".hidden.pdf", ".git/config",
        "a/.cache/b.pdf", "__MACOSX/a.pdf", "@eaDir/a.pdf", "$RECYCLE.BIN/a.pdf", "a.pdf.download", "Icon\r",
        "lost+found/a.pdf", "System Volume Information/x",
    ],
)  # fmt: skip
def test_litter(uri):
    assert not is_document(uri)


@pytest.mark.parametrize(
    "uri", ["a.pdf.meta.toml", "x/A.PDF.META.TOML", "_defaults.toml", "x/_defaults.toml"]
)
def test_metadata(uri):
    assert is_metadata(uri)
    assert not is_document(uri)


def test_endings_are_ascii():
    """Turkish rules would make of TIF a tıf."""
    assert suffix_of("TARAMA.TIF") == ".tif"
    assert media_type("TARAMA.TIF") == "image/tiff"
    assert media_type("a/İZİN.PDF") == "application/pdf"
    assert suffix_of("a.b/no ending") == ""
    assert media_type("x.xyz") == "application/octet-stream"
