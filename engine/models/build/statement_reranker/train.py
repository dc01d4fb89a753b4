"""Trains the statement reranker on lists of bench/quality/judged/statement-lists.ts: the sum of a statement's logit and value, each with a count of
its own that is learned too, is to put those first that say the fact.

python train.py <weights to start from> <file for the weights> <lists.jsonl> ... [--passes 1] [--rate 4e-5] [--frozen 6] [--threads 2]

It starts from what base_weights.py or an earlier run wrote, and writes after each pass. What it prints last, a logit's count divided by a
value's, is LOGIT in engine/answer-extraction/statement-reranking.ts."""
import argparse, json, random, time

import torch

from model import load, new_tokenizer, save

# Lists in a step, and statements of each: those that say the fact, the best that do not, and some of the others.
LISTS, STATEMENTS, RIGHT, BEST_WRONG = 4, 8, 2, 4
MOST_TOKENS = 256
WARM_UP = 0.1
# The two counts alone have far to go.
RATE_OF_COUNTS = 1e-2
STEPS_BETWEEN_LINES = 25

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("start")
parser.add_argument("target")
parser.add_argument("lists", nargs="+")
parser.add_argument("--passes", type=int, default=1)
parser.add_argument("--rate", type=float, default=4e-5)
parser.add_argument("--frozen", type=int, default=6, help="lower layers that stay as they are, of 12")
parser.add_argument("--threads", type=int, default=2)
options = parser.parse_args()

random.seed(1)
torch.manual_seed(1)
torch.set_num_threads(options.threads)
tokenizer = new_tokenizer()

lists = [json.loads(line) for file in options.lists for line in open(file, encoding="utf8")]
# Where all or none say the fact there is nothing to tell apart.
lists = [one for one in lists if len({statement["says"] for statement in one["statements"]}) == 2]
steps = options.passes * (len(lists) // LISTS)
if steps == 0:
    raise SystemExit(f"{len(lists)} lists to learn from: a step takes {LISTS}")
print(len(lists), "lists,", steps, "steps")

model, logit_counts, value_counts = load(options.start)
model.train()
# Words and lower layers keep what they learned from millions of pairs, and a step takes less time.
for part in [model.bert.embeddings, *model.bert.encoder.layer[: options.frozen]]:
    part.requires_grad_(False)
of_logit, of_value = (torch.nn.Parameter(torch.tensor(count)) for count in (logit_counts, value_counts))
learning = [one for one in model.parameters() if one.requires_grad]
optimizer = torch.optim.AdamW(
    [{"params": learning, "lr": options.rate}, {"params": [of_logit, of_value], "lr": RATE_OF_COUNTS}], weight_decay=0.01
)
schedule = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda step: min(1, (step + 1) / (WARM_UP * steps)) * max(0, 1 - step / steps)
)


def some_of(statements):
    right = [one for one in statements if one["says"]]
    wrong = [one for one in statements if not one["says"]]
    taken = random.sample(right, min(RIGHT, len(right))) + wrong[:BEST_WRONG]
    others = wrong[BEST_WRONG:]
    return taken + random.sample(others, min(STATEMENTS - len(taken), len(others)))


def logits_of(pairs):
    # Cut as the product cuts them, at the end of the pair.
    read = [tokenizer.encode(question, text) for question, text in pairs]
    longest = min(MOST_TOKENS, max(len(one.ids) for one in read))

    def padded(values):
        return (values + [0] * longest)[:longest]

    # Products in bfloat16 take half the time.
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return model(
            input_ids=torch.tensor([padded(one.ids) for one in read]),
            attention_mask=torch.tensor([padded(one.attention_mask) for one in read]),
            token_type_ids=torch.tensor([padded(one.type_ids) for one in read]),
        ).logits.float()[:, 0]


def loss_of(batch):
    """Minus the logarithm of the chance that a statement drawn by the softmax of the sums says the fact, in the mean of the lists."""
    taken = [some_of(one["statements"]) for one in batch]
    logits = logits_of([(one["question"], statement["text"]) for one, some in zip(batch, taken) for statement in some])
    values = torch.tensor([statement["value"] for some in taken for statement in some])
    sums = (of_logit * logits + of_value * values).split([len(some) for some in taken])
    right = [torch.tensor([statement["says"] for statement in some]) for some in taken]
    return sum(torch.logsumexp(one, 0) - torch.logsumexp(one[says], 0) for one, says in zip(sums, right)) / len(batch)


begun, step, losses = time.time(), 0, []
for _ in range(options.passes):
    random.shuffle(lists)
    for at in range(0, len(lists) - LISTS + 1, LISTS):
        loss = loss_of(lists[at : at + LISTS])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        step += 1
        if step % STEPS_BETWEEN_LINES == 0 or step == steps:
            mean = sum(losses) / len(losses)
            losses.clear()
            counts = f"logit {of_logit.item():.2f} value {of_value.item():.2f}"
            print(f"{step}/{steps} loss {mean:.3f} {counts} {time.time() - begun:.0f} s", flush=True)
    save(options.target, model, of_logit=of_logit.item(), of_value=of_value.item())
print(f"a logit counts {of_logit.item() / of_value.item():.3f} of a value")
