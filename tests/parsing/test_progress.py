from pipeline.parsing.errors import CORRUPT, ParseError
from pipeline.parsing.progress import Clock
from pipeline.parsing.reading import Found
from pipeline.parsing.worker import Task


def _clock(tmp_path, sizes):
    tasks = []
    for key, size in enumerate(sizes):
        path = tmp_path / f"{key}"
        path.write_bytes(bytes(size))
        tasks.append(Task(key, str(path), "", ""))
    return Clock.of([f"{key}.pdf" for key in range(len(sizes))], tasks)


def test_documents_and_pages_are_counted_and_time_is_estimated(tmp_path):
    clock = _clock(tmp_path, [990_000, 990_000])
    first = clock.told(Found(0, page=1, of=350, last=False))
    assert (first.done, first.total, first.page, first.of, first.seconds_left) == (0, 2, 1, 350, None)
    assert first.message == "parsed 0/2 documents, page 1/350 of 0.pdf"
    for page in range(2, 176):
        half = clock.told(Found(0, page=page, of=350, last=False))
    assert half.seconds_left is not None
    assert "left" in half.message
    done = clock.told(Found(0, rows=[{}] * 350))
    assert (done.done, done.pages, done.failed, done.uri) == (1, 350, 0, "0.pdf")
    end = clock.told(Found(1, error=ParseError(CORRUPT)))
    assert (end.done, end.failed, end.seconds_left) == (2, 1, 0.0)
    assert end.message.startswith("parsed 2/2 documents, 1 failed, 1.pdf")
