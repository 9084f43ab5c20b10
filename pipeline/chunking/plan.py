"""The plan of the chunks of a batch of documents: cut, counted exactly, and cut again where the sum did not hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pipeline.chunking.context import LARGEST_SHARE, SHARE_WITH_SENTENCE, embedded_text, template_context
from pipeline.chunking.counter import Ledger, TokenCounter
from pipeline.chunking.normalise import normalise
from pipeline.chunking.pieces import Piece
from pipeline.chunking.routing import cut_part, strategy_for
from pipeline.chunking.sections import Part, Section
from pipeline.chunking.surroundings import surrounding_line
from pipeline.chunking.units import Embed, Sizes
from pipeline.config import LANGUAGES, OVERLAPPING, UNKNOWN, ChunkingConfig
from pipeline.language.detection import detect

_AROUND = 0.5  # of the room; the other half is the figure's own
_SAMPLE = 1000  # characters of a section that tell its language
# Of these no sentence is looked at where the section fits whole; of a third party's strategy nobody knows.
_WHOLE_IF_IT_FITS = (*OVERLAPPING, "structure", "hybrid")
_LEAST_ROOM = 16  # tokens; an encoder that leaves less for the text cannot be used


@dataclass(frozen=True, slots=True)
class Task:
    """A section to cut.

    Attributes:
        section: the section.
        config: what holds for the class of its document.
        languages: expected in its collection.
        labels: name and value of what the prefix may say of the document: title, effective_date, edition.
        document: what errors call the document.
    """

    section: Section
    config: ChunkingConfig
    languages: tuple[str, ...] = LANGUAGES
    labels: tuple[tuple[str, str], ...] = ()
    document: str = ""

    @property
    def prefix(self) -> tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]:
        """What decides the line in front: template, labels and path."""
        return self.config.prefix_template, self.labels, self.section.path


@dataclass(frozen=True, slots=True)
class Planned:
    """A chunk of a section.

    Attributes:
        kind: of its part: "prose", "table", "figure", "transcript".
        strategy: name of what cut it.
        piece: its span, and what is repeated in front.
        text: the lead and the span's text.
        prefix: the line in front; "" for none.
        around: what is said elsewhere of a figure; "" for nothing.
        tokens: of the embedded string, by the encoder's counter.
    """

    kind: str
    strategy: str
    piece: Piece
    text: str
    prefix: str
    around: str
    tokens: int

    @property
    def context(self) -> str:
        """All that stands in front of the text when it is embedded."""
        return "\n".join(line for line in (self.prefix, self.around) if line)


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """The chunks of a section, in order.

    Attributes:
        tokens: of the section's text, its items counted one by one: never fewer than the text as a whole has, for
            tokenizers whose tokens do not reach over white space.
        chunks: in order; their spans cover all of the text but white space.
    """

    tokens: int
    chunks: list[Planned]


def plan(tasks: Sequence[Task], counter: TokenCounter, embed: Embed | None = None) -> list[SectionPlan]:
    """The chunks of each section.

    No embedded string has more tokens than `max_tokens` of its task and the encoder's own limit allow.

    Args:
        tasks: the sections, each with its settings.
        counter: of the encoder.
        embed: vectors of sentences, for the strategy "semantic".

    Raises:
        ValueError: the encoder's special tokens and prompt leave no room for text, or "semantic" has no encoder.
    """
    ledger = Ledger(counter)
    ceilings = [min(task.config.max_tokens, counter.limit) for task in tasks]
    rooms = [ceiling - ledger.fixed for ceiling in ceilings]
    if rooms and min(rooms) < _LEAST_ROOM:
        raise ValueError(
            f"chunking.max_tokens: the encoder {counter.name} reads at most {min(ceilings)} tokens and adds {ledger.fixed} of its own; "
            f"at least {_LEAST_ROOM} must be left for the text"
        )
    ledger.read(
        task.section.text[i.start : i.next]
        for task in tasks
        for part in task.section.parts
        for i in part.items
    )
    costs = [_section_cost(task.section, ledger) for task in tasks]
    prefixes = _prefixes(tasks, rooms, ledger)
    taken = [
        max(_kept_free(task, room), ledger.cost(f"{prefix}\n") if prefix else 0)
        for task, room, prefix in zip(tasks, rooms, prefixes, strict=True)
    ]
    languages = _languages(tasks, costs, rooms)
    sections = list(map(_Fitting, tasks, ceilings, rooms, languages, prefixes, taken))
    unfit = sections
    while unfit:
        for section in unfit:
            section.cut(ledger, embed)
        texts = [embedded_text(chunk.context, chunk.text) for section in unfit for chunk in section.chunks]
        counts = iter(ledger.tokens(texts))
        unfit = [section for section in unfit if not section.fits(counts, counter.name)]
    return [
        SectionPlan(ledger.fixed + tokens, section.chunks)
        for tokens, section in zip(costs, sections, strict=True)
    ]


@dataclass(slots=True)
class _Fitting:
    """A section that is cut with less and less room until all of its chunks fit.

    Attributes:
        task: the section.
        ceiling: tokens of an embedded string at most.
        room: the same without the encoder's own.
        language: of its sentences.
        prefix: the line in front.
        taken: tokens of the room that the prefix takes, or that are kept free for it.
        shrink: tokens by which chunks were over the ceiling so far.
        bare: whether the prefix had to go, and what is around a figure with it.
        chunks: as they were cut last.
    """

    task: Task
    ceiling: int
    room: int
    language: str
    prefix: str
    taken: int
    shrink: int = 0
    bare: bool = False
    chunks: list[Planned] = field(default_factory=list[Planned])

    def cut(self, ledger: Ledger, embed: Embed | None) -> None:
        config, free = self.task.config, self.room - self.shrink - self.taken
        sizes = Sizes(
            room=free,
            floor=min(config.min_tokens, free),
            language=self.language,
            ledger=ledger,
            overlap=min(config.overlap, free // 2),
            percentile=config.percentile,
            embed=embed,
            options=config.options,
        )
        self.chunks = _cut(self.task, sizes, self.prefix, bare=self.bare)

    def fits(self, counts: Iterator[int], counter: str) -> bool:
        """Take the exact tokens of the chunks. Where one is over the ceiling, the next cut has less room."""
        self.chunks = [replace(chunk, tokens=next(counts)) for chunk in self.chunks]
        excess = max((chunk.tokens - self.ceiling for chunk in self.chunks), default=0)
        if excess <= 0:
            return True
        self.shrink += excess
        if self.room - self.shrink < _LEAST_ROOM // 2 + self.taken:
            if self.bare:
                raise ValueError(
                    f"{counter}: the text {self.chunks[0].text[:40]!r} in pieces has more tokens than as a whole; "
                    "this tokenizer cannot be used to size chunks"
                )
            self.bare, self.prefix, self.taken, self.shrink = True, "", 0, 0
        return False


def _section_cost(section: Section, ledger: Ledger) -> int:
    return sum(ledger.costs([section.text[i.start : i.next] for part in section.parts for i in part.items]))


def with_sentence(
    task: Task, chunk: Planned, sentence: str, counter: TokenCounter, ledger: Ledger
) -> Planned:
    """A chunk with what a language model says of its place in the document, cut short where the room that was kept ends.

    Args:
        task: its section.
        chunk: as `plan` made it.
        sentence: the model's.
        counter: as `plan` had it.
        ledger: of this counter.
    """
    ceiling = min(task.config.max_tokens, counter.limit)
    template, labels, path = task.prefix
    allowance = _kept_free(task, ceiling - ledger.fixed)
    prefix = template_context(template, {**dict(labels), "context": sentence}, path, allowance, ledger)
    placed = replace(chunk, prefix=prefix)
    [tokens] = ledger.tokens([embedded_text(placed.context, placed.text)])
    # A chunk whose prefix had to go has no room for another one.
    return replace(placed, tokens=tokens) if tokens <= ceiling else chunk


def _kept_free(task: Task, room: int) -> int:
    """Tokens that stay free for a sentence that only a language model knows, and the path before it."""
    return int(room * SHARE_WITH_SENTENCE) if task.config.asks_context else 0


def _share(task: Task) -> float:
    """The largest share of the room that the prefix may take."""
    return SHARE_WITH_SENTENCE if task.config.asks_context else LARGEST_SHARE


def _prefixes(tasks: Sequence[Task], rooms: Sequence[int], ledger: Ledger) -> list[str]:
    asked = [
        (*task.prefix, int(room * LARGEST_SHARE)) if task.config.prefix else None
        for task, room in zip(tasks, rooms, strict=True)
    ]
    made = {
        key: template_context(key[0], dict(key[1]), key[2], key[3], ledger)
        for key in dict.fromkeys(asked)
        if key is not None
    }
    return [made[key] if key is not None else "" for key in asked]


def _languages(tasks: Sequence[Task], costs: Sequence[int], rooms: Sequence[int]) -> list[str]:
    """Languages of the sections that may have to be cut at sentences; the others do not need one."""
    return [
        detect([task.section.text[:_SAMPLE]], task.languages)[0]
        if cost > int(room * (1 - _share(task))) or task.config.strategy not in _WHOLE_IF_IT_FITS
        else UNKNOWN
        for task, cost, room in zip(tasks, costs, rooms, strict=True)
    ]


def _cut(task: Task, sizes: Sizes, prefix: str, *, bare: bool) -> list[Planned]:
    text = task.section.text
    chunks: list[Planned] = []
    for part in _with_lead_ins(text, task.section.parts, sizes):
        name = strategy_for(part.kind, task.config)
        around = "" if bare else _around(part, task.languages, sizes)
        left = sizes.with_room(sizes.room - sizes.ledger.cost(f"{around}\n")) if around else sizes
        cut = normalise(text, part, cut_part(name, text, part, left, task.document), left)
        chunks.extend(
            Planned(part.kind, name, piece, piece.lead + text[piece.start : piece.end], prefix, around, 0)
            for piece in cut
            if not text[piece.start : piece.end].isspace()
        )
    return chunks


def _around(part: Part, languages: tuple[str, ...], sizes: Sizes) -> str:
    """What the document says about a figure elsewhere, for the context of its chunks."""
    if not part.around:
        return ""
    language = detect([part.around], languages)[0]
    return surrounding_line(part.around, part.focus, language, int(sizes.room * _AROUND), sizes.ledger)


def _with_lead_ins(text: str, parts: Sequence[Part], sizes: Sizes) -> list[Part]:
    """Short paragraphs right before a table go to the table: they say what it shows, and repeat with its header."""
    result: list[Part] = []
    for part in parts:
        last = result[-1].items[-1] if result and result[-1].kind == "prose" else None
        short = (
            last is not None
            and last.kind == "paragraph"
            and sizes.ledger.cost(text[last.start : last.next]) <= sizes.floor
        )
        if part.kind == "table" and last is not None and short:
            before = result.pop().items[:-1]
            if before:
                result.append(Part("prose", before))
            result.append(Part("table", (replace(last, kind="lead_in"), *part.items)))
        else:
            result.append(part)
    return result
