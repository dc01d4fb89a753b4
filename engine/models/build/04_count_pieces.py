"""Which pieces of the vocabulary texts use, by language, and which of them to keep.

python 04_count_pieces.py <tokenizer.json> <folder of unpacked Debian packages> <file for the kept pieces>

Needs wordfreq and tokenizers (PyPI). The packages, one folder each: manpages-* of all languages, libreoffice-help-{hi,ja,ko,tr,vi,zh-tw},
libreoffice-l10n-{ar,he,hi,id}, and those of bench/corpora/manuals.ts."""
import collections, gettext, glob, gzip, html, os, re, sys

import wordfreq
from tokenizers import Tokenizer

tokenizer_file, packages, target = sys.argv[1:]
tokenizer = Tokenizer.from_file(tokenizer_file)
vocab = {i: piece for piece, i in tokenizer.get_vocab().items()}

# Languages that are served, the share of their words whose pieces are kept; small vocabularies are kept nearly whole.
SERVED = "en de fr es pt it nl pl cs sv da fi nb ro hu tr ru uk el ja zh ko ar he hi id vi".split()
WORDS, OTHER_WORDS, TEXTS, BOOKS_IN_ALL = 0.925, 0.7, 0.92, 0.90
MORE = dict(el=0.985, hi=0.985, he=0.97, ko=0.97, ar=0.95, vi=0.96, ru=0.93, uk=0.93)

counts = collections.defaultdict(collections.Counter)


def add(name, texts, weights=None):
    for at in range(0, len(texts), 2000):
        for i, one in enumerate(tokenizer.encode_batch(texts[at : at + 2000], add_special_tokens=False)):
            for piece in one.ids:
                counts[name][piece] += weights[at + i] if weights else 1


for language in wordfreq.available_languages("small"):
    size = "large" if language in wordfreq.available_languages("large") else "small"
    words, weights = [], []
    frequencies = sorted(wordfreq.get_frequency_dict(language, wordlist=size).items(), key=lambda one: -one[1])
    for rank, (word, frequency) in enumerate(frequencies[:80_000]):
        forms = [(word, 1), (word[:1].upper() + word[1:], 0.3 if rank < 30_000 else 0)]
        if len(word) < 6 and rank < 10_000:
            forms.append((word.upper(), 0.01))
        for form, share in dict(reversed(forms)).items():
            if share > 0:
                words.append(form)
                weights.append(share * frequency * 1e9)
    add(f"words:{language}", words, weights)


def roff(text):
    lines = [re.sub(r"^[.'][A-Za-z]{1,3}\s*", "", line) for line in text.split("\n") if not line.startswith(('.\\"', "'\\\""))]
    text = re.sub(r"\\f(\[[^\]]*\]|\(..|.)|\\\\?[&|^%/,)]", "", "\n".join(lines))
    return re.split(r"\n\s*\n", text.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\"))


def texts_of(file):
    if file.endswith(".gz") and "/man" in file:
        return roff(gzip.open(file).read().decode("utf8", "ignore"))
    if file.endswith((".html", ".xhtml")):
        text = re.sub(r"<[^>]+>", " ", open(file, encoding="utf8", errors="ignore").read())
        return re.split(r"\n\s*\n", html.unescape(text))
    if file.endswith(".mo"):
        return [one for one in gettext.GNUTranslations(open(file, "rb"))._catalog.values() if one]
    return []


for package in sorted(os.listdir(packages)):
    files = [file for file in glob.glob(f"{packages}/{package}/**/*", recursive=True) if os.path.isfile(file) and not os.path.islink(file)]
    add(f"texts:{package}", [text for file in files for text in texts_of(file) if text.strip()])

kept = {i for i, piece in vocab.items() if len(piece.lstrip("▁")) <= 1}
for name, pieces in counts.items():
    kind, language = name.split(":")
    if kind == "words":
        share = max(WORDS if language in SERVED else OTHER_WORDS, MORE.get(language, 0) if language in SERVED else 0)
    else:
        # The handbook's package has translations into languages that are not served.
        own = MORE.get(language.removeprefix("manpages-").rsplit("-", 1)[-1], 0)
        share = BOOKS_IN_ALL if language == "debian-handbook" else max(TEXTS, own)
    total, covered = sum(pieces.values()), 0
    for piece, count in pieces.most_common():
        if covered / total >= share:
            break
        kept.add(piece)
        covered += count
open(target, "w", encoding="utf8").write("\n".join(sorted(vocab[i] for i in kept)))
print(len(kept), "of", len(vocab))
