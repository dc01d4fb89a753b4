import type { Router } from "@koa/router"

import { OtherForms } from "#crawler/crawl/duplicates/other-forms.ts"
import { concealedEnd } from "#crawler/fetch/concealed.ts"
import { type KnownAddress, KnownAddresses } from "#crawler/crawl/frontier/known-addresses.ts"
import { PageLinks } from "#crawler/crawl/frontier/page-links.ts"
import type { Job } from "#crawler"
import { type Page, type PageUrl, sourcesOf } from "#engine"
import { typeOf } from "#engine/index/page/page-type.ts"
import { cutIntoPassages } from "#engine/text/passages.ts"

import type { RequestState } from "../../../../context.ts"
import { ApiError, badRequest } from "../../../../errors.ts"
import { unprocessable } from "../../../../server/middleware/query-parameters.ts"
import type { AdminParts } from "../../admin-parts.ts"
import { pageOperations } from "../../operations/pages.ts"
import { serve } from "../../../../server/serving/serve-operation.ts"
import { jobOnWire } from "../../wire.ts"
import { whileWaiting } from "../while-waiting.ts"
import { addressOf } from "./pages.ts"

/** Maximum number of passages of a page that are shown. */
const MAX_PASSAGES = 200
/** Maximum number of linking pages listed for a page. */
const MAX_LINKING = 50
/** Maximum number of pages of one source whose links are searched, which takes about a second, with pauses for other work. */
const MOST_LOOKED_THROUGH = 20_000

/** A page as stored in the index, with every source's facts about it; and a way to revisit it. */
export function pageStateRoutes(router: Router<RequestState>, parts: AdminParts): void {
  const { db, engine, jobs, removals, sources } = parts

  serve(router, pageOperations.pageState, async ({ ctx, query }) => {
    const url = addressOf(query.url)
    if (url === null) throw badRequest("Invalid url. Must be an http or https address.")
    const signal = whileWaiting(ctx)
    const known = (await new KnownAddresses(db).all(url)).map(concealedEnd)
    const page = await engine.get(url)
    const names = [...new Set([...known.map(({ source }) => source), ...(page ? sourcesOf(page) : [])])]
    return {
      url,
      page: page && (await pageOnWire(page, signal)),
      other_forms: (await new OtherForms(db).of(url, names)).map((form) => ({
        url: form.url,
        format: form.format,
      })),
      known: known.map(knownOnWire),
      linked_from: await linksIn(new PageLinks(db), names, url, signal),
    }
  })

  serve(router, pageOperations.recrawlPage, async ({ body }) => {
    const url = addressOf(body.url)
    if (url === null) throw unprocessable([{ field: "url", message: "must be an http or https address" }])
    const known = new KnownAddresses(db)
    const declared: string[] = []
    for (const { source } of await known.all(url)) {
      if ((await sources.get(source)) !== null) declared.push(source)
    }
    if (declared.length === 0) {
      throw new ApiError(
        409,
        "No declared source knows this address. Add it to a source's seeds, or link to it from a page that is crawled.",
      )
    }
    const started: Job[] = []
    for (const source of declared) {
      await known.makeDue(url, source)
      const job = await sources.run(source, { trigger: "api", visits: "due" })
      if (job !== null) started.push(job)
    }
    const shown = async (job: Job) => jobOnWire((await jobs.get(job.id)) ?? job, await removals.ofRun(job.id))
    return { url, jobs: await Promise.all(started.map(shown)) }
  })
}

async function pageOnWire(page: Page, signal: AbortSignal) {
  const passages = await cutIntoPassages({ chars: page.markdown.length, signal }, page.markdown)
  return {
    title: page.title,
    description: page.description,
    language: page.language,
    author: page.author,
    published_at: page.publishedAt,
    crawled_at: page.fetchedAt,
    topic: page.topic,
    type: typeOf(page),
    unsafe: page.unsafe,
    sources: sourcesOf(page),
    characters: page.markdown.length,
    images: page.images.length,
    passages: passages.slice(0, MAX_PASSAGES),
    passages_total: passages.length,
  }
}

const knownOnWire = (known: KnownAddress) => ({
  source: known.source,
  outcome: known.outcome,
  detail: known.detail,
  job_id: known.job === 0 ? null : known.job,
  depth: known.depth,
  found_how: known.foundHow,
  found_on: known.foundOn,
  first_seen: new Date(known.firstSeen),
  visited_at: new Date(known.visitedAt),
  changed_at: known.changedAt === null ? null : new Date(known.changedAt),
  due_at: known.dueAt === 0 ? null : new Date(known.dueAt),
})

async function linksIn(links: PageLinks, sources: readonly string[], url: PageUrl, signal: AbortSignal) {
  const pages: { url: string; source: string }[] = []
  let isAll = true
  for (const source of sources) {
    const room = MAX_LINKING - pages.length
    const found = await links.linking(source, url, { limit: room, most: MOST_LOOKED_THROUGH }, signal)
    pages.push(...found.urls.map((one) => ({ url: one, source })))
    isAll &&= found.isAll
  }
  return { pages, all: isAll }
}
