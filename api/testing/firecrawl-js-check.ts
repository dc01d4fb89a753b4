import { base, check, key, load, type Loose, page, question, refusal, site } from "./clients/npm-clients.ts"

// Runs the unmodified npm client of Firecrawl against a running appliance. Not part of `npm test`: it is installed in
// its own folder:
//
// mkdir /tmp/firecrawl && cd /tmp/firecrawl && npm init -y && npm install @mendable/firecrawl-js@4.42.0 npx node
// api/testing/firecrawl-js-check.ts /tmp/firecrawl http://localhost:8080 <api key>
//
// The client reads the handbook of the appliance, so the appliance must allow its own address:
// FOSSICK_ALLOWED_NETWORKS=localhost:8080. Exits with 0 when every check passes.

const { default: Firecrawl } = await load("@mendable/firecrawl-js")
const client = new Firecrawl({ apiKey: key, apiUrl: base })

await check("scrape", async () => {
  const read = await client.scrape(site, { formats: ["markdown", "html", "rawHtml", "links", "images"] })
  return (
    read.markdown.includes("handbook") &&
    read.html.includes("<p>") &&
    read.rawHtml.includes("<!doctype html>") &&
    read.links.length > 20 &&
    read.metadata.statusCode === 200
  )
})
await check("scrape: changes since the crawl", async () => {
  const read = await client.scrape(`${site}${page}`, {
    formats: ["markdown", { type: "changeTracking", modes: ["git-diff"] }],
  })
  return read.changeTracking.changeStatus === "same"
})
await check("scrape: a format that is not made here is refused by name", async () =>
  (await refusal(client.scrape(site, { formats: ["branding"] }))).includes("Invalid formats."),
)
await check("scrape: a missing page", async () =>
  (await refusal(client.scrape(`${site}none`))).includes("404"),
)
await check("search", async () => {
  const found = await client.search(question, { limit: 3, scrapeOptions: { formats: ["markdown"] } })
  return (
    found.web.length <= 3 &&
    found.web.some((one: Loose) => one.url.includes(page) && one.markdown.length > 100)
  )
})
await check("map", async () => {
  const { links } = await client.map(site, { limit: 20, search: "schedule a crawl" })
  return links.length > 10 && links[0].url.includes(page)
})
await check("crawl, to its end", async () => {
  const job = await client.crawl(site, {
    limit: 5,
    scrapeOptions: { formats: ["markdown"] },
    pollInterval: 1,
  })
  return job.status === "completed" && job.data.length === 5 && job.data[0].markdown.length > 100
})
await check("crawl: cancelled, its errors, and those under way", async () => {
  const { id } = await client.startCrawl(site, { limit: 100, delay: 30 })
  const active = await client.getActiveCrawls()
  const { errors, robotsBlocked } = await client.getCrawlErrors(id)
  const isActive = active.crawls.some((one: Loose) => one.id === id && one.url === site)
  return isActive && errors.length === 0 && robotsBlocked.length === 0 && (await client.cancelCrawl(id))
})
await check("crawl: watched", async () => {
  const { id } = await client.startCrawl(site, { limit: 3 })
  const watcher = client.watcher(id, { kind: "crawl" })
  let documents = 0
  let end = ""
  watcher.on("document", () => (documents += 1))
  watcher.on("done", ({ status }: Loose) => (end = status))
  await watcher.start()
  return end === "completed" && documents === 3
})
await check("credits and jobs", async () => {
  const { remainingCredits } = await client.getCreditUsage()
  const { jobsInQueue } = await client.getQueueStatus()
  return remainingCredits > 0 && jobsInQueue === 0
})
await check("batch scrape, to its end", async () => {
  const urls = [site, `${site}${page}`, "no address"]
  const job = await client.batchScrape(urls, { options: { formats: ["markdown"] }, pollInterval: 1 })
  return job.status === "completed" && job.data.length === 2
})
await check("a wrong key", async () =>
  (await refusal(new Firecrawl({ apiKey: "fc-nope", apiUrl: base }).search("x"))).includes("invalid API key"),
)

const { v1 } = client
await check("v1: scrape", async () =>
  (await v1.scrapeUrl(site, { formats: ["markdown"] })).markdown.includes("handbook"),
)
await check("v1: search", async () =>
  (await v1.search(question, {})).data.some((one: Loose) => one.url.includes(page)),
)
await check("v1: map", async () => (await v1.mapUrl(site, { limit: 10 })).links.length === 10)
await check("v1: crawl", async () => {
  const job = await v1.crawlUrl(site, { limit: 3, scrapeOptions: { formats: ["markdown"] } }, 1)
  return job.status === "completed" && job.data.length === 3
})
await check("v1: batch scrape", async () => {
  const job = await v1.batchScrapeUrls([site], { formats: ["markdown"] }, 1)
  return job.status === "completed" && job.data.length === 1
})
