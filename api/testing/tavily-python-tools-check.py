"""Runs the LangChain and LlamaIndex tools, unmodified, against a running appliance. Not part of `npm test`: it wants
Python and the package index.

    python3 -m venv /tmp/tavily-tools && /tmp/tavily-tools/bin/pip install \\
        tavily-python==0.8.5 langchain-tavily==0.2.18 llama-index-tools-tavily-research==0.6.0
    /tmp/tavily-tools/bin/python api/testing/tavily-python-tools-check.py http://localhost:8080 <api key>

The handbook of the appliance is the site they read, so the appliance must allow itself:
FOSSICK_ALLOWED_NETWORKS=localhost:8080. Exits with 0 when every check holds.
"""

import asyncio
import sys
import time
from urllib.parse import urlsplit

from langchain_core.tools import ToolException
from langchain_tavily import (
    TavilyCrawl,
    TavilyExtract,
    TavilyGetResearch,
    TavilyMap,
    TavilyResearch,
    TavilySearch,
)
from llama_index.tools.tavily_research import TavilyToolSpec
from tavily import TavilyClient

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


def refused(tool, call):
    """What a tool says when it finds nothing: it raises, or returns the text, by its own setting."""
    try:
        return str(tool.invoke(call))
    except ToolException as error:
        return str(error)


access = {"tavily_api_key": key, "api_base_url": base}

search = TavilySearch(**access)
found = search.invoke({"query": question})
check("langchain: search finds the page", any(page in one["url"] for one in found["results"]))
check("langchain: asynchronously too", asyncio.run(search.ainvoke({"query": question}))["results"] != [])

full = TavilySearch(
    **access,
    max_results=3,
    include_answer="basic",
    include_raw_content="markdown",
    include_image_descriptions=True,
    include_favicon=True,
    include_usage=True,
    country="united kingdom",
    auto_parameters=True,
    exact_match=True,
    chunks_per_source=2,
).invoke(
    {
        "query": question,
        "search_depth": "advanced",
        "include_domains": [host],
        "exclude_domains": ["example.com"],
        "include_images": True,
        "time_range": "year",
        "topic": "general",
    }
)
check("langchain: with every option the page comes first", page in full["results"][0]["url"])
check("langchain: no more than asked for", len(full["results"]) <= 3)
check("langchain: credits of an advanced search", full["usage"] == {"credits": 2})

for topic in ("news", "finance"):
    check(f"langchain: topic {topic}", search.invoke({"query": question, "topic": topic})["results"] != [])

nothing = refused(TavilySearch(**access, exact_match=True), {"query": '"no page says this so"'})
check("langchain: nothing found is told as such", "No search results found" in nothing)
wrong = search.invoke({"query": question, "include_domains": ["*.example.com"]})
check("langchain: errors keep their text", "Invalid include_domains: '*.example.com'" in str(wrong["error"]))

read = TavilyExtract(**access).invoke({"urls": [site]})
check("langchain: extract reads the page", [one["url"] for one in read["results"]] == [site])
crawled = TavilyCrawl(**access).invoke({"url": site, "limit": 3})
check("langchain: crawl reads pages", len(crawled["results"]) == 3)
mapped = TavilyMap(**access).invoke({"url": site, "limit": 3})
check("langchain: map names pages", len(mapped["results"]) == 3)

task = "How is a crawl scheduled, and how often are pages visited again?"
begun = TavilyResearch(**access).invoke({"input": task, "model": "mini"})
again = TavilyGetResearch(**access)
while (report := again.invoke({"request_id": begun["request_id"]}))["status"] not in ("completed", "failed"):
    time.sleep(0.2)
check("langchain: research reports, with its sources", "[1]" in report["content"] and report["sources"] != [])
streamed = b"".join(TavilyResearch(**access).invoke({"input": task, "model": "mini", "stream": True}))
check("langchain: research streams its report", b"event: done" in streamed)

spec = TavilyToolSpec(api_key=key)
spec.client = TavilyClient(key, api_base_url=base)
documents = spec.search(question, max_results=3)
check("llama-index: search finds the page", page in documents[0].metadata["url"])
check("llama-index: with its text", all(one.text.strip() != "" for one in documents))
tools = {tool.metadata.name: tool for tool in spec.to_tool_list()}
check("llama-index: as a tool of an agent", page in str(tools["search"](question).raw_output[0].metadata["url"]))
check("llama-index: extract reads the page", spec.extract([site])[0].metadata["url"] == site)
sys.exit(1 if failed else 0)
