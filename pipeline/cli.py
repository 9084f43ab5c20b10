"""`kesit`: parses, calls, prints. Everything it does is a function elsewhere.

Longer than 400 lines, because all commands stand in one place.

Exit codes: 0 done; 1 done with failed documents, or a stage stopped; 2 bad configuration or arguments; 3 refused;
130 stopped by Ctrl-C.
"""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipeline.config import Config, ConfigError, UserError, config_path, load_config

if TYPE_CHECKING:
    from pipeline.report.run_report import RunReport
    from pipeline.retrieval.search import Searcher

INCOMPLETE = 1
INTERRUPTED = 130  # 128 + SIGINT, as a shell has it

app = typer.Typer(
    name="kesit",
    help="From a folder of documents to a search index that can be trusted, and kept true night after night.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

duplicates_app = typer.Typer(rich_markup_mode=None)
app.add_typer(duplicates_app, name="duplicates")

Csv = Annotated[Path | None, typer.Option("--csv", help="Write the rows to this CSV file.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")
]
Questions = Annotated[
    Path | None, typer.Option(help="Gold questions, JSON Lines; default: those of the configuration.")
]
Groups = Annotated[
    str, typer.Option(help="Groups of the asker, separated by commas; none: public documents only.")
]
AsOf = Annotated[str | None, typer.Option(help="The day whose editions answer, YYYY-MM-DD; default: today.")]


@app.callback()
def root(
    config: Annotated[Path | None, typer.Option(help="Default: $KESIT_CONFIG, else ./kesit.toml.")] = None,
) -> None:
    """Remember which configuration file was asked for: every command, and every process it starts, reads that one."""
    if config is not None:
        os.environ["KESIT_CONFIG"] = str(config.absolute())


@app.command()
def init() -> None:
    """Write a commented kesit.toml, with dagster.yaml and workspace.yaml for the UI beside it."""
    from pipeline.line.project import write_project

    for line in write_project(config_path()):
        print(line)


@app.command()
def demo(
    documents: Annotated[int, typer.Option(min=1, help="How many documents the sample estate has.")] = 80,
    seed: Annotated[int, typer.Option(help="Another seed gives another estate of the same mixture.")] = 7,
    only_write: Annotated[
        bool, typer.Option("--only-write", help="Write the estate, do not run the line.")
    ] = False,
) -> None:
    """Write the sample estate, run everything on it, and show questions with their answers."""
    from pipeline.line.demo import show_answers, write_sample

    path = config_path()
    for line in write_sample(path, documents=documents, seed=seed):
        print(line)
    if only_write:
        return
    report = _run(json_output=False)
    for line in show_answers(load_config(path)):
        print(line)
    _exit_for(report)


@app.command()
def scan(json_output: Json = False) -> None:
    """Show what changed since the last run and what a run would take, without doing it."""
    from pipeline.line.estimating import estimate
    from pipeline.line.preflight import check_settings
    from pipeline.line.workspace import Workspace
    from pipeline.report.scan_report import scan_report

    workspace = Workspace(load_config())
    check_settings(workspace)
    scans = [workspace.scan(collection.name) for collection in workspace.config.collections]
    report = scan_report(scans, estimate(workspace, scans))
    _print(report.as_json(), report.lines(), json_output=json_output)


@app.command()
def run(
    json_output: Json = False,
    only: Annotated[str | None, typer.Option(help="Only this collection.")] = None,
    since: Annotated[
        str | None, typer.Option(help="New and edited documents last written before this day (UTC) wait.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=0, help="Take so many new and edited documents; the others wait.")
    ] = None,
    allow_deletes: Annotated[
        int, typer.Option(min=0, help="Agree to so many deletions in one collection.")
    ] = 0,
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Exit 0 although documents failed.")
    ] = False,
) -> None:
    """Scan, then bring every table and the index up to date; print the run report."""
    day = _day(since, "--since")
    first = datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None
    report = _run(json_output=json_output, only=only, since=first, limit=limit, allow_deletes=allow_deletes)
    _exit_for(report, allow_partial=allow_partial)


@app.command()
def search(
    query: Annotated[str | None, typer.Argument(help="The question.")] = None,
    groups: Groups = "",
    as_of: AsOf = None,
    k: Annotated[int, typer.Option("--k", "-k", help="How many results.")] = 5,
    queries: Annotated[
        Path | None,
        typer.Option(help="Questions as JSON Lines (query, groups, as_of, k); one JSON answer a line."),
    ] = None,
    json_output: Json = False,
) -> None:
    """Ask the live index."""
    from pipeline.report.answers import answer_lines
    from pipeline.retrieval.query import Query, QueryError, read_queries

    if (query is None) == (queries is None):
        raise QueryError("give one question, or a file of questions with --queries")
    if queries is not None:
        asked = read_queries(queries, Query("?", groups=_split(groups), as_of=_day(as_of), k=k))
        for answer in _searcher(load_config()).search_many(asked):
            print(json.dumps(answer.as_json(), ensure_ascii=False))
        return
    question = Query(query or "", groups=_split(groups), as_of=_day(as_of), k=k)
    answer = _searcher(load_config()).search(question)
    _print(answer.as_json(), answer_lines(answer.as_json()), json_output=json_output)


@app.command("eval")
def evaluate(
    questions: Questions = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="Two builds, as `kesit builds` names them, or live or candidate: the second against the first."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="With --compare: write the changes by slice to this PNG file.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Measure the live index with gold questions, overall and by slice; or compare two builds."""
    from pipeline.line.judging import compare_builds, evaluate_live
    from pipeline.line.output_files import check_output
    from pipeline.line.workspace import Workspace
    from pipeline.report.evaluation_report import comparison_lines, comparison_png, evaluation_lines
    from pipeline.report.plots import PNG_MARK

    workspace = Workspace(load_config())
    check_output(workspace.config, "--plot", plot, mark=PNG_MARK)
    if compare is None:
        if plot is not None:
            raise ConfigError("--plot: shows a comparison; name two builds with --compare")
        measured = evaluate_live(workspace, questions)
        _print(measured.as_json(), evaluation_lines(measured.as_json()), json_output=json_output)
        return
    compared = compare_builds(workspace, *compare, questions).as_json()
    if plot is not None:
        plot.write_bytes(comparison_png(compared))
    _print(compared, comparison_lines(compared), json_output=json_output)


@app.command()
def routing(
    document: Annotated[
        str | None, typer.Argument(help="doc_id, path, or collection/path: explain this document.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Show how each class of documents is cut, or why one document is cut as it is."""
    from pipeline.line.routing import explain, explanation_lines, routing_table, table_lines
    from pipeline.line.workspace import Workspace

    config = load_config()
    if document is None:
        rows = routing_table(config)
        _print(rows, table_lines(rows), json_output=json_output)
        return
    found = explain(Workspace(config), document)
    _print(found, explanation_lines(found), json_output=json_output)


@app.command()
def sweep(
    questions: Questions = None,
    strategies: Annotated[
        str, typer.Option(help="Strategies, separated by commas.")
    ] = "structure,hybrid,sentence,fixed",
    sizes: Annotated[str, typer.Option(help="Ceilings in tokens, separated by commas.")] = "160,320",
    overlaps: Annotated[
        str, typer.Option(help="Overlaps as shares of the size, separated by commas.")
    ] = "0,0.2",
    prefix: Annotated[str, typer.Option(help="Section path in front: on, off, or both.")] = "on",
    plot: Annotated[
        Path | None, typer.Option(help="Write recall against index size to this PNG file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the best settings per class to this TOML file.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Cut the documents in many ways and measure each with gold questions; nothing in the index changes."""
    from pipeline.line.output_files import check_output
    from pipeline.line.sweeping import TOML_MARK, numbers, switches
    from pipeline.line.sweeping import sweep as sweep_settings
    from pipeline.line.workspace import Workspace
    from pipeline.report.plots import PNG_MARK
    from pipeline.report.progress import Progress
    from pipeline.report.sweep_report import sweep_lines, sweep_png

    config = load_config()
    check_output(config, "--plot", plot, mark=PNG_MARK)
    check_output(config, "--out", out, mark=TOML_MARK.encode())
    with Progress(silent=json_output) as progress:
        made = sweep_settings(
            Workspace(config, say=progress),
            questions,
            strategies=_split(strategies),
            sizes=numbers("--sizes", sizes, int),
            overlaps=numbers("--overlaps", overlaps, float),
            prefixes=switches("--prefix", prefix),
        )
    found = made.as_json()
    if plot is not None:
        plot.write_bytes(sweep_png(found))
    if out is not None:
        out.write_text(f"{TOML_MARK}\n{made.toml}", encoding="utf-8")
    _print(found, sweep_lines(found), json_output=json_output)


@app.command()
def exceptions(
    collection: Annotated[str | None, typer.Option(help="Only this collection.")] = None,
    reason: Annotated[str | None, typer.Option(help="Only this reason code.")] = None,
    status: Annotated[str, typer.Option(help="open, acknowledged, resolved or all.")] = "open",
    acknowledge: Annotated[
        str | None,
        typer.Option(
            help="doc_id, path, or collection/path: you have looked; do not count it as failed until it changes."
        ),
    ] = None,
    reopen: Annotated[str | None, typer.Option(help="Take --acknowledge back.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the register to this CSV file.")] = None,
    json_output: Json = False,
) -> None:
    """List what is not in the index, why, since when, and what is to be done."""
    from pipeline.line import acknowledging
    from pipeline.line.output_files import check_output
    from pipeline.line.workspace import Workspace
    from pipeline.report.csv_file import csv_mark, write_csv
    from pipeline.report.exceptions import REGISTER, exception_lines, read_register

    workspace = Workspace(load_config())
    if acknowledge is not None or reopen is not None:
        if (
            (acknowledge is not None and reopen is not None)
            or collection
            or reason
            or csv
            or status != "open"
        ):
            raise ConfigError("--acknowledge and --reopen: one of them, with nothing beside it but --json")
        if acknowledge is not None:
            register, moved = acknowledging.acknowledge(workspace, acknowledge), "acknowledged"
        else:
            register, moved = acknowledging.reopen(workspace, reopen or ""), "reopened"
        _print(register.to_dicts(), exception_lines(register, moved), json_output=json_output)
        return
    if collection is not None:
        workspace.config.collection(collection)
    check_output(workspace.config, "--csv", csv, mark=csv_mark(REGISTER))
    register = read_register(workspace.lake, collection=collection, reason=reason, status=status)
    if csv is not None:
        write_csv(register, csv)
    _print(register.to_dicts(), exception_lines(register), json_output=json_output)


@duplicates_app.callback(invoke_without_command=True)
def duplicates(
    context: typer.Context,
    collection: Annotated[str | None, typer.Option(help="Only documents of this collection.")] = None,
    min_share: Annotated[
        float, typer.Option(min=0, max=1, help="Least share of a document's words that stand in the other.")
    ] = 0.0,
    csv: Csv = None,
    json_output: Json = False,
) -> None:
    """List documents whose text stands in a better source: how much of it, why that one, and what differs."""
    from pipeline.line.output_files import check_output
    from pipeline.line.workspace import Workspace
    from pipeline.report.csv_file import csv_mark, write_csv
    from pipeline.report.duplicates import GROUPS, document_groups, group_lines

    if context.invoked_subcommand:
        return
    workspace = Workspace(load_config())
    if collection is not None:
        workspace.config.collection(collection)
    check_output(workspace.config, "--csv", csv, mark=csv_mark(GROUPS))
    groups = document_groups(workspace.lake, collection=collection, min_share=min_share)
    if csv is not None:
        write_csv(groups, csv)
    _print(groups.to_dicts(), group_lines(groups), json_output=json_output)


@duplicates_app.command("show")
def show_duplicates(
    name: Annotated[str, typer.Argument(help="doc_id, chunk_id, path, or collection/path.")],
    csv: Csv = None,
    json_output: Json = False,
) -> None:
    """Show the values in which near copies of a document or a chunk differ: names, sums, dates."""
    from pipeline.line.output_files import check_output
    from pipeline.line.workspace import Workspace
    from pipeline.report.csv_file import csv_mark, write_csv
    from pipeline.report.duplicates import VALUES, differing_values, value_lines

    workspace = Workspace(load_config())
    check_output(workspace.config, "--csv", csv, mark=csv_mark(VALUES))
    values = differing_values(workspace.lake, name)
    if csv is not None:
        write_csv(values, csv)
    _print(values.to_dicts(), value_lines(values), json_output=json_output)


@app.command()
def review(
    pages: Annotated[
        int, typer.Option(min=1, max=500, help="How many pages; 50 to 100 are a good hour.")
    ] = 80,
    seed: Annotated[int, typer.Option(help="Another seed draws other pages.")] = 1,
    collection: Annotated[str | None, typer.Option(help="Draw from this collection only.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The report; default: review.html beside kesit.toml.")
    ] = None,
    summary: Annotated[
        Path | None, typer.Option(help="A file of verdicts that the report saved: print its error table.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Write an HTML report to read the parse by hand, or sum up the verdicts on it."""
    from pipeline.line.reviewing import summarise_review, write_review
    from pipeline.line.workspace import Workspace
    from pipeline.report.progress import Progress

    config = load_config()
    if summary is not None:
        made = summarise_review(Workspace(config), summary)
    else:
        with Progress(silent=json_output) as progress:
            workspace = Workspace(config, say=progress)
            file = out or config.base / "review.html"
            made = write_review(workspace, pages=pages, seed=seed, collection=collection, out=file)
    _print(made.as_json(), made.lines(), json_output=json_output)


@app.command()
def status(json_output: Json = False) -> None:
    """Show what is there, what is live, and what is stale."""
    from pipeline.line.status import status as status_of
    from pipeline.line.workspace import Workspace

    found = status_of(Workspace(load_config()))
    _print(found.as_json(), found.lines(), json_output=json_output)


@app.command()
def history(
    limit: Annotated[int, typer.Option(min=1, help="How many runs.")] = 20, json_output: Json = False
) -> None:
    """List the last runs: when, what changed, what it took, and whether the result went live."""
    from pipeline.line.history import history_json, history_lines, read_history
    from pipeline.line.workspace import Workspace

    runs = history_json(read_history(Workspace(load_config()).lake, limit=limit))
    _print(runs, history_lines(runs), json_output=json_output)


@app.command()
def builds(json_output: Json = False) -> None:
    """List the builds of the index with state, size and evaluation."""
    from pipeline.line.builds import build_lines, list_builds
    from pipeline.line.workspace import Workspace

    found = list_builds(Workspace(load_config()))
    _print(found, build_lines(found), json_output=json_output)


@app.command()
def rollback(
    build: Annotated[
        str | None, typer.Argument(help="table@version as `kesit builds` shows; default: the one before.")
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Only say what would no longer be found.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Make an older build live again, without what was deleted or forbidden since."""
    from pipeline.line.builds import preview_rollback, roll_back, rollback_lines
    from pipeline.line.workspace import Workspace

    entry = (preview_rollback if preview else roll_back)(Workspace(load_config()), build)
    _print(entry, rollback_lines(entry), json_output=json_output)


@app.command()
def ui(port: Annotated[int, typer.Option(help="Port on this machine.")] = 3000) -> None:
    """Open the Dagster UI and its daemon on this project."""
    from assets.ui import serve

    load_config()
    serve(config_path().absolute(), port)


def main() -> None:
    """Entry point: run a command; an error that the user can mend is one line on stderr and an exit code."""
    try:
        app()
    except Exception as error:
        code = _exit_code(error)
        if code is None or os.environ.get("KESIT_DEBUG"):
            raise
        from pipeline.report.printable import printable

        print(printable(f"kesit: {error}"), file=sys.stderr)
        sys.exit(code)


def _run(*, json_output: bool, **options: Any) -> "RunReport":
    """Run the line and print its report."""
    from pipeline.line.run import run as run_line
    from pipeline.line.workspace import Workspace
    from pipeline.report.progress import Progress

    config = load_config()
    try:
        with Progress(silent=json_output) as progress:
            report = run_line(Workspace(config, say=progress), _driver, **options)
    except KeyboardInterrupt:
        print("kesit: stopped by you; `kesit run` goes on where it was", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    _print(report.as_json(), report.lines(), json_output=json_output)
    return report


def _exit_for(report: "RunReport", *, allow_partial: bool = False) -> None:
    """Exit 1 when a stage stopped, or a document failed and that is not allowed."""
    if report.errors or (report.failed and not allow_partial):
        raise typer.Exit(INCOMPLETE)


def _exit_code(error: Exception) -> int | None:
    """The exit code of an error that a user can cause or mend; None for a defect of Kesit, which shows its trace."""
    if isinstance(error, UserError):
        return error.exit_code
    return INCOMPLETE if isinstance(error, OSError) else None


def _driver(workspace: Any) -> Any:
    from assets.run import open_driver

    return open_driver(workspace)


def _searcher(config: Config) -> "Searcher":
    from pipeline.line.searching import live_searcher
    from pipeline.line.workspace import Workspace

    return live_searcher(Workspace(config))


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _day(text: str | None, option: str = "--as-of") -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"{option} = {text!r}: is not a day; write YYYY-MM-DD") from None


def _print(value: Mapping[str, Any] | list[Any], lines: Iterable[str], *, json_output: bool) -> None:
    if json_output:
        print(json.dumps(value, ensure_ascii=False, default=str))
    else:
        from pipeline.report.printable import printable

        for line in lines:
            print(printable(line))
