import { Serial } from "#base/flow/serial.ts"
import type { Engine, PageUrl } from "#engine"
import { compareAddresses } from "#engine/index/page/preferred-address.ts"
import { readersLabel } from "#engine/index/page/readers.ts"
import type { Clock } from "#base/clock.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { AddressBook, type Answered, type Spelling } from "./address-book.ts"
import { commonForm } from "./address-forms.ts"
import {
  compareFormats,
  type DocumentForm,
  documentForm,
  isSameDocument,
  OTHER_FORMAT,
} from "./document-form.ts"
import { type PageContent, type PageText, plainLines, readersIn, readText } from "./page-text.ts"
import { RecentTexts } from "./recent-texts.ts"
import { isLike, isNear, mayBeNear, sameButEdges, sameText } from "./near-duplicates.ts"
import { type KeptText, TextStore } from "./text-store.ts"
import { withoutTracking } from "./tracking-parameters.ts"

export interface DuplicatesOptions {
  readonly db: StateStore
  readonly engine: Pick<Engine, "get">
  readonly job: number
  /** Name of the source: pages of different sources are never treated as the same. */
  readonly source: string
  readonly clock: Clock
  /**
   * Whether pages are compared only with those that this run has read. The readers of other pages may have changed
   * since, and a page must not replace one that has other readers. Default: false.
   */
  readonly isOfThisRun?: boolean
  /** How this run's visit to an address ended; `null` if there was none. */
  outcomeOf(url: PageUrl): Promise<"page" | "missing" | "other" | null>
  /** Whether an address belongs to the source. */
  inScope(url: PageUrl): boolean
  /** Whether the index contains a page at that address. */
  isIndexed(url: PageUrl): Promise<boolean>
}

/** A page that was read. */
export interface ReadPage extends PageContent {
  readonly url: PageUrl
  /** The requested address: either the page's own or one that redirects to it. */
  readonly from: PageUrl
  /** The canonical address that the page names, if that belongs to the source. */
  readonly canonical: PageUrl | null
}

export type Judgement = (
  | {
      /** A page of its own. */
      readonly kind: "page"
      /** Addresses that were pages until now, and are now the same as this one. */
      readonly replaces: readonly Replaced[]
      /** Addresses that were filed under it while it had other readers, and that have to be read again. */
      readonly estranged: readonly PageUrl[]
    }
  | {
      /** The address is another address of a page that is kept. */
      readonly kind: "alias"
      readonly of: PageUrl
      readonly detail: string
    }
) & {
  /** The lines of its text. */
  readonly lines: readonly string[]
  /** Addresses to request: their answers show how to read this site's addresses. */
  readonly probes: readonly PageUrl[]
}

export interface Replaced {
  readonly url: PageUrl
  /** The reason, in words; see {@link inWords}. */
  readonly evidence: string
  /** Whether it became a page only in this run, so that it can be removed without further evidence. */
  readonly isNew: boolean
}

/** Maximum number of rows checked for one page; if more are alike, a few are as informative as all of them. */
const MOST_ALIKE = 16
const MOST_CLAIMS = 100
/** Maximum number of texts compared line by line for one page. */
const MOST_COMPARED = 3

/** What one run knows about pages with several addresses. Only one process works on a source at a time. */
export class Duplicates {
  readonly #options: DuplicatesOptions
  readonly #texts: TextStore
  readonly #book: AddressBook
  readonly #recent = new RecentTexts()
  /** Reads and writes texts one at a time, because a finding must still be true when it is written. */
  readonly #turn = new Serial()

  constructor(options: DuplicatesOptions) {
    this.#options = options
    this.#texts = new TextStore(options.db, options.source)
    this.#book = new AddressBook(options.db, options.clock)
  }

  /** An address without parameters that only track a click or a visitor. */
  clean(url: PageUrl): PageUrl {
    return withoutTracking(url)
  }

  /** The other address under which a page is crawled, by the rules of its site; `null` if the page is crawled under this one. */
  async instead(url: PageUrl): Promise<Spelling | null> {
    const spelling = await this.#book.instead(url)
    return spelling && this.#options.inScope(spelling.url) ? spelling : null
  }

  /**
   * Decides whether a page that was read is a page of its own. Judges one page at a time, because equal pages may
   * arrive together.
   * @param place records the decision before the next page is judged; it must not wait for any other method of this
   * class
   */
  async judge<T>(page: ReadPage, place: (judgement: Judgement) => Promise<T>): Promise<T> {
    return await this.#turn.run(async () => {
      const judgement = await this.#judge(page)
      if (page.from !== page.url) await this.#redirected(page.from, page.url)
      return await place(judgement)
    })
  }

  /** Call this when an address redirects to a page. Not needed for pages that are judged. */
  async redirected(from: PageUrl, to: PageUrl): Promise<void> {
    await this.#turn.run(() => this.#redirected(from, to))
  }

  /** Call this when an address was not read because another one takes its place. */
  async spelled(url: PageUrl, { url: of, because }: Spelling): Promise<void> {
    await this.#turn.run(() => this.#alias(url, of, because))
  }

  /** Writes the pending rows. */
  async flush(): Promise<void> {
    await this.#turn.run(() => this.#texts.flush())
  }

  /**
   * Call this when an address turns out not to be a page.
   * @returns addresses that were filed under it in this run, or in any run with `ofEarlierRuns`: they have to be read
   * again
   */
  async orphansOf(
    url: PageUrl,
    { ofEarlierRuns = false }: { readonly ofEarlierRuns?: boolean } = {},
  ): Promise<PageUrl[]> {
    return await this.#turn.run(async () => {
      const orphans: PageUrl[] = []
      for (const alias of await this.#texts.aliasesOf(url, MOST_CLAIMS)) {
        if (ofEarlierRuns || (await this.#texts.get(alias.url))?.job === this.#options.job)
          orphans.push(alias.url)
      }
      for (const orphan of orphans) await this.#texts.clearAlias(orphan)
      return orphans
    })
  }

  /**
   * Call this when a site answers that an address does not exist.
   * @returns an address that has to be read after all, because it was skipped in favour of this one
   */
  async missing(url: PageUrl): Promise<PageUrl | null> {
    return await this.#turn.run(async () => {
      this.#recent.delete(url)
      await this.#texts.forget(url)
      return await this.#book.missing(url, (other) => this.#answerOf(other))
    })
  }

  async #judge(page: ReadPage): Promise<Judgement> {
    const { url, canonical } = page
    const { text, lines } = readText(page)
    const alike = await this.#texts.withLines(text.lines, MOST_ALIKE)
    const probes = await this.#learn({ url, lines: text.lines, canonical }, alike)
    // A document with readers never replaces the same document in another format.
    const isOpen = readersLabel(page.readers) === null
    const document = isOpen ? documentForm(url, page.title, lines) : null
    const twin =
      (await this.#namedPage(page, text)) ??
      // Runs before the check for equal texts, which chooses the shorter address: that could be the address of the
      // plain-text format.
      (await this.#otherFormat(page, document, (order) => order !== 0)) ??
      (await this.#twin(page, text, lines, alike)) ??
      (await this.#otherFormat(page, document, (order) => order === 0))
    if (twin && !twin.yields) {
      await this.#keep(page, { ...text, document }, { of: twin.url, evidence: twin.evidence })
      return { kind: "alias", of: twin.url, detail: inWords(twin.evidence, twin.url), lines, probes }
    }
    const replaces = new Map<PageUrl, Replaced>()
    if (twin) replaces.set(twin.url, this.#replaced(twin, twin.evidence))
    if (canonical === null || canonical === url || (await this.#texts.get(canonical))?.canonical === url) {
      for (const other of await this.#texts.claiming(url, MOST_CLAIMS)) {
        if (
          other.url === url ||
          other.url === page.from ||
          !(await this.#isPage(other.url)) ||
          !isLike(other, text)
        )
          continue
        replaces.set(other.url, this.#replaced(other, CANONICAL))
      }
    }
    const estranged = await this.#estranged(url, text)
    await this.#keep(page, { ...text, document }, null, [...replaces.values()])
    this.#recent.set(url, lines)
    return { kind: "page", replaces: [...replaces.values()], estranged, lines, probes }
  }

  async #estranged(url: PageUrl, text: PageText): Promise<PageUrl[]> {
    const before = await this.#texts.get(url)
    if (before === null || readersIn(before) === readersIn(text)) return []
    return (await this.#texts.aliasesOf(url, MOST_CLAIMS)).map((alias) => alias.url)
  }

  async #learn(answer: Answered, alike: readonly KeptText[]): Promise<PageUrl[]> {
    const { job } = this.#options
    const others = new Map(alike.map((one) => [one.url, one]))
    for (const one of await this.#texts.withForm(commonForm(answer.url), MOST_ALIKE)) others.set(one.url, one)
    const answers = [...others.values()].filter((one) => one.job === job)
    return await this.#book.learn(answer, { answers, answerOf: (url) => this.#answerOf(url) })
  }

  async #answerOf(url: PageUrl): Promise<Answered | "missing" | null> {
    if (!this.#options.inScope(url)) return null
    const text = await this.#texts.get(url)
    if (text?.job === this.#options.job) return text
    return (await this.#options.outcomeOf(url)) === "missing" ? "missing" : null
  }

  /**
   * The page that this one names as its canonical, if that can be confirmed: it is kept, names no third page, and
   * resembles this one. A template that names the front page on every page fails this test.
   */
  async #namedPage({ url, from, canonical }: ReadPage, text: PageText): Promise<Twin | null> {
    if (canonical === null || canonical === url) return null
    const of = (await this.#texts.aliasOf(canonical))?.of ?? canonical
    if (of === url || of === from || !(await this.#isPage(of))) return null
    const named = await this.#texts.get(of)
    if (!named || !isLike(named, text)) return null
    const next = named.canonical
    if (next !== null && next !== of && next !== url && next !== canonical) return null
    return { ...named, evidence: CANONICAL, yields: false }
  }

  /** A page of the source with the same or nearly the same text. */
  async #twin(
    page: ReadPage,
    text: PageText,
    lines: readonly string[],
    alike: readonly KeptText[],
  ): Promise<Twin | null> {
    const isOther = async (one: KeptText) =>
      one.url !== page.url && one.url !== page.from && (await this.#isPage(one.url))
    for (const one of alike) {
      const sameness = (await isOther(one)) ? sameText(text, one) : null
      if (sameness) return this.#chosen(page, one, sameness)
    }
    if (!mayBeNear(text)) return null
    let compared = 0
    for (const one of await this.#texts.near(text)) {
      if (!isNear(text, one) || !(await isOther(one))) continue
      if (++compared > MOST_COMPARED) break
      const theirs = await this.#linesOf(one.url)
      if (theirs && sameButEdges(lines, theirs)) return this.#chosen(page, one, "nearly the same text")
    }
    return null
  }

  /** The same document in a more or less readable format, or in the same format at another address. */
  async #otherFormat(
    page: ReadPage,
    document: DocumentForm | null,
    isWanted: (order: number) => boolean,
  ): Promise<Twin | null> {
    if (document === null) return null
    for (const one of await this.#texts.withStem(document.stem, MOST_ALIKE)) {
      if (one.url === page.url || one.url === page.from || one.document === null) continue
      if (!isSameDocument(document, one.document) || !(await this.#isPage(one.url))) continue
      const order = compareFormats(page.url, one.url)
      if (isWanted(order)) return { ...one, evidence: OTHER_FORMAT, yields: order < 0 }
    }
    return null
  }

  /** Decides which of two addresses the page keeps: the one the site names, otherwise the plainer one. The result is the same in every run. */
  #chosen(page: ReadPage, other: KeptText, evidence: string): Twin {
    const named = (canonical: PageUrl | null) =>
      canonical === page.url ? -1 : canonical === other.url ? 1 : 0
    const votes = named(page.canonical) + named(other.canonical)
    return { ...other, evidence, yields: (votes === 0 ? compareAddresses(page.url, other.url) : votes) < 0 }
  }

  /** Whether an address is a page that the index contains, or will contain when the decisions are written. */
  async #isPage(url: PageUrl): Promise<boolean> {
    if (this.#recent.has(url)) return true
    if (this.#options.isOfThisRun === true && (await this.#texts.get(url))?.job !== this.#options.job)
      return false
    const outcome = await this.#options.outcomeOf(url)
    if (outcome !== null) return outcome === "page"
    return (await this.#options.isIndexed(url)) && (await this.#texts.aliasOf(url)) === null
  }

  async #linesOf(url: PageUrl): Promise<readonly string[] | null> {
    const recent = this.#recent.get(url)
    if (recent) return recent
    const page = await this.#options.engine.get(url)
    return page && plainLines(page.markdown)
  }

  #replaced({ url, since }: KeptText, evidence: string): Replaced {
    return { url, evidence, isNew: since === this.#options.job }
  }

  async #keep(
    { url, canonical }: ReadPage,
    text: PageText & Pick<KeptText, "document">,
    alias: { readonly of: PageUrl; readonly evidence: string } | null,
    replaces: readonly Replaced[] = [],
  ): Promise<void> {
    const { job } = this.#options
    const wasPage = (await this.#options.isIndexed(url)) && (await this.#texts.aliasOf(url)) === null
    const since = wasPage ? ((await this.#texts.get(url))?.since ?? 0) : job
    const form = commonForm(url)
    await this.#texts.keep({ ...text, url, job, since, canonical, form }, alias === null)
    if (alias) this.#texts.setAlias({ url, ...alias })
    else await this.#texts.clearAlias(url)
    for (const one of replaces) {
      this.#texts.setAlias({ url: one.url, of: url, evidence: one.evidence })
      this.#recent.delete(one.url)
    }
    if (alias) this.#recent.delete(url)
  }

  async #redirected(from: PageUrl, to: PageUrl): Promise<void> {
    await this.#book.redirected(from, to)
    await this.#alias(from, to, "redirects there")
  }

  async #alias(url: PageUrl, of: PageUrl, evidence: string): Promise<void> {
    if (url === of || (await this.#texts.aliasOf(url))?.of === of) return
    this.#texts.setAlias({ url, of, evidence })
  }
}

const CANONICAL = "it names that one as its canonical, and is like it"

/** Says in words which page an address belongs to, and why. */
export function inWords(evidence: string, of: PageUrl): string {
  if (evidence === CANONICAL) return `canonical is ${of}`
  return evidence.startsWith("redirects") ? `redirects to ${of}` : `${evidence} as ${of}`
}

interface Twin extends KeptText {
  readonly evidence: string
  /** Whether the earlier page is replaced by the one that was read. */
  readonly yields: boolean
}
