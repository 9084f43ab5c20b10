"""`kesit demo`: the sample estate, and some of its questions answered from the index that was built of it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pipeline.config import Config, ConfigError, load_config
from pipeline.line.project import write_dagster_files, write_file
from pipeline.line.searching import live_searcher
from pipeline.line.workspace import Workspace
from pipeline.report.answers import answer_lines

# One question of each kind is shown, in each language once if possible.
_SHOWN: Final = 8


def write_sample(path: Path, *, documents: int, seed: int) -> Iterable[str]:
    """Write the sample estate and its questions to `data/` beside the configuration, which is written if missing.

    Yields:
        One line for each thing written.

    Raises:
        ConfigError: a configuration of another estate is there.
    """
    from pipeline.sample.configuration import sample_config
    from pipeline.sample.estate import write_estate

    folder = path.absolute().parent
    if not path.exists():
        yield from write_file(path, sample_config())
    elif not _is_sample(load_config(path), folder):
        raise ConfigError(
            f"{path}: is of another estate; run the demo in an empty folder, or with --config FILE"
        )
    yield from write_dagster_files(folder)
    summary = write_estate(folder / "data", documents=documents, seed=seed)
    yield f"wrote {summary.documents} documents ({summary.bytes / 1e6:.1f} MB) and {summary.questions} questions"


def show_answers(config: Config) -> Iterable[str]:
    """Ask some of the gold questions as their askers, and show what they are told."""
    from pipeline.evaluation.questions import Question, load_questions

    if not config.evaluation.questions:
        return
    chosen: dict[str, Question] = {}
    for question in load_questions(config.resolve(config.evaluation.questions)):
        if question.gold:
            chosen.setdefault(question.kind, question)
    shown = list(chosen.values())[:_SHOWN]
    answers = live_searcher(Workspace(config)).search_many([question.query for question in shown])
    for question, answer in zip(shown, answers, strict=True):
        asker = ", ".join(question.query.groups) or "public"
        day = f", as of {question.query.as_of}" if question.query.as_of else ""
        yield ""
        yield f"[{question.lang}, {question.kind}, asked by {asker}{day}] {question.query.text}"
        yield from list(answer_lines(answer.as_json()))[:6]


def _is_sample(config: Config, folder: Path) -> bool:
    """Whether every source lies where the sample estate is written."""
    estate = folder / "data" / "estate"
    return all(Path(config.resolve(each.source)).is_relative_to(estate) for each in config.collections)
