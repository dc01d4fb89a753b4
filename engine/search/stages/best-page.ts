import type { Passage } from "../../index/page/passage.ts"
import type { QueryText } from "../../text/query-text.ts"
import { analyse, analyseQuery } from "../../text/analysis/analyse.ts"

/**
 * Places a passage that runs over several pages of a document on the page that has most terms of the question, where readers look
 * first. Changes nothing when no page has more than the others.
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
    // Another heading may come before the later pages.
    ...(best === 0 && beginsUnder !== undefined && { beginsUnder }),
  } as P
}
