import type { PageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import {
  type AddressRules,
  commonForm,
  type Difference,
  differenceOf,
  folded,
  forms,
  inWords,
  siteOf,
  withoutDifferingValue,
} from "./address-forms.ts"
import { type Pair, SiteEvidence } from "./site-evidence.ts"
import type { TextTables } from "./text-store.ts"
import { withoutTracking } from "./tracking-parameters.ts"
import { fnv1a } from "#base/text/hash.ts"

/** One address's answer in this run: the hash of its lines. */
export interface Answered {
  readonly url: PageUrl
  readonly lines: string
  /** The canonical address that the page names. */
  readonly canonical: PageUrl | null
}

/** The other answers already known when a new one arrives. */
export interface Beside {
  /** Addresses that answered in this run and have the same lines or the same common form. */
  readonly answers: readonly Answered[]
  /** An address's answer in this run; `null` if it was not requested. */
  readonly answerOf: (url: PageUrl) => Promise<Answered | "missing" | null>
}

/** The address under which a page is crawled instead. */
export interface Spelling {
  readonly url: PageUrl
  /** The reason, in words. */
  readonly because: string
}

/** Evidence is forgotten after this many days, because sites are rebuilt. */
const EVIDENCE_DAYS = 90
const DAY_MS = 86_400_000
/**
 * One in this many addresses is read despite the rules, so that a wrong rule is noticed; the second number limits this
 * per site and run.
 */
const ASKED_AGAIN_OF = 50
const MOST_ASKED_AGAIN = 20
/** How many addresses that no page links to are requested per parameter, with that parameter left out, to see whether it changes anything. */
const MOST_PROBES = 10
/** Number of foldings remembered, so that they can be undone when the address requested instead turns out to be missing. */
const REMEMBERED = 2000

/** The rules learned about a site so far. Read-only. Uses the text store's tables. */
export async function learnedRules(db: StateStore, site: string, now: number): Promise<AddressRules> {
  return (await evidenceOf(db, site, now - EVIDENCE_DAYS * DAY_MS)).rules
}

async function evidenceOf(db: StateStore, site: string, since: number): Promise<SiteEvidence> {
  const rows = await queriesOf<TextTables>(db)
    .selectFrom("address_pair")
    .select(["difference", "page", "value", "agrees"])
    .where("site", "=", site)
    .where("seen_at", ">=", since)
    .execute()
  const evidence = new SiteEvidence()
  for (const row of rows) evidence.add({ ...row, agrees: row.agrees === 1 })
  return evidence
}

type PairRow = TextTables["address_pair"]
const keepPair = once((q: Queries<TextTables>, { site, difference, page, value, agrees, seen_at }: PairRow) =>
  q
    .insertInto("address_pair")
    .values({ site, difference, page, value, agrees, seen_at })
    .onConflict((conflict) =>
      conflict.columns(["site", "difference", "page", "value", "agrees"]).doUpdateSet({ seen_at }),
    ),
)

/** Learns which spellings of addresses name the same page, site by site, and stores that in `state.db`. */
export class AddressBook {
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #sites = new Map<string, Promise<SiteEvidence>>()
  readonly #askedAgain = new Map<string, Set<PageUrl>>()
  readonly #probes = new Map<string, Set<PageUrl>>()
  readonly #foldings = new Map<PageUrl, PageUrl>()

  /** Uses the text store's tables, so that store has to be opened first. */
  constructor(db: StateStore, clock: Clock = Date.now) {
    this.#db = db
    this.#clock = clock
  }

  /** The address to crawl instead of one that was found: the address itself, in most cases. */
  async spelling(found: PageUrl): Promise<PageUrl> {
    return (await this.instead(found))?.url ?? found
  }

  /** The other address under which a page is crawled; `null` if the page is crawled under this one. */
  async instead(found: PageUrl): Promise<Spelling | null> {
    const clean = withoutTracking(found)
    const { rules } = await this.#site(siteOf(clean))
    const url = hasRules(rules) ? folded(clean, rules) : clean
    if (url === clean || this.#isAskedAgain(clean)) {
      return clean === found
        ? null
        : { url: clean, because: "parameters that only track clicks or visitors are left out" }
    }
    if (this.#foldings.size >= REMEMBERED)
      this.#foldings.delete(this.#foldings.keys().next().value as PageUrl)
    this.#foldings.set(url, clean)
    return { url, because: this.#reasons(clean, rules) }
  }

  /**
   * Learns from a page that was read.
   * @returns addresses to request, since only their answers show whether a parameter matters.
   */
  async learn(answer: Answered, { answers, answerOf }: Beside): Promise<PageUrl[]> {
    const { url, lines } = answer
    const page = commonForm(url)
    // An answer that several pages share (“please log in”, “nothing found”) says nothing about their addresses.
    const isCommon = answers.some((other) => other.lines === lines && commonForm(other.url) !== page)
    const probes: PageUrl[] = []
    for (const other of answers) {
      if (other.url === url) continue
      const between = differenceOf(url, other.url)
      if (between) await this.#compare(answer, other, between.difference, between.value, isCommon)
      else if (other.lines === lines && !isCommon) {
        const bare = withoutDifferingValue(url, other.url)
        if (bare && (await answerOf(bare.url)) === null && this.#mayProbe(url, bare.difference, bare.url)) {
          probes.push(bare.url)
        }
      }
    }
    for (const form of forms(url)) {
      const other = await answerOf(form.url)
      if (other === "missing") await this.#add(url, { ...form, page, agrees: false })
      else if (other) await this.#compare(answer, other, form.difference, form.value, isCommon)
    }
    return probes
  }

  /** Learns from an address that redirects to another one on the site. */
  async redirected(from: PageUrl, to: PageUrl): Promise<void> {
    if (siteOf(from) !== siteOf(to)) return
    const between = differenceOf(from, to)
    if (!between) return
    const value = isParameter(between.difference) ? between.value : opinion(between.difference, to)
    await this.#add(from, { difference: between.difference, page: commonForm(from), value, agrees: true })
  }

  /**
   * Learns from an address that is missing although other spellings of it were read.
   * @returns the spelling that this address was requested in place of, if any: that spelling has to be read after all.
   */
  async missing(url: PageUrl, answerOf: Beside["answerOf"]): Promise<PageUrl | null> {
    const page = commonForm(url)
    for (const form of forms(url)) {
      const other = await answerOf(form.url)
      if (other && other !== "missing") await this.#add(url, { ...form, page, agrees: false })
    }
    const found = this.#foldings.get(url)
    if (found === undefined) return null
    this.#foldings.delete(url)
    for (const form of this.#applied(found, (await this.#site(siteOf(url))).rules)) {
      await this.#add(url, { ...form, page, agrees: false })
    }
    return await this.spelling(found)
  }

  async #compare(
    a: Answered,
    b: Answered,
    difference: Difference,
    value: string,
    isCommon: boolean,
  ): Promise<void> {
    const agrees = a.lines === b.lines
    if (agrees && isCommon) return
    const page = commonForm(a.url)
    if (isParameter(difference)) {
      await this.#add(a.url, { difference, page, value, agrees })
      return
    }
    const named = [a, b].find(({ canonical }) => canonical === a.url || canonical === b.url)?.canonical
    await this.#add(a.url, { difference, page, value: named ? opinion(difference, named) : "", agrees })
  }

  async #add(url: PageUrl, { difference, page, value, agrees }: Pair): Promise<void> {
    const site = siteOf(url)
    if (!(await this.#site(site)).add({ difference, page, value, agrees })) return
    const seen_at = this.#clock()
    await keepPair.run(this.#db, { site, difference, page, value, agrees: agrees ? 1 : 0, seen_at })
  }

  #site(site: string): Promise<SiteEvidence> {
    let evidence = this.#sites.get(site)
    if (!evidence) this.#sites.set(site, (evidence = this.#read(site)))
    return evidence
  }

  async #read(site: string): Promise<SiteEvidence> {
    const since = this.#clock() - EVIDENCE_DAYS * DAY_MS
    await queriesOf<TextTables>(this.#db)
      .deleteFrom("address_pair")
      .where("site", "=", site)
      .where("seen_at", "<", since)
      .execute()
    return await evidenceOf(this.#db, site, since)
  }

  #isAskedAgain(url: PageUrl): boolean {
    if ((fnv1a(url) >>> 0) % ASKED_AGAIN_OF !== 0) return false
    const some = this.#askedAgain.get(siteOf(url)) ?? new Set()
    this.#askedAgain.set(siteOf(url), some)
    if (some.size < MOST_ASKED_AGAIN) some.add(url)
    return some.has(url)
  }

  #mayProbe(url: PageUrl, difference: Difference, bare: PageUrl): boolean {
    const key = `${siteOf(url)} ${difference}`
    const probed = this.#probes.get(key) ?? new Set()
    this.#probes.set(key, probed)
    if (probed.size >= MOST_PROBES || probed.has(bare)) return false
    probed.add(bare)
    return true
  }

  #applied(url: PageUrl, rules: AddressRules) {
    return forms(url).filter(({ difference, value }) => {
      if (!isParameter(difference)) return rules.forms.has(difference as "slash")
      const name = difference.slice("parameter:".length)
      return rules.parameters.has(name) || rules.values.has(`${name}=${value}`)
    })
  }

  #reasons(url: PageUrl, rules: AddressRules): string {
    const words = this.#applied(url, rules).map(({ difference, value }) =>
      inWords(difference, rules.parameters.has(difference.slice("parameter:".length)) ? "" : value),
    )
    return [...new Set(words)].join("; ")
  }
}

const hasRules = ({ forms, parameters, values }: AddressRules) =>
  forms.size + parameters.size + values.size > 0

const isParameter = (difference: Difference) => difference.startsWith("parameter:")

/** `yes` if the site prefers the longer form, judging by the address that it named. */
function opinion(difference: Difference, named: PageUrl): string {
  switch (difference) {
    case "https":
      return named.startsWith("https:") ? "yes" : "no"
    case "www":
      return new URL(named).host.startsWith("www.") ? "yes" : "no"
    case "slash":
      return new URL(named).pathname.endsWith("/") ? "yes" : "no"
    default:
      return ""
  }
}
