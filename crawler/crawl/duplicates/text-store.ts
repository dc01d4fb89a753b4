import type { PageUrl } from "#engine"
import { migrate, prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"
import type { DocumentForm } from "./document-form.ts"
import type { PageText } from "./page-text.ts"
import { mayBeNear } from "./same-page.ts"

/** A page's text as it was last read. */
export interface KeptText extends PageText {
  readonly url: PageUrl
  /** The job that read it. */
  readonly job: number
  /** The job since which it is a page of its own without a break. */
  readonly since: number
  /** What it names as its canonical within its source; it may name itself. */
  readonly canonical: PageUrl | null
  /** The common form of its address. */
  readonly form: string
  /** Of a document that may be there in other formats, too; null for any other page. */
  readonly document: DocumentForm | null
}

/** Another address of a page. */
export interface Alias {
  readonly url: PageUrl
  /** The page. */
  readonly of: PageUrl
  /** Why, in words: `same text`, `redirects there`. */
  readonly evidence: string
}

const STEPS = [
  // An address that several sources hold has a text for each, and may be another one's in one of them alone.
  `create table page_text (
     id integer primary key, url text not null, source text not null, job integer not null,
     since integer not null, exact text not null, lines text not null, similar text, words integer not null,
     title text not null, images text not null, canonical text, form text not null,
     own integer not null, stem text, sketch text, versions text, unique (url, source)
   ) strict;
   create index page_text_lines on page_text (source, lines, own);
   create index page_text_form on page_text (source, form);
   create index page_text_canonical on page_text (canonical) where canonical is not null;
   create index page_text_stem on page_text (source, stem) where stem is not null;
   create table page_band (
     band integer not null, page integer not null references page_text (id), primary key (band, page)
   ) strict, without rowid;
   create table page_alias (
     url text not null, source text not null, of text not null, evidence text not null, primary key (url, source)
   ) strict, without rowid;
   create index page_alias_of on page_alias (of);
   create table address_pair (
     site text not null, difference text not null, page text not null, value text not null,
     agrees integer not null, seen_at integer not null,
     primary key (site, difference, page, value, agrees)
   ) strict, without rowid;`,
]

/**
 * Bands of a simhash. Two that differ in fewer bits than there are bands share at least one whole band, so that the
 * near ones are found by equality (Manku, Jain and Das Sarma 2007); of those that differ in 7, nineteen of twenty.
 */
const BAND_EDGES = [0, 11, 22, 32, 43, 54, 64]
/** Of pages with one title and one band in common; where there are more, the title says nothing. */
const MOST_CANDIDATES = 32

/** Texts that wait to be written; a transaction for each page would cost more than all the rest. */
const MOST_WAITING = 64

interface Waiting {
  readonly text: KeptText
  isOwn: boolean
}

/**
 * The texts of one source's pages in `state.db`, found by equality and by likeness without looking at all of them. What is new
 * waits to be written some dozens at a time, and is found meanwhile; what a lost process leaves unwritten is read again
 * some day. Its methods are for one caller at a time.
 */
export class TextStore {
  readonly #db: StateStore
  readonly #source: string
  readonly #prepare: ReturnType<typeof prepareOnce>
  readonly #texts = new Map<PageUrl, Waiting>()
  readonly #aliases = new Map<PageUrl, Alias | null>()
  #work: (() => Promise<void>)[] = []

  constructor(db: StateStore, source: string) {
    this.#db = db
    this.#source = source
    this.#prepare = prepareOnce(db)
    migrateTexts(db)
  }

  async get(url: PageUrl): Promise<KeptText | null> {
    const waiting = this.#texts.get(url)
    if (waiting) return waiting.text
    const row = await this.#row(url)
    return row ? kept(row) : null
  }

  /** Addresses that were read with the same lines, pages of their own first. */
  async withLines(lines: string, limit: number): Promise<KeptText[]> {
    return await this.#find(
      ({ text }) => text.lines === lines,
      "source = ? and lines = ? order by own desc limit ?",
      lines,
      limit,
    )
  }

  /** Addresses that may be spellings of one. */
  async withForm(form: string, limit: number): Promise<KeptText[]> {
    return await this.#find(({ text }) => text.form === form, "source = ? and form = ? limit ?", form, limit)
  }

  /** Addresses that differ from that of a document by their format alone. */
  async withStem(stem: string, limit: number): Promise<KeptText[]> {
    return await this.#find(
      ({ text }) => text.document?.stem === stem,
      "source = ? and stem = ? limit ?",
      stem,
      limit,
    )
  }

  /** Pages that name `url` as their canonical. */
  async claiming(url: PageUrl, limit: number): Promise<KeptText[]> {
    return await this.#find(
      ({ text }) => text.canonical === url,
      // Written so that the planner does not go through all pages of the source.
      "source || '' = ? and canonical = ? limit ?",
      url,
      limit,
    )
  }

  /** Pages with the same title whose text may be near. */
  async near(text: PageText): Promise<KeptText[]> {
    const found = new Map<PageUrl, KeptText>()
    const query = this.#prepare(
      `select page_text.* from page_band join page_text on page_text.id = page_band.page
       where page_band.band = ? and own = 1 limit ${MOST_CANDIDATES}`,
    )
    for (const band of bandsOf(this.#source, text)) {
      for (const row of await query.all(band)) found.set(row["url"] as PageUrl, kept(row))
    }
    for (const { text: one, isOwn } of this.#texts.values()) {
      if (isOwn && one.title === text.title) found.set(one.url, one)
      else found.delete(one.url)
    }
    return [...found.values()]
  }

  /** Keeps what was read. `isOwn`: whether it is a page of its own. */
  async keep(text: KeptText, isOwn: boolean): Promise<void> {
    this.#texts.set(text.url, { text, isOwn })
    if (this.#texts.size >= MOST_WAITING) await this.flush()
  }

  async forget(url: PageUrl): Promise<void> {
    if ((await this.get(url)) === null) return
    await this.flush()
    await transaction(this.#db, async () => {
      await this.#dropBands(url)
      await this.#prepare("delete from page_text where url = ? and source = ?").run(url, this.#source)
    })
  }

  /** Files an address under a page, with all that were filed under it. */
  setAlias({ url, of, evidence }: Alias): void {
    const waiting = this.#texts.get(url)
    if (waiting) waiting.isOwn = false
    this.#aliases.set(of, null)
    this.#aliases.set(url, { url, of, evidence })
    this.#work.push(async () => {
      await this.#prepare("update page_text set own = 0 where url = ? and source = ?").run(url, this.#source)
      await this.#prepare("delete from page_alias where url = ? and source = ?").run(of, this.#source)
      await this.#prepare("update page_alias set of = ? where of = ? and source = ?").run(
        of,
        url,
        this.#source,
      )
      await this.#prepare(
        `insert into page_alias (url, source, of, evidence) values (?, ?, ?, ?)
         on conflict (url, source) do update set of = excluded.of, evidence = excluded.evidence`,
      ).run(url, this.#source, of, evidence)
    })
  }

  /** It is a page of its own. */
  async clearAlias(url: PageUrl): Promise<void> {
    if ((await this.aliasOf(url)) === null) return
    this.#aliases.set(url, null)
    this.#work.push(async () => {
      await this.#prepare("delete from page_alias where url = ? and source = ?").run(url, this.#source)
    })
  }

  /** The page that an address is another one of, or null. */
  async aliasOf(url: PageUrl): Promise<Alias | null> {
    const waiting = this.#aliases.get(url)
    if (waiting !== undefined) return waiting
    const row = await this.#prepare("select * from page_alias where url = ? and source = ?").get(
      url,
      this.#source,
    )
    return row ? alias(row) : null
  }

  /** The other addresses of a page, in alphabetical order. */
  async aliasesOf(url: PageUrl, limit: number): Promise<Alias[]> {
    await this.flush()
    return (
      await this.#prepare("select * from page_alias where of = ? and source = ? order by url limit ?").all(
        url,
        this.#source,
        limit,
      )
    ).map(alias)
  }

  /** Writes what waits. */
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
    where: string,
    value: string,
    limit: number,
  ): Promise<KeptText[]> {
    const found: KeptText[] = []
    for (const one of this.#texts.values()) {
      if (!isOne(one)) continue
      if (one.isOwn) found.unshift(one.text)
      else found.push(one.text)
    }
    const query = this.#prepare(`select * from page_text where ${where}`)
    // Most often there is none, and one row is asked for at a third of the price of a list.
    if ((await query.get(this.#source, value, 1)) === undefined) return found
    for (const row of await query.all(this.#source, value, limit)) {
      const text = kept(row)
      if (!this.#texts.has(text.url)) found.push(text)
    }
    return found
  }

  async #row(url: PageUrl): Promise<Record<string, unknown> | undefined> {
    return await this.#prepare("select * from page_text where url = ? and source = ?").get(url, this.#source)
  }

  async #write({ text, isOwn }: Waiting): Promise<void> {
    await this.#dropBands(text.url)
    const row = await this.#prepare(
      `insert into page_text (url, source, job, since, exact, lines, similar, words, title, images, canonical, form, own,
         stem, sketch, versions)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (url, source) do update set job = excluded.job, since = excluded.since,
         exact = excluded.exact, lines = excluded.lines, similar = excluded.similar, words = excluded.words,
         title = excluded.title, images = excluded.images, canonical = excluded.canonical, own = excluded.own,
         stem = excluded.stem, sketch = excluded.sketch, versions = excluded.versions
       returning id`,
    ).get(
      text.url,
      this.#source,
      text.job,
      text.since,
      text.exact,
      text.lines,
      text.similar,
      text.words,
      text.title,
      text.images,
      text.canonical,
      text.form,
      isOwn ? 1 : 0,
      text.document?.stem ?? null,
      text.document?.sketch ?? null,
      text.document?.versions ?? null,
    )
    if (!isOwn || !mayBeNear(text)) return
    const insert = this.#prepare("insert or ignore into page_band values (?, ?)")
    for (const band of bandsOf(this.#source, text)) await insert.run(band, Number(row?.["id"]))
  }

  async #dropBands(url: PageUrl): Promise<void> {
    const row = await this.#row(url)
    if (!row || !mayBeNear(kept(row))) return
    const drop = this.#prepare("delete from page_band where band = ? and page = ?")
    for (const band of bandsOf(this.#source, kept(row))) await drop.run(band, Number(row["id"]))
  }
}

/** Brings the tables up to date. */
export function migrateTexts(db: StateStore): void {
  migrate(db, "duplicates", STEPS)
}

/** In SQL: whether a source is one of a list in JSON, or there is no list. */
const ofSources = (list: string) => `(${list} is null or source in (select value from json_each(${list})))`

/** The other addresses of a page in any of these sources (null: in any), in alphabetical order. */
export async function aliasesOf(
  db: StateStore,
  url: PageUrl,
  sources: readonly string[] | null = null,
  limit = 100,
): Promise<Alias[]> {
  migrateTexts(db)
  const rows = db.prepare(
    `select * from page_alias as alias where of = ?1 and ${ofSources("?2")} and source = (
       select min(source) from page_alias where url = alias.url and of = ?1 and ${ofSources("?2")}
     ) order by url limit ?3`,
  )
  return (await rows.all(url, sources && JSON.stringify(sources), limit)).map(alias)
}

/** The page that an address is another one of in any of these sources (null: in any), or null. */
export async function aliasOf(
  db: StateStore,
  url: PageUrl,
  sources: readonly string[] | null = null,
): Promise<Alias | null> {
  migrateTexts(db)
  const row = await db
    .prepare(`select * from page_alias where url = ?1 and ${ofSources("?2")} order by source limit 1`)
    .get(url, sources && JSON.stringify(sources))
  return row ? alias(row) : null
}

function alias(row: Record<string, unknown>): Alias {
  return { url: row["url"] as PageUrl, of: row["of"] as PageUrl, evidence: String(row["evidence"]) }
}

function kept(row: Record<string, unknown>): KeptText {
  return {
    url: row["url"] as PageUrl,
    job: Number(row["job"]),
    since: Number(row["since"]),
    exact: String(row["exact"]),
    lines: String(row["lines"]),
    similar: row["similar"] as string | null,
    words: Number(row["words"]),
    title: String(row["title"]),
    images: String(row["images"]),
    canonical: row["canonical"] as PageUrl | null,
    form: String(row["form"]),
    document:
      typeof row["stem"] === "string"
        ? { stem: row["stem"], sketch: String(row["sketch"]), versions: String(row["versions"]) }
        : null,
  }
}

/** One number of 48 bits for each band, from the source, the title, which band it is, and its bits. */
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
