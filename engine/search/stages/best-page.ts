import type { Passage } from "../../index/page/passage.ts"
import type { QueryText } from "../../text/query-text.ts"
import { analyse, analyseQuery } from "../../text/analysis/analyse.ts"

/**
 * For a passage that spans several pages of a document, picks the page with the most terms of the question, because
 * readers look there first. Changes nothing if no page has more than the others.
 */
export function onBestPage<P extends Passage>(
  passage: P,
  question: string | QueryText,
  language: string | null,
): P {
  const { pages, text } = passage
  if (pages === undefined) return passage
  const asked = new Set(analyseQuery(question, language).terms)
  const said = pages.map(([at], i) => {
    const terms = new Set(analyse(text.slice(at, pages[i + 1]?.[0]), language))
    return asked.intersection(terms).size
  })
  const most = Math.max(...said)
  const best = said.indexOf(most)
  if (most === 0 || said.lastIndexOf(most) !== best) return passage
  const [, anchor, page] = pages[best]!
  const { anchor: _anchor, beginsUnder, ...rest } = passage
  return {
    ...rest,
    ...(anchor !== "" && { anchor }),
    page,
    // A later page may begin under another heading, so only the first page keeps `beginsUnder`.
    ...(best === 0 && beginsUnder !== undefined && { beginsUnder }),
  } as P
}
