"""Search measured: XQuAD in three languages, German statutes, editions by day, and 200,000 rows beside raw LanceDB.

    python benchmarks/retrieval.py xquad|statutes|rows SAMPLES FOLDER [--questions 300] [--rows 200000]

SAMPLES holds `xquad/` and `german_law/`; `retrieval_questions.psv` has questions of ours to the statutes, written before the
fusion was tuned (statute, sections that answer, German, English, Turkish). FOLDER keeps projects with their vectors, so
that a second run only searches.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from retrieval_estates import LANGUAGES, statutes, xquad
from retrieval_rows import run_rows

from pipeline.config import RetrievalConfig
from pipeline.evaluation.metrics import judge
from pipeline.evaluation.questions import load_questions
from pipeline.index.reader import open_live
from pipeline.line.workspace import Workspace
from pipeline.retrieval.query import Query
from pipeline.retrieval.search import Searcher


def contenders(workspace: Workspace) -> dict[str, Searcher]:
    """Each encoder alone, full text alone, hybrids; with boosts and caps as they are by default."""
    opened = open_live(workspace.index_root).opened
    encoders = {encoder.slug: encoder for encoder in workspace.encoders_for(opened.build.models)}
    config, mute = RetrievalConfig(), RetrievalConfig(text_weight=0)

    def searcher(slugs: Sequence[str], config: RetrievalConfig) -> Searcher:
        chosen = {slug: Remembered(encoders[slug]) for slug in slugs}
        return Searcher(opened.table, chosen, config, glossary=workspace.glossary)

    found = {f"dense {slug}": searcher([slug], mute) for slug in encoders}
    found["full text"] = searcher([], config)
    found |= {f"hybrid {slug}": searcher([slug], config) for slug in encoders}
    if len(encoders) > 1:
        found["hybrid all"] = searcher(list(encoders), config)
    return found


class Remembered:
    """An encoder that encodes a question once, whoever asks it."""

    known: dict[tuple[str, str], np.ndarray] = {}  # noqa: RUF012 - shared on purpose

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        slug = self._encoder.slug
        new = [text for text in dict.fromkeys(texts) if (slug, text) not in self.known]
        self.known.update(
            {
                (slug, text): vector
                for text, vector in zip(new, self._encoder.encode_queries(new), strict=True)
            }
        )
        return np.stack([self.known[slug, text] for text in texts])


def run_xquad(samples: Path, folder: Path, models: Sequence[str], per_language: int) -> None:
    """Recall@5 by language of question (rows of the pair) and of the paragraph that is asked for."""
    workspace, questions = xquad(samples, folder / "xquad", models)
    dice = random.Random(1)
    chosen = [
        question
        for language in LANGUAGES
        for question in dice.sample([each for each in questions if each["lang"] == language], per_language)
    ]
    print(
        f"{per_language} questions a language, of 1,190; recall@5 of the paragraph in the language behind the dash"
    )
    print("| | " + " | ".join(f"{asked}-{found}" for asked in LANGUAGES for found in LANGUAGES) + " |")
    for name, searcher in contenders(workspace).items():
        hits: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for wanted in LANGUAGES:
            # Across languages the paragraph in the question's own language is an answer too, so each pair is asked apart.
            answers = searcher.search_many([Query(each["query"], languages=(wanted,)) for each in chosen])
            for question, answer in zip(chosen, answers, strict=True):
                uri = f"{wanted}/p{question['paragraph']:03}.txt"
                hits[question["lang"], wanted].append(uri in {result.uri for result in answer.results})
        mixed = searcher.search_many([Query(each["query"]) for each in chosen])
        any_language = np.mean(
            [
                any(result.uri[3:] == f"p{each['paragraph']:03}.txt" for result in answer.results)
                for each, answer in zip(chosen, mixed, strict=True)
            ]
        )
        cells = [f"{np.mean(hits[asked, found]):.3f}" for asked in LANGUAGES for found in LANGUAGES]
        print(
            f"| {name} | " + " | ".join(cells) + f" | unfiltered, any language: {any_language:.3f}",
            flush=True,
        )


def run_statutes(samples: Path, folder: Path, models: Sequence[str]) -> None:
    """Gold questions by language, with the questions that are lost; then the edition of every day."""
    workspace, editions = statutes(samples, folder / "statutes", models)
    questions = load_questions(samples / "german_law" / "questions_dev.jsonl")
    print("| | " + " | ".join(f"{language} recall@5, MRR" for language in LANGUAGES) + " | halves of all |")
    for name, searcher in contenders(workspace).items():
        asked = [Query(each.query.text, k=10) for each in questions]
        judged = [
            judge(question, answer.results)
            for question, answer in zip(questions, searcher.search_many(asked), strict=True)
        ]
        cells = [[each.values for each in judged if each.question.lang == language] for language in LANGUAGES]
        halves = [np.mean([each.values["recall@5"] for each in judged[start::2]]) for start in (0, 1)]
        figures = [
            f"{np.mean([each['recall@5'] for each in cell]):.3f}, {np.mean([each['mrr'] for each in cell]):.3f}"
            for cell in cells
        ]
        print(f"| {name} | " + " | ".join(figures) + " | {:.3f}, {:.3f} |".format(*halves))
        lost = [each.question.id for each in judged if not each.values["recall@5"]]
        print(f"  lost: {' '.join(lost)}", flush=True)
    ask_own(workspace)
    right, pairs = 0, 0
    searcher = contenders(workspace)["full text"]
    for edition in editions:
        title = next(
            line.removeprefix("# ")
            for line in (folder / "statutes" / "docs" / edition.uri).read_text(encoding="utf-8").split("\n")
            if line.startswith("# ")
        )
        of_statute = {other.uri for other in editions if other.statute == edition.statute}
        last = edition.until - timedelta(days=1) if edition.until else date(2026, 1, 1)
        for day in {edition.since, last}:
            results = searcher.search(Query(title, as_of=day, k=20)).results
            found = {result.uri for result in results} & of_statute
            pairs, right = pairs + 1, right + (found == {edition.uri})
    print(f"editions: the one in force, and no other, answered {right} of {pairs} pairs of edition and day")


def ask_own(workspace: Workspace) -> None:
    """Questions of ours, one to three sections each: was one of these among the first five results?"""
    lines = (Path(__file__).parent / "retrieval_questions.psv").read_text(encoding="utf-8").splitlines()
    asked = [line.split("|") for line in lines]
    print(f"{len(asked)} questions of ours in each language, recall@5")
    print("| | " + " | ".join(LANGUAGES) + " | halves of German |")
    for name, searcher in contenders(workspace).items():
        hits = [
            [
                any(answers_for(statute, sections.split(","), result) for result in answer.results)
                for (statute, sections, *_), answer in zip(
                    asked, searcher.search_many([Query(line[2 + at]) for line in asked]), strict=True
                )
            ]
            for at in range(len(LANGUAGES))
        ]
        halves = [np.mean(hits[0][start::2]) for start in (0, 1)]
        cells = " | ".join(f"{np.mean(row):.3f}" for row in hits)
        print(f"| {name} | {cells} | " + "{:.3f}, {:.3f} |".format(*halves), flush=True)


def answers_for(statute: str, sections: Sequence[str], result: Any) -> bool:
    """Whether a result stands in one of these sections of the statute that is in force."""
    path = " ".join(result.section_path) + " "
    return result.uri == f"current/{statute}.md" and any(f"§ {section} " in path for section in sections)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("xquad", "statutes", "rows"))
    parser.add_argument("samples", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", nargs="+", default=["use-multilingual", "e5-small"])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--questions", type=int, default=300, help="of XQuAD, of each language")
    asked = parser.parse_args()
    samples, folder = asked.samples.absolute(), asked.folder.absolute()
    if asked.what == "rows":
        run_rows(folder, asked.rows)
    elif asked.what == "xquad":
        run_xquad(samples, folder, asked.models, asked.questions)
    else:
        run_statutes(samples, folder, asked.models)


if __name__ == "__main__":
    main()
