import { integer } from "#base/settings.ts"

/** Settings for the jobs of Firecrawl's API. */
export const firecrawlSettings = {
  crawlJobsMb: integer(
    {
      name: "FOSSICK_CRAWL_JOBS_MB",
      default: "1024",
      about:
        "Megabytes of documents that jobs of the Firecrawl API (`/v2/crawl`, `/v2/batch/scrape`) can store; each key can use a quarter. Documents are deleted a day after their job has ended.",
    },
    4,
    1_000_000,
  ),
}
