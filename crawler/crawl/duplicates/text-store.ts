import { type Generated, sql, type SqlBool } from "kysely"
import type { PageUrl } from "#engine"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { listed } from "#base/store/query/words.ts"
import { migrate, type StateStore, type Step, transaction } from "#base/store/state-store.ts"
import type { Difference } from "./address-forms.ts"
import type { DocumentForm } from "./document-form.ts"
import type { PageText } from "./page-text.ts"
import { mayBeNear } from "./near-duplicates.ts"

/** A page's text as it was last read. */
export interface KeptText extends PageText {
  readonly url: PageUrl
  /** The job that read it. */
  readonly job: number
  /** The job in which it became a page of its own; it has been one ever since. */
  readonly since: number
  /** The canonical address it names within its source; this can be its own. */
  readonly canonical: PageUrl | null
  /** The common form of its address. */
  readonly form: string
  /** Set for a document that may exist in other formats too; `null` for any other page. */
  readonly document: DocumentForm | null
}

/** An alternative address of a page. */
export interface Alias {
  readonly url: PageUrl
  /** The page. */
  readonly of: PageUrl
  /** Why, in words: `same text`, `redirects there`. */
  readonly evidence: string
}

interface TextRow extends Omit<KeptText, "document"> {
  readonly source: string
  readonly own: number
  readonly stem: string | null
  readonly sketch: string | null
  readonly versions: string | null
}
interface AliasRow extends Alias {
  readonly source: string
}
export interface TextTables {
  page_text: TextRow & { id: Generated<number> }
  page_band: { band: number; page: number }
  page_alias: AliasRow
  address_pair: {
    site: string
    difference: Difference
    page: string
    value: string
    agrees: number
    seen_at: number
  }
}
type Texts = Queries<TextTables>

const STEPS: readonly Step[] = [
  // If several sources have an address, each stores its own text for it, and it can be an alternative address in just
  // one of them.
  ({ id, integer, text, strict, keyed }) =>
    `create table page_text (
     id ${id}, url ${text} not null, source ${text} not null, job ${integer} not null,
     since ${integer} not null, exact ${text} not null, lines ${text} not null, "similar" ${text}, words ${integer} not null,
     title ${text} not null, images ${text} not null, canonical ${text}, form ${text} not null,
     own ${integer} not null, stem ${text}, sketch ${text}, versions ${text}, unique (url, source)
   ) ${strict};
   create index page_text_lines on page_text (source, lines, own);
   create index page_text_form on page_text (source, form);
   create index page_text_canonical on page_text (canonical) where canonical is not null;
   create index page_text_stem on page_text (source, stem) where stem is not null;
   create table page_band (
     band ${integer} not null, page ${integer} not null references page_text (id), primary key (band, page)
   ) ${keyed};
   create table page_alias (
     url ${text} not null, source ${text} not null, of ${text} not null, evidence ${text} not null, primary key (url, source)
   ) ${keyed};
   create index page_alias_of on page_alias (of);
   create table address_pair (
     site ${text} not null, difference ${text} not null, page ${text} not null, value ${text} not null,
     agrees ${integer} not null, seen_at ${integer} not null,
     primary key (site, difference, page, value, agrees)
   ) ${keyed};`,
]

/**
 * The bits at which a simhash is divided into bands. Two hashes that differ in fewer bits than there are bands share at
 * least one whole band, so that similar ones are found by equality (Manku, Jain and Das Sarma 2007); of those that
 * differ in 7, nineteen of twenty are found.
 */
const BAND_EDGES = [0, 11, 22, 32, 43, 54, 64]
/** Maximum number of pages with the same title and a band in common; if there are more, the title is not informative. */
const MOST_CANDIDATES = 32

/** Number of texts waiting to be written; a transaction for each page would cost more than everything else. */
const MOST_WAITING = 64

interface Page {
  readonly url: PageUrl
  readonly source: string
}
interface Sought {
  readonly source: string
  readonly value: string
  readonly limit: number
}
interface Band {
  readonly band: number
  readonly page: number
}
const ALIAS = ["url", "of", "evidence"] as const

const texts = (q: Texts) =>
  q
    .selectFrom("page_text")
    .select([
      "id",
      "url",
      "job",
      "since",
      "exact",
      "lines",
      "similar",
      "words",
      "title",
      "images",
      "canonical",
    ])
    .select(["form", "stem", "sketch", "versions"])
const textOf = once((q: Texts, { url, source }: Page) => texts(q).where((eb) => eb.and({ url, source })))
const sought = (q: Texts, column: "lines" | "form" | "stem", { source, value, limit }: Sought) =>
  texts(q).where("source", "=", source).where(column, "=", value).limit(limit)
const withLines = once((q: Texts, one: Sought) => sought(q, "lines", one).orderBy("own", "desc"))
const withForm = once((q: Texts, one: Sought) => sought(q, "form", one))
const withStem = once((q: Texts, one: Sought) => sought(q, "stem", one))
/** This expression keeps the planner from reading all pages of the source. */
const claiming = once((q: Texts, { source, value, limit }: Sought) =>
  texts(q)
    .where(sql`source || ''`, "=", source)
    .where("canonical", "=", value as PageUrl)
    .limit(limit),
)
const inBand = once((q: Texts, { band }: { band: number }) =>
  texts(q)
    .innerJoin("page_band", "page_band.page", "page_text.id")
    .where((eb) => eb.and({ band, own: 1 }))
    .limit(MOST_CANDIDATES),
)
const dropText = once((q: Texts, { url, source }: Page) =>
  q.deleteFrom("page_text").where((eb) => eb.and({ url, source })),
)
const isAnother = once((q: Texts, { url, source }: Page) =>
  q
    .updateTable("page_text")
    .set({ own: 0 })
    .where((eb) => eb.and({ url, source })),
)
const writeText = once((q: Texts, row: TextRow) => {
  const { url, source, form, job, since, exact, lines, similar, words, title, images, canonical } = row
  const { own, stem, sketch, versions } = row
  const content = { exact, lines, similar, words, title, images, canonical, stem, sketch, versions }
  const read = { job, since, own, ...content }
  return q
    .insertInto("page_text")
    .values({ url, source, form, ...read })
    .onConflict((conflict) => conflict.columns(["url", "source"]).doUpdateSet(read))
    .returning("id")
})
const writeBand = once((q: Texts, { band, page }: Band) =>
  q
    .insertInto("page_band")
    .values({ band, page })
    .onConflict((conflict) => conflict.doNothing()),
)
const dropBand = once((q: Texts, { band, page }: Band) =>
  q.deleteFrom("page_band").where((eb) => eb.and({ band, page })),
)
const writeAlias = once((q: Texts, { url, source, of, evidence }: AliasRow) =>
  q
    .insertInto("page_alias")
    .values({ url, source, of, evidence })
    .onConflict((conflict) => conflict.columns(["url", "source"]).doUpdateSet({ of, evidence })),
)
const dropAlias = once((q: Texts, { url, source }: Page) =>
  q.deleteFrom("page_alias").where((eb) => eb.and({ url, source })),
)
const moveAliases = once((q: Texts, { url, source, of }: Page & { of: PageUrl }) =>
  q
    .updateTable("page_alias")
    .set({ of })
    .where((eb) => eb.and({ of: url, source })),
)
const alias = once((q: Texts, { url, source }: Page) =>
  q
    .selectFrom("page_alias")
    .select(ALIAS)
    .where((eb) => eb.and({ url, source })),
)
const aliases = once((q: Texts, { of, source, limit }: { of: PageUrl; source: string; limit: number }) =>
  q
    .selectFrom("page_alias")
    .select(ALIAS)
    .where((eb) => eb.and({ of, source }))
    .orderBy("url")
    .limit(limit),
)

interface Waiting {
  readonly text: KeptText
  isOwn: boolean
}

/**
 * The texts of one source's pages in `state.db`, found by equality and similarity without a full scan. New texts are
 * written in batches of a few dozen and can be found before that. Texts that a lost process did not write are read
 * again by a later run. Only one caller may use its methods at a time.
 */
export class TextStore {
  readonly #db: StateStore
  readonly #source: string
  readonly #texts = new Map<PageUrl, Waiting>()
  readonly #aliases = new Map<PageUrl, Alias | null>()
  #work: (() => Promise<void>)[] = []

  constructor(db: StateStore, source: string) {
    this.#db = db
    this.#source = source
    migrateTexts(db)
  }

  async get(url: PageUrl): Promise<KeptText | null> {
    const waiting = this.#texts.get(url)
    if (waiting) return waiting.text
    const row = await textOf.get(this.#db, { url, source: this.#source })
    return row ? kept(row) : null
  }

  /** Addresses that were read with the same lines; pages of their own come first. */
  async withLines(lines: string, limit: number): Promise<KeptText[]> {
    return await this.#find(({ text }) => text.lines === lines, withLines, lines, limit)
  }

  /** Addresses that may be spellings of the same one. */
  async withForm(form: string, limit: number): Promise<KeptText[]> {
    return await this.#find(({ text }) => text.form === form, withForm, form, limit)
  }

  /** Addresses that differ from a document's address only in their format. */
  async withStem(stem: string, limit: number): Promise<KeptText[]> {
    return await this.#find(({ text }) => text.document?.stem === stem, withStem, stem, limit)
  }

  /** Pages that name `url` as their canonical. */
  async claiming(url: PageUrl, limit: number): Promise<KeptText[]> {
    return await this.#find(({ text }) => text.canonical === url, claiming, url, limit)
  }

  /** Pages with the same title whose text may be similar. */
  async near(text: PageText): Promise<KeptText[]> {
    const found = new Map<PageUrl, KeptText>()
    for (const band of bandsOf(this.#source, text)) {
      for (const row of await inBand.all(this.#db, { band })) found.set(row.url, kept(row))
    }
    for (const { text: one, isOwn } of this.#texts.values()) {
      if (isOwn && one.title === text.title) found.set(one.url, one)
      else found.delete(one.url)
    }
    return [...found.values()]
  }

  /** Stores the text that was read. `isOwn`: whether it is a page of its own. */
  async keep(text: KeptText, isOwn: boolean): Promise<void> {
    this.#texts.set(text.url, { text, isOwn })
    if (this.#texts.size >= MOST_WAITING) await this.flush()
  }

  async forget(url: PageUrl): Promise<void> {
    if ((await this.get(url)) === null) return
    await this.flush()
    await transaction(this.#db, async () => {
      await this.#dropBands(url)
      await dropText.run(this.#db, { url, source: this.#source })
    })
  }

  /** Files an address under a page, together with all addresses filed under it. */
  setAlias({ url, of, evidence }: Alias): void {
    const waiting = this.#texts.get(url)
    if (waiting) waiting.isOwn = false
    this.#aliases.set(of, null)
    this.#aliases.set(url, { url, of, evidence })
    const source = this.#source
    this.#work.push(async () => {
      await isAnother.run(this.#db, { url, source })
      await dropAlias.run(this.#db, { url: of, source })
      await moveAliases.run(this.#db, { url, source, of })
      await writeAlias.run(this.#db, { url, source, of, evidence })
    })
  }

  /** Marks an address as a page of its own. */
  async clearAlias(url: PageUrl): Promise<void> {
    if ((await this.aliasOf(url)) === null) return
    this.#aliases.set(url, null)
    this.#work.push(async () => {
      await dropAlias.run(this.#db, { url, source: this.#source })
    })
  }

  /** The page for which an address is an alternative, or `null`. */
  async aliasOf(url: PageUrl): Promise<Alias | null> {
    const waiting = this.#aliases.get(url)
    if (waiting !== undefined) return waiting
    return (await alias.get(this.#db, { url, source: this.#source })) ?? null
  }

  /** The other addresses of a page, in alphabetical order. */
  async aliasesOf(url: PageUrl, limit: number): Promise<Alias[]> {
    await this.flush()
    return await aliases.all(this.#db, { of: url, source: this.#source, limit })
  }

  /** Writes the pending texts. */
  async flush(): Promise<void> {
    if (this.#texts.size === 0 && this.#work.length === 0) return
    await transaction(this.#db, async () => {
      for (const one of this.#texts.values()) await this.#write(one)
      for (const step of this.#work) await step()
    })
    this.#texts.clear()
    this.#aliases.clear()
    this.#work = []
  }

  async #find(
    isOne: (waiting: Waiting) => boolean,
    query: typeof withLines,
    value: string,
    limit: number,
  ): Promise<KeptText[]> {
    const found: KeptText[] = []
    for (const one of this.#texts.values()) {
      if (!isOne(one)) continue
      if (one.isOwn) found.unshift(one.text)
      else found.push(one.text)
    }
    for (const row of await query.all(this.#db, { source: this.#source, value, limit })) {
      const text = kept(row)
      if (!this.#texts.has(text.url)) found.push(text)
    }
    return found
  }

  async #write({ text, isOwn }: Waiting): Promise<void> {
    await this.#dropBands(text.url)
    const { stem = null, sketch = null, versions = null } = text.document ?? {}
    const own = isOwn ? 1 : 0
    const row = { ...text, source: this.#source, own, stem, sketch, versions }
    const { id: page } = (await writeText.get(this.#db, row))!
    if (!isOwn || !mayBeNear(text)) return
    for (const band of bandsOf(this.#source, text)) await writeBand.run(this.#db, { band, page })
  }

  async #dropBands(url: PageUrl): Promise<void> {
    const row = await textOf.get(this.#db, { url, source: this.#source })
    if (!row || !mayBeNear(row)) return
    for (const band of bandsOf(this.#source, row)) await dropBand.run(this.#db, { band, page: row.id })
  }
}

/** Brings the tables up to date. */
export function migrateTexts(db: StateStore): void {
  migrate(db, "duplicates", STEPS)
}

/** Whether a row belongs to one of these sources, or to any source if `null`. */
export const ofSources = (sources: readonly string[] | null) =>
  sources === null ? sql.lit<SqlBool>(true) : sql<SqlBool>`source in ${listed(sources)}`

/** The other addresses of a page in any of these sources (`null` for all), in alphabetical order. */
export async function aliasesOf(
  db: StateStore,
  url: PageUrl,
  sources: readonly string[] | null = null,
  limit = 100,
): Promise<Alias[]> {
  migrateTexts(db)
  return await queriesOf<TextTables>(db)
    .selectFrom("page_alias as one")
    .select(ALIAS)
    .where("of", "=", url)
    .where("source", "=", (eb) =>
      eb
        .selectFrom("page_alias as same")
        .select((one) => one.fn.min("same.source").as("first"))
        .whereRef("same.url", "=", "one.url")
        .where("same.of", "=", url)
        .where(ofSources(sources)),
    )
    .orderBy("url")
    .limit(limit)
    .execute()
}

/** The page for which an address is an alternative in any of these sources (`null` for all), or `null`. */
export async function aliasOf(
  db: StateStore,
  url: PageUrl,
  sources: readonly string[] | null = null,
): Promise<Alias | null> {
  migrateTexts(db)
  const row = await queriesOf<TextTables>(db)
    .selectFrom("page_alias")
    .select(ALIAS)
    .where("url", "=", url)
    .where(ofSources(sources))
    .orderBy("source")
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

type ReadText = Omit<TextRow, "source" | "own"> & { readonly id: number }

function kept({ id: _id, stem, sketch, versions, ...text }: ReadText): KeptText {
  return { ...text, document: stem === null ? null : { stem, sketch: sketch!, versions: versions! } }
}

/** One 48-bit number per band, computed from the source, the title, the band's index, and its bits. */
function bandsOf(source: string, { similar, title }: PageText): number[] {
  if (similar === null) return []
  const halves = [parseInt(similar.slice(0, 8), 16), parseInt(similar.slice(8), 16)]
  const bits = (from: number, to: number) => (halves[from >> 5]! >>> (from & 31)) & (2 ** (to - from) - 1)
  return BAND_EDGES.slice(1).map((to, band) =>
    number48(`${source}\n${title}\n${band}\n${bits(BAND_EDGES[band]!, to)}`),
  )
}

/** Two FNV-1a hashes in one number that a double holds exactly. */
function number48(text: string): number {
  let low = 0x811c9dc5
  let high = 0xcbf29ce4
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x5bd1e995)
  }
  return (low >>> 0) + ((high >>> 16) & 0xffff) * 0x1_0000_0000
}
