"""OCR and the gate: character errors of degraded pages whose text is known, and what the gate decides about them.

    python benchmarks/ocr.py --samples SAMPLES --cache FOLDER [--pages 4] [--engines rapidocr,tesseract] [--no-second-pass]
    python benchmarks/ocr.py --cache FOLDER --calibrate          fits the coefficients of pipeline/gate/quality.py
    python benchmarks/ocr.py --samples SAMPLES --cache FOLDER --scans      real pages with a person's text (SAMPLES/scans)
    python benchmarks/ocr.py --native                            time of the gate for pages that need no OCR

Pages come from the sample estate, and with SAMPLES also from statutes, contracts and encyclopedia articles; they are printed
at 200 dpi and degraded in steps. CACHE keeps what the engines read, so that a second run takes seconds; `--known` leaves out
what it does not hold. Half of the pages are held out: coefficients are fitted on the others, figures are of the held-out ones.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import numpy as np
from ocr_pages import STEPS, NotRememberedError, printed_pages, remember_recognition
from ocr_trials import EXPECTED, Trial, error_rate, languages_for, normal, real_scans, row_of, trials
from parsing_scores import word_f1
from rapidfuzz.distance import Levenshtein

from pipeline.config import GateConfig
from pipeline.gate.judgement import judge
from pipeline.sample.estate import write_estate

LETTERS = "çğıİöşüäß§@"
GATE = GateConfig()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "kesit-ocr")
    parser.add_argument("--pages", type=int, default=2, help="of each language")
    parser.add_argument("--engines", default="rapidocr,tesseract", help="the first one is the configured one")
    parser.add_argument("--known", action="store_true", help="only what the cache holds")
    parser.add_argument("--no-second-pass", action="store_true")
    parser.add_argument("--calibrate", action="store_true")
    parser.add_argument("--scans", action="store_true")
    parser.add_argument("--native", action="store_true")
    options = parser.parse_args()
    estate = options.cache / "estate"
    if not estate.exists():
        write_estate(options.cache, documents=80)
    if options.native:
        native(estate)
        return
    remember_recognition(options.cache / "read", only_known=options.known)
    engines = options.engines.split(",")
    if options.scans:
        scans(options.samples / "scans", engines)
        return
    pages = printed_pages(options.samples, estate, options.pages)
    again = not options.no_second_pass and not options.calibrate
    done = list(trials(pages, engines, GATE.flag_below, second_pass=again))
    if options.calibrate:
        calibrate(done)
        return
    print(f"{len(pages)} pages, {len(done)} readings\n")
    errors(done, engines)
    confusions(done, engines)
    decisions(done, engines)
    if again:
        rescued([trial for trial in done if trial.again is not None])


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for row in rows:
        print(
            "| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row) + " |"
        )
    print(flush=True)


def errors(done: Sequence[Trial], engines: Sequence[str]) -> None:
    """Median character error rate by degradation, level, engine and language."""
    found: dict[tuple[str, str], dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for trial in done:
        found[trial.scan.kind, trial.scan.level][trial.engine, trial.scan.page.language].append(trial.error)
    columns = [(engine, language) for engine in engines for language in ("tr", "de", "en")]
    kinds = ["clean", *STEPS]
    rows = [
        [*key, *(f"{100 * median(values[column]):.1f}" if values[column] else "" for column in columns)]
        for key, values in sorted(found.items(), key=lambda item: kinds.index(item[0][0]))
    ]
    table(["degradation", "level", *(f"{engine} {language}" for engine, language in columns)], rows)


def confusions(done: Sequence[Trial], engines: Sequence[str]) -> None:
    """How often each special letter is read right on pages with less than 10 % error, and what it is taken for."""
    rows = []
    for engine in engines:
        seen: Counter[str] = Counter()
        wrong: dict[str, Counter[str]] = defaultdict(Counter)
        for trial in done:
            if trial.engine != engine or trial.error > 0.10:
                continue
            truth, text = normal(trial.scan.page.text), normal(trial.text)
            seen.update(char for char in truth if char in LETTERS)
            for tag, a0, a1, b0, b1 in Levenshtein.opcodes(truth, text):
                if tag in ("replace", "delete"):
                    for place in range(a0, a1):
                        other = text[b0 + place - a0] if tag == "replace" and b0 + place - a0 < b1 else "∅"
                        if truth[place] in LETTERS:
                            wrong[truth[place]][other] += 1
        for letter in LETTERS:
            if seen[letter]:
                most = ", ".join(f"{other} {times}" for other, times in wrong[letter].most_common(3))
                rows.append([engine, letter, seen[letter], 100 * wrong[letter].total() / seen[letter], most])
    table(["engine", "letter", "times", "wrong %", "taken for (∅: lost)"], rows)


def auc(values: Sequence[float], positive: Sequence[bool]) -> float:
    """Area under the ROC curve of `values` low for positives (Mann-Whitney)."""
    low = [value for value, is_positive in zip(values, positive, strict=True) if is_positive]
    high = [value for value, is_positive in zip(values, positive, strict=True) if not is_positive]
    pairs = sum((a < b) + 0.5 * (a == b) for a in low for b in high)
    return pairs / (len(low) * len(high)) if low and high else float("nan")


def decisions(done: Sequence[Trial], engines: Sequence[str]) -> None:
    """The gate's decision against the true error, before and after the second pass."""
    rows = []
    for name, chosen in [
        *((engine, {engine}) for engine in engines),
        ("both", set(engines)),
    ]:
        for part, held in (("held out", True), ("fitted", False)):
            some = [trial for trial in done if trial.engine in chosen and trial.held_out == held]
            rows.append([name, part, *_judged([t.quality for t in some], [t.error for t in some])])
    after = [trial for trial in done if trial.again is not None]
    if after:
        qualities = [trial.again.judgement.quality for trial in after if trial.again is not None]
        rows.append(["after second pass", "all", *_judged(qualities, [trial.error_again for trial in after])])
    table(
        [
            "engine",
            "pages",
            "readings",
            "AUC (error > 10 %)",
            "error > 20 %",
            "… passed",
            "error < 2 %",
            "… rejected",
        ],
        rows,
    )


def _judged(qualities: Sequence[float], wrong: Sequence[float]) -> list[object]:
    bad = [quality for quality, error in zip(qualities, wrong, strict=True) if error > 0.20]
    good = [quality for quality, error in zip(qualities, wrong, strict=True) if error < 0.02]
    return [
        len(wrong), auc(qualities, [error > 0.10 for error in wrong]),
        len(bad), sum(quality >= GATE.flag_below for quality in bad),
        len(good), sum(quality < GATE.reject_below for quality in good),
    ]  # fmt: skip


def rescued(done: Sequence[Trial]) -> None:
    """Pages that the first reading failed (quality below the flag threshold, or more than 10 % error), and what became of them."""
    rows = []
    for kind in ["clean", *STEPS]:
        poor = [trial for trial in done if trial.scan.kind == kind and trial.quality < GATE.flag_below]
        saved = [t for t in poor if t.again and t.again.judgement.quality >= GATE.flag_below]
        good = [trial for trial in saved if trial.error_again <= 0.10]
        before, after = ([t.error for t in poor], [t.error_again for t in poor])
        rows.append([
            kind, sum(trial.scan.kind == kind for trial in done), len(poor), len(saved), len(good),
            f"{100 * median(before):.1f}" if poor else "", f"{100 * median(after):.1f}" if poor else "",
        ])  # fmt: skip
    table(
        [
            "degradation",
            "scans",
            "poor at first",
            "passed then",
            "… with ≤ 10 % error",
            "median error before %",
            "after %",
        ],
        rows,
    )
    taken = Counter(
        f"{trial.again.attempts[trial.again.chosen]['engine']}, {trial.again.attempts[trial.again.chosen]['preprocessing']}"
        for trial in done if trial.again and trial.quality < GATE.flag_below
    )  # fmt: skip
    table(["chosen reading of poor pages", "times"], taken.most_common())


def calibrate(done: Sequence[Trial]) -> None:
    """Fit the coefficients of the expected error: fractional logistic regression, none of them negative."""
    from scipy.optimize import minimize

    fitted = [trial for trial in done if not trial.held_out]
    for title, names in (
        ("WITH_WORDS", ("confidence", "doubtful", "known_words", "short_lines")),
        ("WITHOUT_WORDS", ("confidence", "doubtful", "short_lines")),
    ):
        some = [trial for trial in fitted if set(names) <= set(trial.measures)]
        x = np.array([[trial.measures[name] for name in names] for trial in some])
        # What was not read is wrong by itself; fitted is the error of the rest.
        left = np.array([trial.measures["uncovered"] for trial in some])
        y = np.clip((np.array([trial.error for trial in some]) - left) / np.maximum(1 - left, 0.05), 0, 1)

        def loss(w: np.ndarray, x: np.ndarray = x, y: np.ndarray = y) -> float:
            z = w[0] + x @ w[1:]
            # A weak pull to zero keeps a measure that says nothing from being given a great say by chance.
            return float(np.mean(np.logaddexp(0, z) - y * z) + 1e-5 * np.square(w[1:]).sum())

        start = np.array([-5.0, *([1.0] * len(names))])
        found = minimize(loss, start, method="L-BFGS-B", bounds=[(-7, -3), *([(0, None)] * len(names))])
        print(
            title,
            {"": round(found.x[0], 2)}
            | {n: round(float(w), 2) for n, w in zip(names, found.x[1:], strict=True)},
        )
        for part, held in (("fitted", False), ("held out", True)):
            shown = [t for t in done if t.held_out == held and set(names) <= set(t.measures)]
            z = [
                -(found.x[0] + sum(t.measures[n] * w for n, w in zip(names, found.x[1:], strict=True)))
                for t in shown
            ]
            rest = [1 / (1 + np.exp(value)) for value in z]
            expected = [1 - (1 - e) * (1 - t.measures["uncovered"]) for e, t in zip(rest, shown, strict=True)]
            off = median(abs(e - t.error) for e, t in zip(expected, shown, strict=True))
            print(
                f"  {part}: {len(shown)} readings, AUC {auc([-e for e in expected], [t.error > 0.10 for t in shown]):.3f}, median |expected − true| {off:.3f}"
            )


def scans(folder: Path, engines: Sequence[str]) -> None:
    """Real pages: error in reading order, words whatever their order, and decision by engine."""
    rows = []
    for name, language, scan in real_scans(folder):
        for engine in engines:
            try:
                row = row_of(scan, engine, languages_for(engine, language))
            except NotRememberedError:
                continue
            found = judge(row, EXPECTED, None)
            flag, reject = GATE.limits(found.language, None)
            route = "reject" if found.quality < reject else "flag" if found.quality < flag else "pass"
            text = "\n".join(block["text"] for block in row["blocks"])
            error = 100 * error_rate(text, scan.page.text)
            rows.append(
                [
                    name,
                    engine,
                    f"{error:.1f}",
                    word_f1(row["text"], scan.page.text),
                    found.scores["confidence"] or 0.0,
                    found.quality,
                    found.scores["worst"],
                    route,
                ]
            )
    table(["scan", "engine", "error %", "words F1", "confidence", "quality", "worst measure", "route"], rows)


def native(estate: Path) -> None:
    """CPU time of the gate as a share of that of parsing, for born-digital documents."""
    from pipeline.config import ParsingConfig
    from pipeline.parsing.engines import engines_of
    from pipeline.parsing.errors import ParseError
    from pipeline.parsing.formats import kind_of, read_bytes
    from pipeline.parsing.tree import finish

    engines = engines_of(ParsingConfig(max_pages=50))

    def has_reader(path: Path) -> bool:
        try:
            return bool(kind_of(path.name, "", path.read_bytes()[:1024]))
        except ParseError:
            return False

    files = [
        path
        for path in sorted(estate.rglob("*"))
        if path.is_file() and "scans" not in path.parts and has_reader(path)
    ]

    def timed(work: Callable[[], list]) -> tuple[list, float]:
        start = time.process_time()
        return work(), time.process_time() - start

    # What a process loads once, whatever the number of pages: three dictionaries and the models of languages.
    texts = (
        "Die Wartung der Anlage erfolgt im Oktober.",
        "İşveren yıllık izni kullandırır.",
        "The notice is in writing.",
    )
    _, loading = timed(lambda: [judge(_page(text), EXPECTED, None) for text in texts])
    rows, parsing = timed(lambda: [
        row for file in files for row in finish(read_bytes(file.name, "", file.read_bytes(), engines))
        if row["source"] == "native"
    ])  # fmt: skip
    found, gate = timed(lambda: [judge(row, EXPECTED, None) for row in rows])
    share = 100 * gate / parsing
    poor = sum(each.quality < GATE.flag_below for each in found)
    table(
        [
            "documents",
            "native pages",
            "parsing s",
            "loaded once s",
            "gate s",
            "gate ms a page",
            "share %",
            "flagged or rejected",
        ],
        [[len(files), len(rows), parsing, loading, gate, 1000 * gate / len(rows), share, poor]],
    )


def _page(text: str) -> dict[str, Any]:
    block = {"kind": "paragraph", "text": text, "caption": "", "row_pages": []}
    return {"source": "native", "engine": "", "scores": None, "blocks": [block]}


if __name__ == "__main__":
    main()
