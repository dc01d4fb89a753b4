# What feedparser finds: for each file named on standard input, its entries' addresses as JSON on one line.
import json
import sys

import feedparser

for line in sys.stdin:
    with open(line.rstrip("\n"), "rb") as file:
        read = feedparser.parse(file.read(), response_headers={"content-location": sys.argv[1]})
    print(json.dumps([entry.get("link") for entry in read.entries]))
