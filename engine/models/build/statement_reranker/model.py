"""The network, the weights of it in a file, and its tokenizer: what base_weights.py, train.py and export.py share."""
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertForSequenceClassification

FOLDER = Path(__file__).resolve().parents[2] / "statement-reranker-en"
# What a logit and a statement's value count before anything is learned.
START = {"of_logit": 0.5, "of_value": 3.0}


def new_model():
    return BertForSequenceClassification(BertConfig.from_json_file(FOLDER / "config.json"))


def new_tokenizer():
    return Tokenizer.from_file(str(FOLDER / "tokenizer.json"))


def save(file, model, **counts):
    torch.save({"weights": model.state_dict(), **START, **counts}, file)


def load(file):
    """@returns the model, and what a logit and a value count beside each other"""
    saved = torch.load(file)
    model = new_model()
    model.load_state_dict(saved["weights"])
    return model, saved["of_logit"], saved["of_value"]
