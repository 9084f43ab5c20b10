"""What further documents of a large estate are composed of."""

from dataclasses import dataclass

from pipeline.sample.document import Lang


@dataclass(frozen=True)
class Bank:
    """Sentences of a language with slots.

    Slots: {dept}, {thing}, {person}, {day}, {room}, {n}, {m}. In articles of regulations {a} and {b} are numbers that
    differ between editions.
    """

    lang: Lang
    departments: tuple[str, ...]
    things: tuple[str, ...]
    openers: tuple[str, ...]
    events: tuple[str, ...]
    measures: tuple[str, ...]
    closers: tuple[str, ...]
    headings: tuple[str, ...]
    memo_title: str
    page_title: str
    regulation_title: str
    articles: tuple[tuple[str, str, str], ...]
    turns: tuple[str, ...]
    columns: tuple[str, ...]
