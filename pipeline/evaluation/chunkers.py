"""What a benchmark of chunking cuts and what cuts it: texts with sections, and chunkers that give passages of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pipeline.chunking.context import embedded_text
from pipeline.chunking.counter import TokenCounter
from pipeline.chunking.plain import plain_sections
from pipeline.chunking.plan import Task, plan
from pipeline.chunking.sections import Section
from pipeline.chunking.units import Embed
from pipeline.config import LANGUAGES, UNDECLARED, ChunkingConfig


@dataclass(frozen=True)
class Text:
    """A document of a benchmark.

    Attributes:
        id: its name.
        text: all of it.
        sections: with the offset of each in the text; what stands between them is in no chunk of ours.
        document_class: decides which settings hold.
        languages: expected in it.
    """

    id: str
    text: str
    sections: tuple[tuple[int, Section], ...] = field(repr=False)
    document_class: str = UNDECLARED
    languages: tuple[str, ...] = LANGUAGES


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk of a text: what of it is embedded, and what a reader is shown.

    Attributes:
        document: id of the text.
        start: offset of its first character there.
        end: offset behind its last.
        embedded: the string that is embedded.
        tokens: of what the reader is shown: the embedded string, or the whole section.
    """

    document: str
    start: int
    end: int
    embedded: str
    tokens: int


Chunker = Callable[[Sequence[Text]], list[Passage]]


def plain_text(name: str, text: str, document_class: str = UNDECLARED) -> Text:
    """A text or a Markdown file as a document of a benchmark."""
    return Text(name, text, tuple(plain_sections(text)), document_class)


def kesit_chunker(
    config: ChunkingConfig, counter: TokenCounter, embed: Embed | None = None, *, parents: bool = False
) -> Chunker:
    """Kesit's own chunks under a configuration.

    Args:
        config: strategy and sizes; what it says of classes holds too.
        counter: the encoder's.
        embed: vectors of sentences, for the strategy "semantic".
        parents: the reader is shown the whole section of a chunk that is found, and pays for it in tokens.
    """

    def cut(documents: Sequence[Text]) -> list[Passage]:
        settings = {name: config.of(name) for name in {document.document_class for document in documents}}
        placed = [
            (document, offset, Task(section, settings[document.document_class], document.languages))
            for document in documents
            for offset, section in document.sections
        ]
        plans = plan([task for *_, task in placed], counter, embed)
        return [
            Passage(
                document.id,
                offset + (0 if parents else chunk.piece.start),
                offset + (len(task.section.text) if parents else chunk.piece.end),
                embedded_text(chunk.context, chunk.text),
                made.tokens if parents else chunk.tokens,
            )
            for (document, offset, task), made in zip(placed, plans, strict=True)
            for chunk in made.chunks
        ]

    return cut


def split_chunker(split: Callable[[str], Sequence[str]], counter: TokenCounter) -> Chunker:
    """Chunks of any splitter that gives pieces of a text, in order, as they stand there; they may overlap.

    Args:
        split: from a text to its pieces.
        counter: the encoder's, for the cost.

    Returns:
        The chunker. It raises ValueError when a piece does not stand in the text.
    """

    def cut(documents: Sequence[Text]) -> list[Passage]:
        found: list[tuple[str, int, int, str]] = []
        for document in documents:
            begin = 0
            for given in split(document.text):
                piece = given.strip()
                start = document.text.find(piece, begin)
                if start < 0:
                    raise ValueError(f"{document.id}: the piece {piece[:40]!r} does not stand in the text")
                if piece:
                    found.append((document.id, start, start + len(piece), piece))
                    begin = start + 1
        counts = counter.count([piece for *_, piece in found])
        return [Passage(*each, tokens) for each, tokens in zip(found, counts, strict=True)]

    return cut
