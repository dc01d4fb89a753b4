"""Runs the unmodified firecrawl-py client against a running appliance. Not part of `npm test`: it wants Python and the
package index.

    python3 -m venv /tmp/firecrawl && /tmp/firecrawl/bin/pip install firecrawl-py==4.55.0
    /tmp/firecrawl/bin/python api/testing/firecrawl-py-check.py http://localhost:8080 <api key>

The handbook of the appliance is the site it reads, so the appliance must allow itself:
FOSSICK_ALLOWED_NETWORKS=localhost:8080. Exits with 0 when every check holds.
"""

import asyncio
import sys

from firecrawl import AsyncFirecrawl, Firecrawl, V1FirecrawlApp
from firecrawl.v2.types import ScrapeOptions

base, key = sys.argv[1].rstrip("/"), sys.argv[2]
site = f"{base}/docs/"
question = "how do I schedule a crawl?"
page = "schedule-a-crawl"
failed = 0


def check(name, holds):
    global failed
    try:
        good, problem = bool(holds()), ""
    except Exception as error:
        good, problem = False, f"{type(error).__name__}: {error}"[:200]
    failed += not good
    print("ok  " if good else "FAIL", name, problem)


def raised(call):
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


client = Firecrawl(api_key=key, api_url=base)


def scraped():
    read = client.scrape(site, formats=["markdown", "html", "raw_html", "links"])
    return "handbook" in read.markdown and "<p>" in read.html and len(read.links) > 20 and read.metadata.status_code == 200


def batch():
    job = client.batch_scrape([site, f"{site}{page}"], formats=["markdown"], poll_interval=1)
    return job.status == "completed" and len(job.data) == 2


def crawled():
    job = client.crawl(site, limit=5, scrape_options=ScrapeOptions(formats=["markdown"]), poll_interval=1)
    return job.status == "completed" and len(job.data) == 5 and all(one.markdown for one in job.data)


def cancelled():
    begun = client.start_crawl(site, limit=100, delay=30)
    under_way = [one.id for one in client.get_active_crawls().crawls]
    errors = client.get_crawl_errors(begun.id)
    return begun.id in under_way and errors.errors == [] and client.cancel_crawl(begun.id)


def searched():
    found = client.search(question, limit=3, scrape_options=ScrapeOptions(formats=["markdown"]))
    return any(page in one.metadata.source_url and one.markdown for one in found.web)


check("scrape", scraped)
check("scrape: changes since the crawl", lambda: client.scrape(f"{site}{page}", formats=["change_tracking"]).change_tracking)
check("scrape: actions are refused by name", lambda: "Invalid actions." in raised(lambda: client.scrape(site, actions=[{"type": "wait", "milliseconds": 5}])))
check("scrape: a missing page", lambda: "404" in raised(lambda: client.scrape(f"{site}none")))
check("scrape: a host that is not there", lambda: raised(lambda: client.scrape("http://none.invalid/")).startswith("DNSResolutionError"))
check("search", searched)
check("search without content", lambda: any(page in one.url and one.description for one in client.search(question).web))
check("map", lambda: page in client.map(site, search="schedule a crawl", limit=20).links[0].url)
check("crawl, to its end", crawled)
check("crawl: cancelled, its errors, and those under way", cancelled)
check("batch scrape, to its end", batch)
check("a wrong key", lambda: raised(lambda: Firecrawl(api_key="fc-nope", api_url=base).search("x")).startswith("UnauthorizedError"))
check("v1: scrape", lambda: "handbook" in client.v1.scrape_url(site, formats=["markdown"]).markdown)
check("v1: search", lambda: any(page in one["url"] for one in V1FirecrawlApp(api_key=key, api_url=base).search(question, limit=3).data))
check("v1: map", lambda: len(client.v1.map_url(site, limit=10).links) == 10)
check("v1: crawl", lambda: len(client.v1.crawl_url(site, limit=3, poll_interval=1).data) == 3)


async def asynchronously():
    client = AsyncFirecrawl(api_key=key, api_url=base)
    read = await client.scrape(site)
    job = await client.crawl(url=site, limit=2, poll_interval=1)
    return "handbook" in read.markdown and len(job.data) == 2


check("asynchronously", lambda: asyncio.run(asynchronously()))
sys.exit(1 if failed else 0)
