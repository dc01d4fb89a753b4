import { givesModelOrder } from "#engine/text/model-orders.ts"
import { toPassages } from "#engine/text/passages.ts"
import { documentationPages } from "../../bench/corpora/documentation-pages.ts"
import {
  englishManuals,
  guideManuals,
  judgedManuals,
  laterManuals,
  manualsIn,
  programManuals,
  unaskedManuals,
} from "../../bench/corpora/manuals.ts"

/**
 * Reads manuals from Debian packages, which are downloaded on first use (after `apt-get update`), and reports which
 * pages would be labelled because of their title, description or any of their passages. Each text counts once, whatever
 * its addresses.
 */
export async function falseLabels(
  most: number,
  tell: (line: string) => void,
): Promise<{ readonly pages: number; readonly labelled: readonly string[] }> {
  const labelled: string[] = []
  const corpora = [
    documentationPages(),
    englishManuals(),
    judgedManuals(),
    laterManuals(),
    programManuals(),
    guideManuals(),
    ...(["de", "fr", "es", "pt", "ja", "zh"] as const).map(manualsIn),
    unaskedManuals(),
  ]
  // Some manuals are in several packages.
  const read = new Set<string>()
  for (const corpus of corpora) {
    for await (const page of corpus) {
      if (read.size === most) return { pages: most, labelled }
      if (read.has(page.markdown)) continue
      read.add(page.markdown)
      const shown = [page.title, page.description ?? "", ...toPassages(page.markdown).map(({ text }) => text)]
      if (shown.some(givesModelOrder)) labelled.push(page.url)
    }
    tell(`${read.size} real pages, ${labelled.length} labelled`)
  }
  return { pages: read.size, labelled }
}
