import type { PageUrl } from "#engine"
import { once } from "#base/store/query/once.ts"
import type { Queries } from "#base/store/query/queries.ts"
import { listedIn } from "#base/store/query/words.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { formatOf, OTHER_FORMAT } from "./document-form.ts"
import { migrateTexts, type TextTables } from "./text-store.ts"

/** The same document in another format. */
export interface OtherForm {
  readonly url: PageUrl
  /** The lower-case file extension: `pdf`, `epub`, `docx`; `html` for everything that browsers show. */
  readonly format: string
}

/** More than the number of formats: any further addresses have a format that is already listed. */
const MOST_FORMS = 20

const BROWSER_FORMATS = new Set(["htm", "xhtml"])

const formsOf = once((q: Queries<TextTables>, { page, sources }: { page: PageUrl; sources: string }) =>
  q
    .selectFrom("page_alias as alias")
    .innerJoin("page_text as text", (join) =>
      join.onRef("text.url", "=", "alias.url").onRef("text.source", "=", "alias.source"),
    )
    .select("alias.url")
    .where("alias.of", "=", page)
    .where("alias.evidence", "=", OTHER_FORMAT)
    .where("alias.source", "in", listedIn(sources))
    .groupBy("alias.url")
    .orderBy("alias.url")
    .limit(MOST_FORMS),
)

/**
 * The other formats in which a page's document is available. Queried when a page is shown, and not stored with it: the
 * formats are known only once all of them have been read.
 */
export class OtherForms {
  readonly #db: StateStore

  constructor(db: StateStore) {
    this.#db = db
    migrateTexts(db)
  }

  /** The formats that any of `sources` has read and not lost since then, one address for each, in alphabetical order. */
  async of(page: PageUrl, sources: readonly string[]): Promise<OtherForm[]> {
    const rows = await formsOf.all(this.#db, { page, sources: JSON.stringify(sources) })
    const shown = new Set([named(page)])
    const forms: OtherForm[] = []
    for (const { url } of rows) {
      const format = named(url)
      if (format === null || shown.has(format)) continue
      shown.add(format)
      forms.push({ url, format })
    }
    return forms
  }
}

function named(url: PageUrl): string | null {
  const format = formatOf(url)
  return format !== null && BROWSER_FORMATS.has(format) ? "html" : format
}
