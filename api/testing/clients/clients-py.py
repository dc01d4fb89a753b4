"""Tries the unmodified Python clients of several APIs against a running appliance, one line for each ability; see README.md."""

import asyncio
import importlib.util
import logging
import math
import os
import sys
import threading
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

base, key = sys.argv[1].rstrip("/"), sys.argv[2]
# Folders into which the wheels of gpt-researcher and open-webui were unpacked: whole, they want more than all others.
researcher, webui = Path(sys.argv[3]), Path(sys.argv[4])
site = f"{base}/docs/"
question = "how do I schedule a crawl?"
page = "schedule-a-crawl"
logging.disable(logging.CRITICAL)


def tried(client, api, abilities, its_version=None):
    for ability, holds in abilities.items():
        try:
            good, problem = bool(holds()), ""
        except Exception as error:
            good, problem = False, " ".join(f"{type(error).__name__}: {error}".split())[:200]
        print("PyPI", client, its_version or version(client), api, ability, "ok" if good else "FAIL", problem, sep="\t", flush=True)


def has(value, text=page):
    return text in str(value)


def is_unit(vector):
    return abs(math.hypot(*vector) - 1) < 1e-3


def with_key(url):
    return url.replace("://", f"://:{key}@")


def tavily():
    from tavily import TavilyClient

    client = TavilyClient(key, api_base_url=base)
    tried("tavily-python", "Tavily", {
        "search": lambda: has(client.search(question)),
        "extract": lambda: len(client.extract([site])["results"]) == 1,
        "crawl": lambda: len(client.crawl(site, limit=3)["results"]) == 3,
        "map": lambda: len(client.map(site, limit=3)["results"]) == 3,
    })


def langchain_tavily():
    from langchain_tavily import TavilyExtract, TavilySearch

    given = {"tavily_api_key": key, "api_base_url": base}
    tried("langchain-tavily", "Tavily", {
        "search": lambda: has(TavilySearch(**given).invoke({"query": question})),
        "extract": lambda: has(TavilyExtract(**given).invoke({"urls": [site]}), "handbook"),
    })


def llama_index():
    from llama_index.tools.tavily_research import TavilyToolSpec
    from tavily import TavilyClient

    spec = TavilyToolSpec(api_key=key)
    spec.client = TavilyClient(key, api_base_url=base)
    tried("llama-index-tools-tavily-research", "Tavily", {"search": lambda: has(spec.search(question))})


def firecrawl():
    from firecrawl import Firecrawl

    client = Firecrawl(api_key=key, api_url=base)

    def watch():
        ended = threading.Event()
        watcher = client.watcher(client.start_crawl(site, limit=3).id, kind="crawl", poll_interval=1, timeout=60)
        watcher.add_event_listener("done", lambda _: ended.set())
        watcher.start()
        return ended.wait(60) and len(watcher.data) == 3

    tried("firecrawl-py", "Firecrawl", {
        "search": lambda: has(client.search(question)),
        "scrape": lambda: "handbook" in client.scrape(site).markdown,
        "map": lambda: len(client.map(site, limit=10).links) > 5,
        "crawl": lambda: len(client.crawl(site, limit=3, poll_interval=1).data) == 3,
        "watch": watch,
        "batch scrape": lambda: len(client.batch_scrape([site], poll_interval=1).data) == 1,
    })


def langchain_firecrawl():
    from langchain_firecrawl import FirecrawlLoader, FirecrawlMap, FirecrawlScrape, FirecrawlSearch

    given = {"api_key": key, "api_url": base}
    tried("langchain-firecrawl", "Firecrawl", {
        "search": lambda: has(FirecrawlSearch(**given).invoke({"query": question})),
        "scrape": lambda: has(FirecrawlScrape(**given).invoke({"url": site}), "handbook"),
        "map": lambda: has(FirecrawlMap(**given).invoke({"url": site})),
        "load": lambda: has(FirecrawlLoader(url=site, mode="scrape", **given).load(), "handbook"),
    })


def llama_index_firecrawl():
    from llama_index.readers.web import FireCrawlWebReader

    def load(mode, params=None, **given):
        reader = FireCrawlWebReader(api_key=key, api_url=base, mode=mode, params=params or {})
        return lambda: has([f"{one.text} {one.metadata}" for one in reader.load_data(**given)])

    tried("llama-index-readers-web", "Firecrawl", {
        "search": load("search", query=question),
        "scrape": load("scrape", url=site + page),
        "map": load("map", {"limit": 100}, url=site),
        "crawl": load("crawl", {"limit": 1}, url=site + page),
    })


def fixed_addresses():
    """Clients that call api.tavily.com or api.firecrawl.dev whatever they are told: see with-front.sh."""
    os.environ["TAVILY_API_KEY"] = os.environ["FIRECRAWL_API_KEY"] = key
    from haystack_integrations.components.fetchers.firecrawl import FirecrawlCrawler
    from haystack_integrations.components.fetchers.tavily import TavilyFetcher
    from haystack_integrations.components.websearch.firecrawl import FirecrawlWebSearch
    from haystack_integrations.components.websearch.tavily import TavilyWebSearch

    tried("tavily-haystack", "Tavily", {
        "search": lambda: has(TavilyWebSearch().run(query=question)),
        "extract": lambda: has([one.content for one in TavilyFetcher().run(urls=[site + page])["documents"]], "cron"),
    })
    tried("firecrawl-haystack", "Firecrawl", {
        "search": lambda: has(FirecrawlWebSearch().run(query=question)),
        "crawl": lambda: has([one.content for one in FirecrawlCrawler(params={"limit": 1}).run(urls=[site + page])["documents"]], "cron"),
    })
    module = researcher_module("retrievers/tavily/tavily_search.py")
    tried("gpt-researcher", "Tavily", {"search": lambda: has(module.TavilySearch(question).search())}, wheel_version(researcher))


def searx():
    from langchain_community.utilities import SearxSearchWrapper

    search = SearxSearchWrapper(searx_host=f"{base}/searxng/search", headers={"Authorization": f"Bearer {key}"})
    tried("langchain-community", "SearXNG", {"search": lambda: has(search.results(question, num_results=5)) and search.run(question)})


def gpt_researcher():
    os.environ["SEARX_URL"] = with_key(f"{base}/searxng")
    module = researcher_module("retrievers/searx/searx.py")
    tried("gpt-researcher", "SearXNG", {"search": lambda: has(module.SearxSearch(question).search())}, wheel_version(researcher))


def researcher_module(path):
    spec = importlib.util.spec_from_file_location(Path(path).stem, researcher / "gpt_researcher" / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wheel_version(folder):
    return next(folder.glob("*.dist-info")).name.removesuffix(".dist-info").split("-")[-1]


def litellm_search():
    import litellm

    def search(provider, api_base):
        return lambda: has(litellm.search(query=question, search_provider=provider, api_key=key, api_base=api_base))

    tried("litellm", "Tavily", {"search": search("tavily", base)})
    tried("litellm", "Firecrawl", {"search": search("firecrawl", f"{base}/v2/search")})
    tried("litellm", "SearXNG", {"search": search("searxng", f"{base}/searxng")})

    def embed():
        answer = litellm.embedding(model="openai/default", input=[question], api_key=key, api_base=f"{base}/v1", encoding_format="float")
        return is_unit(answer.data[0]["embedding"])

    tried("litellm", "OpenAI", {"embeddings": embed})


def openai():
    from openai import OpenAI

    client = OpenAI(api_key=key, base_url=f"{base}/v1")
    tried("openai", "OpenAI", {
        "vector store search": lambda: has([one.file_id for one in client.vector_stores.search("all", query=question)]),
        "vector stores": lambda: "all" in [one.id for one in client.vector_stores.list()] and client.vector_stores.retrieve("all").status == "completed",
        "embeddings": lambda: is_unit(client.embeddings.create(model="default", input=question).data[0].embedding),
        "models": lambda: len(client.models.list().data) == 1,
    })


def langchain_openai():
    from langchain_openai import OpenAIEmbeddings

    embedder = OpenAIEmbeddings(model="default", api_key=key, base_url=f"{base}/v1", check_embedding_ctx_length=False)
    tried("langchain-openai", "OpenAI", {"embeddings": lambda: is_unit(embedder.embed_query(question))})


def open_webui():
    os.environ["WEBUI_SECRET_KEY"] = "check"
    os.environ["TAVILY_API_BASE_URL"] = base
    sys.path.insert(0, str(webui))
    from open_webui.retrieval.loaders.external_web import ExternalWebLoader
    from open_webui.retrieval.loaders.tavily import TavilyLoader
    from open_webui.retrieval.web.external import search_external
    from open_webui.retrieval.web.firecrawl import scrape_firecrawl_url, search_firecrawl
    from open_webui.retrieval.web.searxng import search_searxng
    from open_webui.retrieval.web.tavily import search_tavily

    its_version = wheel_version(webui)
    request = SimpleNamespace(state=SimpleNamespace())
    loaded = lambda loader: has([one.page_content for one in loader.lazy_load()], "handbook")
    tried("open-webui", "Open WebUI's external", {
        "search": lambda: has(search_external(request, f"{base}/openwebui/search", key, question, 5)),
        "load": lambda: loaded(ExternalWebLoader([site], f"{base}/openwebui/load", key, continue_on_failure=False)),
    }, its_version)
    tried("open-webui", "Tavily", {
        "search": lambda: has(search_tavily(key, question, 5)),
        "extract": lambda: loaded(TavilyLoader([site], key, continue_on_failure=False)),
    }, its_version)
    tried("open-webui", "Firecrawl", {
        "search": lambda: has(search_firecrawl(base, key, question, 5)),
        "scrape": lambda: has(scrape_firecrawl_url(base, key, site), "handbook"),
    }, its_version)
    tried("open-webui", "SearXNG", {"search": lambda: has(asyncio.run(search_searxng(with_key(f"{base}/searxng/search"), question, 5)))}, its_version)


clients = [tavily, langchain_tavily, llama_index, firecrawl, langchain_firecrawl, llama_index_firecrawl, searx, gpt_researcher, litellm_search, openai, langchain_openai, open_webui]
if "FRONT" in os.environ:
    clients.append(fixed_addresses)
for one in clients:
    try:
        one()
    except BaseException as error:
        print("PyPI", one.__name__, "", "", "loads", "FAIL", " ".join(f"{type(error).__name__}: {error}".split())[:200], sep="\t", flush=True)
