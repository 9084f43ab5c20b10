"""Dialogues are cut between turns."""


def test_turns_are_grouped_and_never_cut(build):
    turns = [f"{'Ayşe' if n % 2 else 'Jörg'}: Nachricht {n} ist da. Sie hat zwei Sätze." for n in range(20)]
    _, chunks = build.cut(
        [build.page([build.block("turn", turn) for turn in turns])], max_tokens=60, min_tokens=10
    )
    assert len(chunks) > 3
    assert [turn for chunk in chunks for turn in chunk["text"].split("\n")] == turns
    assert {(chunk["kind"], chunk["strategy"]) for chunk in chunks} == {("transcript", "transcript")}


def test_a_long_turn_is_cut_at_sentences_and_keeps_its_speaker(build):
    turns = ["Jörg: Kurz.", "Ayşe: " + "Bu uzun bir konuşmanın cümlesidir. " * 30, "Jörg: Danke."]
    _, chunks = build.cut(
        [build.page([build.block("turn", turn) for turn in turns])], max_tokens=60, min_tokens=10
    )
    middle = chunks[1:-1]
    assert len(middle) > 2
    assert all(chunk["text"].startswith("Ayşe: Bu uzun") for chunk in middle)
    assert all(chunk["text"].endswith(("cümlesidir.", "Danke.")) for chunk in chunks)
