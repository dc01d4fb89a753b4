"""The graph of a BERT-like model of dynamic int8 weights in fewer operators, with its weights left in the file that it is made of.

python 06_fuse.py <folder>/onnx/model_quantized.onnx

Writes fused-<first 12 hex digits of the SHA-256 of that file>.onnx beside it. The arithmetic is the same, in the operators that
onnxruntime 1.14 has for it and does not find by itself in a quantised graph: products with their scales and biases, sums with the norm
after them, scores with their scale. There is no attention mask and no type of tokens, so it reads one text at a time."""
import hashlib, os, sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

source = sys.argv[1]
raw = open(source, "rb").read()
model = onnx.load_from_string(raw)
graph = model.graph
constants = {one.name: one for one in graph.initializer}
made, users = {}, {}


def index():
    made.clear()
    users.clear()
    for node in graph.node:
        made.update((name, node) for name in node.output)
        for name in node.input:
            users.setdefault(name, []).append(node)


def value(name):
    return numpy_helper.to_array(constants[name])


def constant(node):
    return next(name for name in node.input if name in constants)


def after(node, kind):
    """The one node that reads what this one makes."""
    found = users[node.output[0]]
    assert len(found) == 1 and found[0].op_type == kind, (node.name, kind, [one.op_type for one in found])
    return found[0]


def fused(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs, [output], domain="com.microsoft", name=output, **attributes)


gone, instead = set(), {}


def replace(nodes, by):
    """The new node stands where the last of the old ones stood."""
    gone.update(id(node) for node in nodes)
    instead[id(nodes[-1])] = by


index()
for quantize in [node for node in graph.node if node.op_type == "DynamicQuantizeLinear"]:
    whole, scale, zero = quantize.output
    products = users[whole]
    for product in products:
        cast = after(product, "Cast")
        scaled = after(cast, "Mul")
        scales = next(made[name] for name in scaled.input if made[name].op_type == "Mul")
        sum_ = after(scaled, "Add")
        weights, weights_zero, weights_scale, bias = product.input[1], product.input[3], constant(scales), constant(sum_)
        old, out = [product, cast, scales, scaled, sum_], sum_.output[0]
        if len(products) == 1:
            by = fused("DynamicQuantizeMatMul", [quantize.input[0], weights, weights_scale, weights_zero, bias], out)
            replace([quantize, *old], by)
        else:
            replace(old, fused("MatMulIntegerToFloat", [whole, weights, scale, weights_scale, zero, weights_zero, bias], out))

for mean in [node for node in graph.node if node.op_type == "ReduceMean"]:
    x = mean.input[0]
    # A sum of tables broadcasts, which that operator does not do.
    minus = next((node for node in users[x] if node.op_type == "Sub" and node.input[1] == mean.output[0]), None)
    if minus is None or any(name in constants or made[name].op_type == "Gather" for name in made[x].input):
        continue
    power = next(node for node in users[minus.output[0]] if node.op_type == "Pow")
    variance = after(power, "ReduceMean")
    plus = after(variance, "Add")
    root = after(plus, "Sqrt")
    ratio = after(root, "Div")
    weighted = after(ratio, "Mul")
    norm = after(weighted, "Add")
    inputs = [*made[x].input, constant(weighted), constant(norm)]
    epsilon = float(value(constant(plus)))
    by = fused("SkipLayerNormalization", inputs, norm.output[0], epsilon=epsilon)
    replace([made[x], mean, minus, power, variance, plus, root, ratio, weighted, norm], by)

for softmax in [node for node in graph.node if node.op_type == "Softmax"]:
    masked = made[softmax.input[0]]
    scaled = next(made[name] for name in masked.input if made[made[name].input[0]].op_type == "MatMul")
    scores = made[scaled.input[0]]
    keys = made[scores.input[1]]
    assert list(keys.attribute[0].ints) == [0, 2, 3, 1]
    keys.attribute[0].ints[:] = [0, 2, 1, 3]
    factor = float(value(constant(scaled)))
    alpha = 1 / factor if scaled.op_type == "Div" else factor
    replace([scores, scaled, masked], fused("FusedMatMul", list(scores.input), masked.output[0], transB=1, alpha=alpha))

nodes = []
for node in graph.node:
    if id(node) in instead:
        nodes.append(instead[id(node)])
    elif id(node) not in gone:
        nodes.append(node)
del graph.node[:]
graph.node.extend(nodes)
index()

if "token_type_ids" in users:
    gather = users["token_type_ids"][0]
    floats = after(gather, "DequantizeLinear")
    sum_ = after(floats, "Add")
    row = value(gather.input[0])[0].astype(np.float32) - np.float32(value(floats.input[2]))
    row = (row * np.float32(value(floats.input[1]))).reshape(1, 1, -1)
    graph.initializer.append(numpy_helper.from_array(row, "type.0"))
    sum_.input[list(sum_.input).index(floats.output[0])] = "type.0"
    graph.node.remove(gather)
    graph.node.remove(floats)

wanted = {output.name for output in graph.output}
while True:
    index()
    unused = [node for node in graph.node if not any(name in users or name in wanted for name in node.output)]
    if not unused:
        break
    for node in unused:
        graph.node.remove(node)

inputs = [one for one in graph.input if one.name in users]
del graph.input[:]
graph.input.extend(inputs)
del graph.value_info[:]
kept = [one for one in graph.initializer if one.name in users]
del graph.initializer[:]
for one in kept:
    offset = raw.find(one.raw_data) if len(one.raw_data) >= 1024 else -1
    if offset >= 0:
        place = {"location": os.path.basename(source), "offset": offset, "length": len(one.raw_data)}
        one.ClearField("raw_data")
        one.data_location = TensorProto.EXTERNAL
        for key, what in place.items():
            one.external_data.add(key=key, value=str(what))
    graph.initializer.append(one)
model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
model.producer_name = "fossick"
target = os.path.join(os.path.dirname(source), f"fused-{hashlib.sha256(raw).hexdigest()[:12]}.onnx")
open(target, "wb").write(model.SerializeToString())
print(target, os.path.getsize(target), "bytes,", len(graph.node), "operators, reads", [one.name for one in graph.input])
