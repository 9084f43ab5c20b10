"""The splitters that Kesit's strategies stand beside: LangChain, semchunk, chonkie and fixed windows of tokens.

They want other versions of some libraries than Kesit, so they live in a folder of their own:

    python -m venv peers
    peers/bin/pip install --no-deps langchain-text-splitters langchain-core semchunk chonkie chonkie-core tokie tiktoken tenacity httpx uuid-utils

and `--peers peers/lib/python3.11/site-packages` names it. All of them count with the encoder's own tokenizer.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

Split = Callable[[str], Sequence[str]]


def peer_splitters(folder: Path | None, tokenizer: Any, sizes: Sequence[int]) -> dict[str, Split]:
    """Splitters by name; without the folder only the fixed windows, which need no peer.

    Args:
        folder: site-packages with the peers.
        tokenizer: of the `tokenizers` library, without special tokens and truncation.
        sizes: tokens of a chunk.
    """
    found: dict[str, Split] = {}
    for size in sizes:
        found[f"fixed windows {size}/0"] = windows(tokenizer, size, 0)
        found[f"fixed windows {size}/{size // 2}"] = windows(tokenizer, size, size // 2)
    found["fixed windows 250/125"] = windows(tokenizer, 250, 125)
    if folder is None:
        return found
    sys.path.append(str(folder))  # behind ours: what both have is Kesit's version
    import semchunk
    from chonkie.chunker.recursive import RecursiveChunker
    from chonkie.chunker.sentence import SentenceChunker
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    def count(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    for size in sizes:
        for overlap in (0, size // 2):
            langchain = RecursiveCharacterTextSplitter(
                chunk_size=size, chunk_overlap=overlap, length_function=count, strip_whitespace=True
            )
            found[f"langchain recursive {size}/{overlap}"] = langchain.split_text
        # A fresh one each time: it remembers what it counted.
        found[f"semchunk {size}"] = lambda text, size=size: semchunk.chunkerify(partial(count), size)(text)
        chonkie = RecursiveChunker(tokenizer=count, chunk_size=size)
        found[f"chonkie recursive {size}"] = lambda text, chonkie=chonkie: [
            chunk.text for chunk in chonkie(text)
        ]
        sentences = SentenceChunker(tokenizer=count, chunk_size=size)
        found[f"chonkie sentence {size}"] = lambda text, sentences=sentences: [
            chunk.text for chunk in sentences(text)
        ]
    return found


def windows(tokenizer: Any, size: int, overlap: int) -> Split:
    """Exactly `size` tokens each, wherever they end."""

    def split(text: str) -> list[str]:
        offsets = tokenizer.encode(text, add_special_tokens=False).offsets
        starts = range(0, max(len(offsets) - overlap, 1), size - overlap)
        return (
            [text[offsets[start][0] : offsets[min(start + size, len(offsets)) - 1][1]] for start in starts]
            if offsets
            else []
        )

    return split
