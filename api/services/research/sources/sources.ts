import { type Hit, toPageUrl } from "#engine"
import { breather } from "#base/flow/breather.ts"
import { analyse } from "#engine/text/analysis/analyse.ts"
import { mayBeIn } from "#engine/text/analysis/stop-words.ts"
import { cutIntoPassages } from "#engine/text/passages.ts"

import { hitAddressesModels } from "../../../core/read/addresses-models.ts"
import type { Source } from "./evidence.ts"
import type { Attachment } from "./files.ts"

/** Marks a source as a file from the caller: no page has such an address. */
export const FILE_SCHEME = "file:"
/** Score of a file: high, because files that a caller attaches are meant to be read. */
const FILE_SCORE = 0.9
const PASSAGES_OF_FILE = 8

/** The published facts about a page or file that findings come from. */
export function sourceOfHit(hit: Hit): Source {
  const { url, title, favicon, author, publishedAt, fetchedAt, source } = hit
  const label = hitAddressesModels(hit) ? { addressesModels: true } : {}
  if (source.startsWith(FILE_SCHEME)) {
    return { url: source, title, favicon: null, author: null, published: null, fetched: null, ...label }
  }
  return {
    url,
    title: title === "" ? url : title,
    favicon,
    author,
    published: publishedAt?.getTime() ?? null,
    fetched: fetchedAt.getTime(),
    ...label,
  }
}

/** The files that say something about a question, as if a search had found them, with their best passages chosen by words. */
export async function attachedHits(files: readonly Attachment[], question: string): Promise<Hit[]> {
  const asked = new Set(analyse(question, null))
  const breathe = breather()
  const hits: Hit[] = []
  for (const file of files) {
    const found: (Hit["passages"][number] & { readonly shared: number })[] = []
    const passages = await cutIntoPassages({ chars: file.text.length }, file.text)
    for (const [position, passage] of passages.entries()) {
      await breathe()
      const both = shared(asked, passage.text)
      if (both > 0) found.push({ ...passage, position, shared: both })
    }
    const best = found.sort((a, b) => b.shared - a.shared || a.position - b.position)
    if (best.length > 0) hits.push(toHit(file, best.slice(0, PASSAGES_OF_FILE)))
  }
  return hits
}

const shared = (asked: ReadonlySet<string>, text: string): number =>
  asked.intersection(new Set(analyse(text, null))).size

function toHit({ name, text }: Attachment, passages: Hit["passages"]): Hit {
  return {
    url: toPageUrl("http://file.invalid/")!,
    source: `${FILE_SCHEME}${name}`,
    title: name,
    score: FILE_SCORE,
    passages: passages.map(({ text, headings, position }) => ({ text, headings, position })),
    markdown: text,
    description: null,
    language: mayBeIn("en", text) ? "en" : null,
    author: null,
    publishedAt: null,
    topic: null,
    country: null,
    unsafe: false,
    type: "text",
    fetchedAt: new Date(0),
    images: [],
    favicon: null,
    parts: { lexical: 0, passage: 0, vector: 0, late: 0, rerank: 0, fused: 0, boost: 0 },
  }
}
