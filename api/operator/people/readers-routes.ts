import type { Router } from "@koa/router"

import { EVERYBODY, readersOf } from "#engine/index/page/readers.ts"
import { sourcesOf, toPageUrl } from "#engine"
import { observationsOf } from "#crawler/fetch/observe/observations.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { unknownSource } from "#crawler/sources/source-names.ts"
import type { SourceTable } from "#crawler/sources/source-table.ts"
import { countPagesForNobody, listPagesForNobody } from "#crawler/sources/readers/pages-for-nobody.ts"
import { readersProblems } from "#crawler/sources/written/readers-problems.ts"
import { fieldText } from "#crawler/sources/written/source-problem.ts"

import { clientGone, type RequestState } from "../../context.ts"
import { badRequest, unknownMessage } from "../../errors.ts"
import { scopedEngine } from "../../identity/accounts/reach/scoped-pages.ts"
import { unprocessable } from "../../server/middleware/query-parameters.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { type Asked, askedOf, type Named } from "./asked-person.ts"
import { placeOf, tracePage } from "./page-trace.ts"
import { type LookParts, ReachViews } from "./reach-views.ts"
import { readersOperations as calls } from "./readers-operations.ts"
import { previewReaders } from "./readers-preview.ts"

interface ReadersParts extends LookParts {
  readonly sources: Pick<SourceTable, "get">
}

const RESULTS = 10
/** Maximum number of people's names in a response. */
const MOST_SHOWN = 20

/** The readers of pages: `/admin/readers`. */
export function readersRoutes(router: Router<RequestState>, parts: ReadersParts): void {
  const { db, engine, people, counts, sources } = parts
  const views = new ReachViews(parts)
  const someone = async (named: Named) => {
    const asked = await askedOf(named, views.store, people)
    if (asked === null) throw badRequest("Invalid person. Give a person or principals.")
    return asked
  }

  serve(router, calls.pageReaders, async ({ query: { url: address, ...named } }) => {
    const url = toPageUrl(address ?? "")
    if (url === null) throw badRequest("Invalid url. Must be an http or https address.")
    const whom = await askedOf(named, views.store, people)
    const asked = whom && askedOnWire(whom)
    const page = await engine.get(url)
    if (page === null) return { url, ...NOT_THERE, asked }
    const { rules, effective } = await tracePage(page, whom, await views.readers(), views.collections)
    const because = rules.find(({ letsIn }) => letsIn === false)?.text ?? null
    const shown = rules.map(async ({ letsIn, ...rule }) => ({
      ...rule,
      from: await placeOf(rule, sources),
      lets_in: letsIn,
    }))
    const { of, users } = await views.readersAmong(page, effective)
    return {
      url,
      in_index: true,
      title: page.title,
      rules: await Promise.all(shown),
      observed: (await observationsOf(db, url)).map(({ at, ...one }) => ({
        ...one,
        at: new Date(at).toISOString(),
      })),
      effective,
      may_read: whom && because === null,
      because,
      asked,
      people: { of, ...shownUsers(users) },
    }
  })

  serve(router, calls.seenBy, async ({ query }) => {
    const asked = await someone(query)
    return { asked: askedOnWire(asked), ...(await views.seenBy(asked)) }
  })

  serve(router, calls.pagesForNobody, async ({ query: { limit } }) => await pagesForNobody(db, limit))

  serve(router, calls.readersMatrix, async ({ query: { source: part = "", limit, offset } }) => ({
    ...(await views.matrix({ part: part.trim(), limit, offset })),
    limit,
    offset,
  }))

  serve(router, calls.previewReaders, async ({ body: { source, readers: written } }) => {
    const unknown = await unknownSource(db, [source])
    if (unknown !== null) throw unprocessable([{ field: "source", message: unknownMessage(unknown) }])
    const problems = readersProblems(written ?? {})
    if (problems.length > 0) throw unprocessable(problems.map(problemOnWire))
    const now = await views.readers()
    const after = written === null ? EVERYBODY : readersOf(written)
    const { store, collections } = views
    const found = await previewReaders(source, after, {
      store,
      people,
      collections,
      now,
      counts: await counts.now(),
    })
    return {
      source,
      before: now.sources.get(source) ?? EVERYBODY,
      after,
      pages: found.pages,
      pages_gained: found.pagesGained,
      pages_lost: found.pagesLost,
      people: found.people,
      gaining: shownUsers(found.gaining),
      losing: shownUsers(found.losing),
      everybody: found.everybody,
      signed_in: found.signedIn,
      warnings: found.warnings,
    }
  })

  serve(router, calls.searchAs, async ({ ctx, body: { query: text, ...named } }) => {
    const asked = await someone(named)
    if (asked.refusal !== null) return { asked: askedOnWire(asked), results: [] }
    const query = { text, limit: RESULTS, passagesPerPage: 1, withMarkdown: false }
    const seen = asked.principals === null ? engine : scopedEngine(engine, () => views.limitsOf(asked))
    const { hits } = await seen.search(query, { signal: clientGone(ctx) })
    const results = hits.map((hit) => ({
      url: hit.url,
      title: hit.title,
      score: hit.score,
      sources: sourcesOf(hit),
      text: hit.passages[0]?.text ?? "",
    }))
    return { asked: askedOnWire(asked), results }
  })
}

async function pagesForNobody(db: StateStore, limit: number) {
  const counted = [...(await countPagesForNobody(db))].sort(([a], [b]) => (a < b ? -1 : 1))
  const pages: { url: string; source: string }[] = []
  for (const [source] of counted) {
    const urls = await listPagesForNobody(db, source, limit - pages.length)
    pages.push(...urls.map((url) => ({ url, source })))
    if (pages.length >= limit) break
  }
  return { pages, total: counted.reduce((sum, [, count]) => sum + count, 0) }
}

const NOT_THERE = {
  in_index: false,
  title: null,
  rules: [],
  observed: [],
  effective: null,
  may_read: null,
  because: null,
  people: { total: 0, of: 0, users: [] },
} as const

const problemOnWire = ({ path, message }: ReturnType<typeof readersProblems>[number]) => ({
  field: fieldText(["readers", ...path]),
  message,
})

const shownUsers = (users: readonly string[]) => ({
  total: users.length,
  users: users.toSorted().slice(0, MOST_SHOWN),
})

const askedOnWire = ({ person, principals, refusal }: Asked) => ({
  principals: refusal === null ? principals : [],
  person: person?.id ?? null,
  user: person?.user ?? null,
  refusal,
})
