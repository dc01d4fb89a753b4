import { givesModelOrder } from "#engine/text/model-orders.ts"
import { toPassages } from "#engine/text/passages.ts"
import { documentationPages } from "../../bench/corpora/documentation-pages.ts"
import {
  englishManuals,
  judgedManuals,
  laterManuals,
  manualsIn,
  programManuals,
} from "../../bench/corpora/manuals.ts"

/**
 * Reads manuals as Debian packages have them, which are downloaded on first use (`apt-get update` goes before), and tells
 * which pages would be labelled: by their title, description or any of their passages.
 */
export async function falseLabels(
  most: number,
  tell: (line: string) => void,
): Promise<{ readonly pages: number; readonly labelled: readonly string[] }> {
  const labelled: string[] = []
  let pages = 0
  const corpora = [
    documentationPages(),
    englishManuals(),
    judgedManuals(),
    laterManuals(),
    programManuals(),
    ...(["de", "fr", "es", "pt", "ja", "zh"] as const).map(manualsIn),
  ]
  for (const corpus of corpora) {
    for await (const page of corpus) {
      if (pages === most) return { pages, labelled }
      pages += 1
      const shown = [page.title, page.description ?? "", ...toPassages(page.markdown).map(({ text }) => text)]
      if (shown.some(givesModelOrder)) labelled.push(page.url)
    }
    tell(`${pages} real pages, ${labelled.length} labelled`)
  }
  return { pages, labelled }
}
