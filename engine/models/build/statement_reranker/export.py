"""Writes the trained model as ONNX with int8 weights, for onnxruntime 1.14.

python export.py <weights> <file for the model>"""
import argparse, os, tempfile

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from model import load

INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


class Logits(torch.nn.Module):
    """The model with its inputs by place, which is how the export hands them over."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *inputs):
        return self.model(**dict(zip(INPUTS, inputs))).logits


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("weights")
parser.add_argument("target")
options = parser.parse_args()

model, *_ = load(options.weights)
example = torch.ones(2, 16, dtype=torch.long)
with tempfile.TemporaryDirectory() as folder:
    floats, whole = f"{folder}/floats.onnx", f"{folder}/int8.onnx"
    torch.onnx.export(
        Logits(model.eval()),
        (example, example, torch.zeros_like(example)),
        floats,
        input_names=INPUTS,
        output_names=["logits"],
        dynamic_axes={**{name: {0: "batch_size", 1: "sequence_length"} for name in INPUTS}, "logits": {0: "batch_size"}},
        opset_version=14,
        dynamo=False,
    )
    # Seven bits instead of eight: on processors without VNNI two products of eight would not fit into the sum of both.
    quantize_dynamic(floats, whole, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    graph = onnx.load(whole)

# Newer stamps than the operators need, which onnxruntime 1.14 would refuse.
used = {node.domain for node in graph.graph.node}
stamps = [one for one in graph.opset_import if one.domain in used]
del graph.opset_import[:]
graph.opset_import.extend(stamps)
graph.ir_version = 8
onnx.save(graph, options.target)
print(options.target, os.path.getsize(options.target), "bytes, opset", stamps[0].version)
