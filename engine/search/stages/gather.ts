import type { Query } from "../../engine.ts"
import type { ModelTraits } from "../../embedder.ts"
import type { Condition, SearchIndex } from "../../index/search-index.ts"
import type { planOf } from "../ranking/depths.ts"
import { nearnessOf } from "../ranking/fusion.ts"
import { scriptOf } from "../../text/scripts.ts"
import { type ArmsFound, withoutExcluded } from "../exclusions.ts"
import { bestFirst } from "../likeliest.ts"
import type { PageWords } from "../page-words.ts"
import { withPreferred } from "../preferred.ts"
import type { Scope } from "./narrow.ts"
import type { Understood } from "./understand.ts"

/** The results of both arms, and what is known about them. */
export interface Evidence extends ArmsFound {
  /** Pages among the lexical hits that have no vectors yet. */
  readonly waiting: ReadonlySet<string>
  /** Pages that contain the quoted phrases: they come first. */
  readonly holders: ReadonlySet<string>
  /** Null if the search ignores words. */
  readonly words: PageWords | null
}

export interface Gathering {
  readonly preference: Query["preference"] | undefined
  readonly limit: number
  readonly plan: ReturnType<typeof planOf>
  readonly scope: Scope
  readonly understood: Pick<Understood, "terms" | "lookedFor">
  readonly words: PageWords
  /** The question's vector; undefined when only words are searched for. */
  readonly embedding: Promise<Float32Array> | undefined
  readonly traits: ModelTraits
}

/** How many pages the lexical arm is asked for. */
export const pagesLookedFor = ({ pages }: Pick<Gathering["plan"], "pages">, limit: number): number =>
  Math.max(pages, limit * 2)

/** How many passages the vector arm is asked for. */
export const passagesLookedFor = ({ passages }: Pick<Gathering["plan"], "passages">, limit: number): number =>
  Math.max(passages, limit * 4)

/** Asks both arms at once; excluded pages are dropped, and pages that only a preference brings in are added. */
export async function gather(
  index: SearchIndex,
  { plan, scope, understood, words, embedding, traits, preference, limit }: Gathering,
): Promise<Evidence> {
  const { arms } = plan
  const { conditions, exclusions, holders } = scope
  const askWords = async (many: number, all: readonly Condition[]) => {
    const lexical = await index.lexical(understood.lookedFor, pagesLookedFor(plan, many), all)
    // The vector arm takes longer, so the pages to read are read meanwhile.
    if (embedding && index.hasTermsAtHand) await words.read(bestFirst(lexical).slice(0, plan.read / 2))
    return lexical
  }
  const askArms = async (many: number, preferred: readonly Condition[]): Promise<ArmsFound> => {
    const all = [...conditions, ...preferred]
    if (index.takesArmsTogether) await embedding
    const [lexical, nearest] = await Promise.all([
      arms === "vector" || understood.terms.length === 0 ? new Map<string, number>() : askWords(many, all),
      embedding?.then((vector) => index.nearest(vector, passagesLookedFor(plan, many), all)) ?? [],
    ])
    return { lexical, nearest, aside: new Set() }
  }
  const found = await withoutExcluded(index, exclusions, limit, (many) =>
    withPreferred({ preference, holders, limit }, (preferred) => askArms(many, preferred)),
  )
  const near = new Set(found.nearest.map(({ page }) => page))
  const isHybrid = arms === "hybrid"
  const waiting =
    index.allEmbedded || !isHybrid
      ? new Set<string>()
      : await index.withoutVectors([...found.lexical.keys()].filter((id) => !near.has(id)))
  const unread = isHybrid ? await unreadPages(index, near, traits.scripts, plan.read) : new Set<string>()
  return {
    ...found,
    nearest: found.nearest.flatMap((one) =>
      unread.has(one.page) ? [] : [{ ...one, cosine: nearnessOf(one.cosine, traits.cosines) }],
    ),
    waiting: waiting.union(unread),
    holders,
    words: arms === "vector" ? null : words,
  }
}

/** Pages in a language that the model doesn't read: their vectors are meaningless. */
async function unreadPages(
  index: SearchIndex,
  near: ReadonlySet<string>,
  scripts: readonly string[] | null,
  best: number,
): Promise<Set<string>> {
  if (scripts === null) return new Set()
  const isUnread = (language: string | null) => language !== null && !scripts.includes(scriptOf(language))
  if (![...index.languages.keys()].some(isUnread)) return new Set()
  const unreadOf = async (pages: readonly string[]) => {
    const facts = await index.facts(pages)
    return pages.filter((id) => isUnread(facts.get(id)?.language ?? null))
  }
  const pages = [...near]
  const first = await unreadOf(pages.slice(0, best))
  // If none of the best pages is in such a language, few of the others are, and they don't matter.
  return new Set(first.length > 0 ? await unreadOf(pages) : [])
}
