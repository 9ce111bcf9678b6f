"""Writes the network of the weights file as an ONNX graph for onnxruntime.

One input ``ids`` of shape ``[1, tokens]`` (int64), one output ``mean`` of shape ``[1, hidden]``:
the mean of the last layer over all tokens, not yet of length one. One text a call needs neither
padding nor an attention mask. Matrices stay in 4 bit: ``MatMulNBits`` for the layers (activations
rounded to 8 bit, ``accuracy_level`` 4) and ``GatherBlockQuantized`` for the embedding table, both
of the operator set ``com.microsoft``.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from damals.adapters.embedders.weights import BLOCK, WeightsFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

OPSET: Final = 21
"""The first operator set with 4-bit tensors."""
IR_VERSION: Final = 10
MICROSOFT: Final = "com.microsoft"


def write(weights: WeightsFile, path: Path) -> None:
    """Write the graph to ``path``, some 74 MB."""
    path.write_bytes(_Network(weights).model().SerializeToString())


def _packed(weights: "NDArray[np.uint8]") -> "NDArray[np.uint8]":
    """Two weights a byte, the earlier one in the low half."""
    return np.bitwise_or(weights[:, 0::2], weights[:, 1::2] << 4, dtype=np.uint8)


class _Network:
    """Collects nodes and constants. Each part returns the name of its output."""

    def __init__(self, weights: WeightsFile) -> None:
        self._weights = weights
        self._shape = weights.shape
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def model(self) -> onnx.ModelProto:
        hidden = self._embeddings()
        for layer in range(self._shape.layers):
            hidden = self._layer(f"l{layer}", hidden)
        self._constant("tokens_axis", np.array([1], np.int64))
        self._node("ReduceMean", [hidden, "tokens_axis"], "mean", keepdims=0)
        graph = helper.make_graph(
            self._nodes,
            "e5",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "tokens"])],
            [helper.make_tensor_value_info("mean", TensorProto.FLOAT, [1, self._shape.hidden])],
            self._constants,
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)

    def _constant(self, name: str, value: "NDArray[np.generic]") -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _node(self, kind: str, inputs: list[str], output: str, **attributes: object) -> str:
        # make_node takes attributes of any kind by name; its annotations do not say so.
        domain = cast("str", attributes.pop("domain", ""))
        node = helper.make_node(kind, inputs, [output], domain=domain)
        node.attribute.extend(helper.make_attribute(k, v) for k, v in attributes.items())
        self._nodes.append(node)
        return output

    def _embeddings(self) -> str:
        """Word, position and token type 0, summed and normalised: ``[1, tokens, hidden]``."""
        hidden = self._shape.hidden
        weights, scales = self._weights.blocks("emb.word", self._shape.vocabulary_rows)
        # Signed 4-bit two's complement of (stored - 8) is the stored value with its high bit
        # flipped.
        table = TensorProto(name="word", data_type=TensorProto.INT4, dims=weights.shape)
        table.raw_data = _packed(np.bitwise_xor(weights, 8, dtype=np.uint8)).tobytes()
        self._constants.append(table)
        self._constant("word.scales", scales)
        word = self._node(
            "GatherBlockQuantized",
            ["word", "ids", "word.scales"],
            "word.rows",
            domain=MICROSOFT,
            block_size=BLOCK,
            gather_axis=0,
            quantize_axis=1,
        )
        kinds = self._weights.floats("emb.type").reshape(-1, hidden)
        places = self._weights.floats("emb.pos").reshape(-1, hidden) + kinds[0]
        self._constant("places", places)
        self._node("Shape", ["ids"], "tokens", start=1)
        self._constant("zero", np.array([0], np.int64))
        place = self._node("Slice", ["places", "zero", "tokens"], "places.rows")
        self._node("Add", [word, place], "embedded")
        return self._norm("emb.ln", "embedded")

    def _norm(self, name: str, source: str) -> str:
        scale = self._constant(f"{name}.w", self._weights.floats(f"{name}.w"))
        shift = self._constant(f"{name}.b", self._weights.floats(f"{name}.b"))
        epsilon = self._shape.epsilon
        inputs = [source, scale, shift]
        return self._node("LayerNormalization", inputs, name, axis=-1, epsilon=epsilon)

    def _linear(self, name: str, source: str, rows: int) -> str:
        """``source`` times a 4-bit matrix of ``rows`` outputs, plus its bias."""
        weights, scales = self._weights.blocks(f"{name}.w", rows)
        columns = weights.shape[1]
        packed = _packed(weights).reshape(rows, columns // BLOCK, BLOCK // 2)
        inputs = [
            source,
            self._constant(f"{name}.w", packed),
            self._constant(f"{name}.s", scales.reshape(-1)),
            *("", ""),  # zero points (8 is the default) and group order: none
            self._constant(f"{name}.b", self._weights.floats(f"{name}.b")),
        ]
        return self._node(
            "MatMulNBits",
            inputs,
            name,
            domain=MICROSOFT,
            K=columns,
            N=rows,
            bits=4,
            block_size=BLOCK,
            accuracy_level=4,
        )

    def _layer(self, name: str, source: str) -> str:
        """One transformer block, normalised after each half (as BERT does)."""
        hidden = self._shape.hidden
        attended = self._linear(f"{name}.ao", self._attention(name, source), hidden)
        self._node("Add", [source, attended], f"{name}.attended")
        middle = self._norm(f"{name}.aln", f"{name}.attended")
        wide = self._linear(f"{name}.fi", middle, self._shape.feed_forward)
        self._node("Gelu", [wide], f"{name}.gelu")
        narrow = self._linear(f"{name}.fo", f"{name}.gelu", hidden)
        self._node("Add", [middle, narrow], f"{name}.fed")
        return self._norm(f"{name}.oln", f"{name}.fed")

    def _attention(self, name: str, source: str) -> str:
        """``softmax(q k / sqrt(width)) v`` in each head, the heads side by side again."""
        hidden = self._shape.hidden
        inputs = [self._linear(f"{name}.{part}", source, hidden) for part in "qkv"]
        return self._node(
            "MultiHeadAttention",
            inputs,
            f"{name}.attention",
            domain=MICROSOFT,
            num_heads=self._shape.heads,
        )
