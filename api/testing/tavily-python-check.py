"""Runs the unmodified tavily-python client against a running appliance. Not part of `npm test`: it wants Python
and the package index.

    python3 -m venv /tmp/tavily && /tmp/tavily/bin/pip install tavily-python==0.8.5
    /tmp/tavily/bin/python api/testing/tavily-python-check.py http://localhost:8080 <api key>

The handbook of the appliance is the site it reads, so the appliance must allow itself:
FOSSICK_ALLOWED_NETWORKS=localhost:8080. Exits with 0 when every check holds.
"""

import asyncio
import sys

from tavily import AsyncTavilyClient, TavilyClient
from tavily.errors import BadRequestError, InvalidAPIKeyError

base, key = sys.argv[1].rstrip("/"), sys.argv[2]
site = f"{base}/docs/"
question = "how do I schedule a crawl?"
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
check("search finds the page", any("schedule-a-crawl" in one["url"] for one in found["results"]))
check("scores are numbers", all(isinstance(one["score"], (int, float)) for one in found["results"]))
check("a trailing slash changes nothing", TavilyClient(key, api_base_url=base + "/").search(question)["results"] != [])

read = client.extract([site, "no address"], query="crawl a site", chunks_per_source=1)
check("extract reads the page", [one["url"] for one in read["results"]] == [site])
check("extract names what failed", [one["url"] for one in read["failed_results"]] == ["no address"])

check("crawl reads pages", len(client.crawl(site, limit=5)["results"]) == 5)
check("map names pages", len(client.map(site, limit=5)["results"]) == 5)

check("errors keep their text", "Invalid topic" in (raises(BadRequestError, lambda: client.search("x", topic="sports")) or ""))
check(
    "a wrong key is refused",
    raises(InvalidAPIKeyError, lambda: TavilyClient("nope", api_base_url=base).search("x")) is not None,
)


async def company():
    return await AsyncTavilyClient(key, api_base_url=base).get_company_info(question, max_results=2)


check("get_company_info comes through", len(asyncio.run(company())) <= 2)
sys.exit(1 if failed else 0)
