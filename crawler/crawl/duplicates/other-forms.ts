import type { PageUrl } from "#engine"
import { prepareOnce, type StateStore } from "#base/store/state-store.ts"
import { formatOf, OTHER_FORMAT } from "./document-form.ts"
import { migrateTexts } from "./text-store.ts"

/** The same document in another format. */
export interface OtherForm {
  readonly url: PageUrl
  /** As addresses end, in lower case: `pdf`, `epub`, `docx`; `html` for all that browsers show. */
  readonly format: string
}

/** More than there are formats: what stands beyond them is one format under several addresses. */
const MOST_FORMS = 20

const BROWSER_FORMATS = new Set(["htm", "xhtml"])

/**
 * The formats in which a document is there besides its page. Asked for when a page is shown, and not kept with it: which
 * there are is known only when all have been read.
 */
export class OtherForms {
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore) {
    this.#prepare = prepareOnce(db)
    migrateTexts(db)
  }

  /** Those that any of `sources` has read and not lost since, one for each format, in the order of their addresses. */
  async of(page: PageUrl, sources: readonly string[]): Promise<OtherForm[]> {
    const rows = await this.#prepare(
      `select alias.url from page_alias alias join page_text text on text.url = alias.url and text.source = alias.source
       where alias.of = ? and alias.evidence = ? and alias.source in (select value from json_each(?))
       group by alias.url order by alias.url limit ?`,
    ).all(page, OTHER_FORMAT, JSON.stringify(sources), MOST_FORMS)
    const shown = new Set([named(page)])
    const forms: OtherForm[] = []
    for (const row of rows) {
      const url = row["url"] as PageUrl
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
