"""Makes tiny-cross-encoder.onnx: a cross-encoder without weights, for tests.

The logit of a pair is 4 for each token of the second text that also stands in the first, less 6. The graph has the inputs and the
output of a BERT for sequence classification, so it runs where the real ones do.

    pip install onnx
    python make-tiny-cross-encoder.py
"""

from pathlib import Path

import onnx
from onnx import TensorProto, helper

FIRST_WORD = 999  # tokens before it are special ones and single characters of the shipped vocabulary's unused range


def const(name, kind, dims, values):
    return helper.make_node("Constant", [], [name], value=helper.make_tensor(name, kind, dims, values))


nodes = [
    const("one", TensorProto.INT64, [1], [1]),
    const("two", TensorProto.INT64, [1], [2]),
    const("first_word", TensorProto.INT64, [1], [FIRST_WORD]),
    const("four", TensorProto.FLOAT, [1], [4.0]),
    const("six", TensorProto.FLOAT, [1], [6.0]),
    helper.make_node("Unsqueeze", ["input_ids", "two"], ["as_rows"]),
    helper.make_node("Unsqueeze", ["input_ids", "one"], ["as_columns"]),
    helper.make_node("Equal", ["as_rows", "as_columns"], ["same"]),
    helper.make_node("Equal", ["token_type_ids", "one"], ["in_second"]),
    helper.make_node("Not", ["in_second"], ["in_first"]),
    helper.make_node("Greater", ["input_ids", "first_word"], ["is_word"]),
    helper.make_node("And", ["in_first", "is_word"], ["first_words"]),
    helper.make_node("Unsqueeze", ["first_words", "two"], ["first_rows"]),
    helper.make_node("And", ["same", "first_rows"], ["shared"]),
    helper.make_node("Cast", ["shared"], ["shared_numbers"], to=TensorProto.FLOAT),
    helper.make_node("ReduceMax", ["shared_numbers"], ["is_shared"], axes=[1], keepdims=0),
    helper.make_node("Cast", ["in_second"], ["second_numbers"], to=TensorProto.FLOAT),
    helper.make_node("Mul", ["is_shared", "second_numbers"], ["counted"]),
    helper.make_node("ReduceSum", ["counted", "one"], ["count"], keepdims=1),
    helper.make_node("Mul", ["count", "four"], ["weighed"]),
    helper.make_node("Sub", ["weighed", "six"], ["logits"]),
]
ints = lambda name: helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
graph = helper.make_graph(
    nodes,
    "tiny-cross-encoder",
    [ints("input_ids"), ints("attention_mask"), ints("token_type_ids")],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="fossick", ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, Path(__file__).parent / "tiny-cross-encoder.onnx")
