"""A site read by Scrapy: fetch, parse, follow links; with --extract also main text by trafilatura.

Usage: scrapy_spider.py <start url> <concurrency> [--extract | --tutorial]
--tutorial follows links as Scrapy's documentation does, with a selector for the title and its LinkExtractor for the links.
Prints one line of JSON: pages, requests, seconds from the first request to the end.
"""

import json
import sys
import time
from urllib.parse import urldefrag, urlsplit

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

START, CONCURRENCY = sys.argv[1], int(sys.argv[2])
EXTRACT, TUTORIAL = "--extract" in sys.argv, "--tutorial" in sys.argv

if EXTRACT:
    import trafilatura


class SiteSpider(Spider):
    name = "site"
    if TUTORIAL:
        allowed_domains = [urlsplit(START).hostname]
    pages = 0
    characters = 0
    custom_settings = {
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOAD_MAXSIZE": 10_000_000,
        "DOWNLOAD_WARNSIZE": 0,
        "LOG_LEVEL": "ERROR",
    }

    async def start(self):
        self.began = time.monotonic()
        yield Request(START, callback=self.parse)

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        self.pages += 1
        if TUTORIAL:
            response.css("title::text").get()
            # follow_all(css="a") alone gives up a page at its first `javascript:` address.
            yield from response.follow_all(LinkExtractor().extract_links(response), callback=self.parse)
            return
        response.xpath("//title/text()").get()
        if EXTRACT:
            text = trafilatura.extract(
                response.body, url=response.url, output_format="markdown", include_links=True, with_metadata=True
            )
            self.characters += len(text or "")
        # Once per page and without fragments: an index page names the same address hundreds of times.
        urls = {urldefrag(response.urljoin(href.strip())).url for href in response.xpath("//a/@href").getall()}
        for url in urls:
            if url.startswith(START):
                yield Request(url, callback=self.parse)


process = CrawlerProcess()
crawler = process.create_crawler(SiteSpider)
process.crawl(crawler)
process.start()
spider = crawler.spider
print(
    json.dumps(
        {
            "pages": spider.pages,
            "requests": crawler.stats.get_value("downloader/request_count"),
            "seconds": time.monotonic() - spider.began,
            "characters": spider.characters,
        }
    )
)
