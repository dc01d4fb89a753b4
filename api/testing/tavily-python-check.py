"""Runs the unmodified tavily-python client against a running appliance. Not part of `npm test`: it wants Python
and the package index.

    python3 -m venv /tmp/tavily && /tmp/tavily/bin/pip install tavily-python==0.8.5
    /tmp/tavily/bin/python api/testing/tavily-python-check.py http://localhost:8080 <api key>

The handbook of the appliance is the site it reads, so the appliance must allow itself:
FOSSICK_ALLOWED_NETWORKS=localhost:8080. Exits with 0 when every check holds.

`get_search_context` counts tokens with tiktoken, which downloads `cl100k_base` when it is not in TIKTOKEN_CACHE_DIR.
Without it that one check is skipped, and said so.
"""

import asyncio
import json
import sys
import time
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from tavily import AsyncTavilyClient, TavilyClient
from tavily.errors import BadRequestError, ForbiddenError, InvalidAPIKeyError

base, key = sys.argv[1].rstrip("/"), sys.argv[2]
site = f"{base}/docs/"
host = urlsplit(site).hostname
question = "how do I schedule a crawl?"
page = "schedule-a-crawl"
failed = 0


def check(name, holds):
    global failed
    failed += not holds
    print("ok  " if holds else "FAIL", name)


def raises(error, call):
    try:
        call()
    except error as raised:
        return str(raised)
    return None


client = TavilyClient(key, api_base_url=base)

found = client.search(question, include_raw_content=True, include_images=True)
check("search finds the page", any(page in one["url"] for one in found["results"]))
check("scores are numbers", all(isinstance(one["score"], (int, float)) for one in found["results"]))
check("a trailing slash changes nothing", TavilyClient(key, api_base_url=base + "/").search(question)["results"] != [])

full = client.search(
    question,
    search_depth="advanced",
    topic="general",
    time_range="year",
    days=7,
    max_results=3,
    include_domains=[host],
    exclude_domains=["example.com"],
    include_domains_mode="restrict",
    include_answer="advanced",
    include_raw_content="text",
    include_images=True,
    include_image_descriptions=True,
    timeout=60,
    country="united kingdom",
    auto_parameters=True,
    include_favicon=True,
    include_usage=True,
    exact_match=True,
    chunks_per_source=2,
    language="en",
    filter_by_language=True,
    safe_search=True,
    include_published_date=True,
    session_id="session",
    human_id="human",
    client_name="check",
)
best = full["results"][0]
check("search with every option finds the page first", page in best["url"])
check("no more than asked for", len(full["results"]) <= 3 and best["content"].count(" [...] ") <= 1)
check("raw content is text", best["raw_content"] and "```" not in best["raw_content"])
check("credits of an advanced search", full["usage"] == {"credits": 2})
check("what was given was not chosen", not {"search_depth", "topic", "time_range"} & set(full["auto_parameters"]))

answer = client.qna_search(question)
check("qna_search answers, with its source", "cron" in answer and "[1]" in answer)

try:
    import tiktoken

    tiktoken.get_encoding("cl100k_base")
    context = client.get_search_context(question, max_tokens=2000)
    check("get_search_context holds the page", page in context and json.loads(context))
except OSError:
    print("skip get_search_context: tiktoken's cl100k_base is neither here nor to be had")

read = client.extract([site, "no address"], query="crawl a site", chunks_per_source=1)
check("extract reads the page", [one["url"] for one in read["results"]] == [site])
check("extract names what failed", [one["url"] for one in read["failed_results"]] == ["no address"])

check("crawl reads pages", len(client.crawl(site, limit=5)["results"]) == 5)
check("map names pages", len(client.map(site, limit=5)["results"]) == 5)

task = "How is a crawl scheduled, and how often are pages visited again?"
begun = client.research(task, model="mini")
while (report := client.get_research(begun["request_id"]))["status"] not in ("completed", "failed"):
    time.sleep(0.2)
check("research reports, with its sources", "[1]" in report["content"] and any(page in one["url"] for one in report["sources"]))
streamed = b"".join(client.research(task, model="mini", stream=True))
check("research streams its report", b"event: done" in streamed and b"[1]" in streamed)


def by_frames(chunks):
    """As tavily-agent-toolkit does: lines of a chunk, and no event after a blank one."""
    event = None
    for line in (one.strip() for chunk in chunks for one in chunk.decode().split("\n")):
        event = None if not line else line[6:].strip() if line.startswith("event:") else event
        if line.startswith("data:") and event == "chat.completion.chunk":
            yield json.loads(line[5:])["choices"][0]["delta"].get("content", "")


def by_lines(chunks):
    """As Tavily's notebooks do: a chunk is a line."""
    event = None
    for line in (chunk.decode().strip() for chunk in chunks):
        if line.startswith("event:"):
            event = line[6:].strip()
        elif line.startswith("data:") and event == "chat.completion.chunk":
            yield json.loads(line[5:])["choices"][0]["delta"].get("content", "")


for way in (by_frames, by_lines):
    written = "".join(way(client.research(task, model="mini", stream=True)))
    check(f"research streams are read {way.__name__}", written == report["content"])


async def research():
    client = AsyncTavilyClient(key, api_base_url=base)
    wanted = {"properties": {"schedule": {"type": "string", "description": "how a crawl is scheduled"}}, "required": ["schedule"]}
    begun = await client.research(task, model="mini", output_schema=wanted)
    while (report := await client.get_research(begun["request_id"]))["status"] not in ("completed", "failed"):
        await asyncio.sleep(0.2)
    return report, b"".join([chunk async for chunk in await client.research(task, model="mini", stream=True)])


report, streamed = asyncio.run(research())
check("research fills a schema, asynchronously", report["content"]["schedule"])
check("research streams asynchronously", b"event: done" in streamed)

check("errors keep their text", "Invalid topic" in (raises(BadRequestError, lambda: client.search("x", topic="sports")) or ""))
check(
    "a public suffix is refused by name",
    "'co.uk' is a public suffix" in (raises(BadRequestError, lambda: client.search("x", include_domains=["co.uk"])) or ""),
)
check(
    "a wrong key is refused",
    raises(InvalidAPIKeyError, lambda: TavilyClient("nope", api_base_url=base).search("x")) is not None,
)
check(
    "explain is given to this key, or refused as an error the client knows",
    raises(ForbiddenError, lambda: client.search("x", explain=True)) in (None, "Access denied. explain needs a key with the role admin."),
)

told = client.feedback(request_id=found["request_id"], human_score=1, comment="good")
check("feedback is taken", told["success"] and told["feedback_id"])


def account(method, path, body=None, headers=None):
    sent = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **(headers or {})}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(base + path, data=data, headers=sent, method=method)) as response:
        return json.load(response)


TavilyClient(key, api_base_url=base, project_id="check").search(question)
usage = account("GET", "/usage", headers={"X-Project-ID": "check"})
check("usage counts the client's project", usage["key"]["search_usage"] >= 1)
logged = account("POST", "/logs", {"project_id": "check", "endpoints": ["search"], "limit": 1})
# Of the key of FOSSICK_API_KEY, which its operator chose, not even the end is shown.
check("logs list the client's call", logged["count"] == 1 and logged["logs"][0]["api_key"] in ("****" + key[-4:], "****"))
made = account("POST", "/generate-keys", {"permission_level": "user", "key_limit": 1, "ttl_hours": 1})
short = TavilyClient(made["keys"][0], api_base_url=base)
short.search(question)
check("a key with no credits left is an error the client knows", "usage limit" in (raises(ForbiddenError, lambda: short.search("x")) or ""))
account("POST", "/deactivate-keys", {"request_id": made["request_id"]})
check("a key that was deactivated is refused", raises(InvalidAPIKeyError, lambda: short.search("x")) is not None)


async def company():
    return await AsyncTavilyClient(key, api_base_url=base).get_company_info("Fossick crawl schedule", max_results=2)


told = asyncio.run(company())
check("get_company_info finds pages, best first", len(told) == 2 and told[0]["score"] >= told[1]["score"])
check("of the site", all(urlsplit(one["url"]).hostname == host for one in told))
sys.exit(1 if failed else 0)
