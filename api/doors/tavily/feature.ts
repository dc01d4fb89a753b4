import type { PageKnowledge } from "../../services/pages/page-knowledge.ts"
import type { Admissions } from "../../identity/accounts/admission.ts"
import type { Middleware } from "../../context.ts"
import type { Feature } from "../../feature.ts"
import type { LiveParts } from "../../core/read/live-parts.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import type { search } from "./search.ts"

type SearchCallParts = Parameters<typeof search>[1]

interface Needs extends Omit<SearchCallParts, "visits" | "misses"> {
  readonly live: LiveParts
  readonly pages: PageKnowledge
  readonly admissions: Admissions
  /** Admits a call whose key may be in its body. */
  readonly keyAndBody: readonly Middleware[]
  readonly config: SearchLimits
  readonly readOnly: string | null
}

/** Search, extract, crawl and map, in the Tavily API's format. */
export const tavily = {
  name: "tavily",
  async describe(caps) {
    const { tavilyOperations } = await import("./described/operations.ts")
    return { operations: Object.values(tavilyOperations(caps)) }
  },
  async tools() {
    return (await import("./described/tools.ts")).tavilyTools
  },
  async serve(router, { live, pages, admissions, keyAndBody, config, readOnly, ...parts }) {
    const [{ search }, { extract }, { crawl }, { map }, { admission }, { publicSearch }, { refuseAll }] =
      await Promise.all([
        import("./search.ts"),
        import("./extract.ts"),
        import("./crawl.ts"),
        import("./map.ts"),
        import("../../server/middleware/admission.ts"),
        import("../../identity/public-keys/public-search.ts"),
        import("../../read-only.ts"),
      ])
    const { embedder, images, forms, unitReader, chatModel, queries, pageCount } = parts
    router.post(
      "/search",
      ...keyAndBody,
      publicSearch(),
      admission(admissions, "search"),
      search(config, {
        embedder,
        images,
        forms,
        unitReader,
        chatModel,
        queries,
        pageCount,
        visits: pages,
        misses: live.misses,
      }),
    )
    const reading = { extract: extract(live), crawl: crawl(live), map: map(live) }
    for (const [name, answer] of Object.entries(reading)) {
      const admit = admission(admissions, name as keyof typeof reading)
      router.post(`/${name}`, ...keyAndBody, admit, readOnly === null ? answer : refuseAll(readOnly))
    }
    const names = Object.keys(reading)
    return {
      endpoints: ["search", ...names],
      toolEndpoints: readOnly === null ? ["search", ...names] : ["search"],
    }
  },
} as const satisfies Feature<Needs>
