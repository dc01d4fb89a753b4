import { hammingDistance } from "#crawler/upkeep/images/perceptual-hash.ts"
import { isJunkAddress } from "#crawler/upkeep/images/image-address.ts"
import type { ImageFacts } from "#crawler/upkeep/images/image-store.ts"
import { IMAGES_PER_PAGE } from "#crawler/upkeep/images/image-notes.ts"
import type { Hit, PageImage } from "#engine"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"

/** Looks up the known facts about images on a page, by address. */
export interface ImageKnowledge {
  facts(urls: readonly string[], pageUrl: string): Promise<ReadonlyMap<string, ImageFacts>>
}

/** Maximum number of images across all results, so that a page full of pictures does not swamp the answer. */
const MAX_SEARCH_IMAGES = 20
/**
 * Maximum number of bits in which the hashes of two copies of a picture may differ. Measured on 120 generated
 * photographs, drawings and screenshots, each shrunk, enlarged and re-encoded in four ways: 95 in 100 copies differ in
 * at most 6 bits, all in at most 8; different photographs and drawings in at least 16, screenshots of the same program
 * in at least 8.
 */
const SAME_PICTURE_BITS = 7
/** The share of the page's score that a picture gets if its description doesn't match the question. */
const UNMATCHED_SHARE = 0.5
/** The factor applied to a picture's score for each place further down the page. */
const PLACE_FACTOR = 0.98

interface Candidate {
  readonly image: PageImage
  readonly score: number
  readonly looked: Extract<ImageFacts, { state: "read" }> | null
}

/**
 * The content pictures of the pages found, best first: first the pictures that a crawl has read, then the others;
 * within each group, then by the page's score and by how much of the question the description covers. Only the largest
 * of several copies is shown.
 */
export async function searchImages(
  question: string,
  hits: readonly Hit[],
  knowledge: ImageKnowledge,
): Promise<PageImage[]> {
  const { terms } = analyseQuery(question, null)
  const candidates: Candidate[] = []
  for (const hit of hits) {
    for (const [place, { image, looked }] of (await contentImages(hit, knowledge)).entries()) {
      const score = hit.score * PLACE_FACTOR ** place * matchFactor(terms, image)
      candidates.push({ image: described(image, hit), looked, score })
    }
  }
  candidates.sort((a, b) => Number(b.looked !== null) - Number(a.looked !== null) || b.score - a.score)
  return withoutCopies(candidates, MAX_SEARCH_IMAGES).map(({ image }) => image)
}

/** The images of one page that are known to be content, in reading order. */
export async function pageImages(hit: Hit, knowledge: ImageKnowledge): Promise<PageImage[]> {
  return (await contentImages(hit, knowledge)).map(({ image }) => described(image, hit))
}

/** Uses the page's title if the page says nothing about the image itself. */
function described({ url, description }: PageImage, hit: Hit): PageImage {
  return { url, description: description ?? (hit.title || null) }
}

async function contentImages(hit: Hit, knowledge: ImageKnowledge): Promise<Omit<Candidate, "score">[]> {
  const images = hit.images.filter(({ url }) => !isJunkAddress(url)).slice(0, IMAGES_PER_PAGE)
  const facts = await knowledge.facts(
    images.map(({ url }) => url),
    hit.url,
  )
  return images.flatMap((image) => {
    const known = facts.get(image.url)
    if (known?.state === "junk") return []
    return [{ image, looked: known?.state === "read" ? known : null }]
  })
}

function matchFactor(terms: readonly string[], image: PageImage): number {
  if (terms.length === 0) return 1
  const described = new Set(analyse(image.description ?? "", null))
  const matched = terms.filter((term) => described.has(term)).length
  return UNMATCHED_SHARE + ((1 - UNMATCHED_SHARE) * matched) / terms.length
}

/** The first pictures without duplicates: each picture in its best position, shown as its largest copy. */
function withoutCopies(candidates: readonly Candidate[], limit: number): Candidate[] {
  const shown: Candidate[] = []
  for (const candidate of candidates) {
    const at = shown.findIndex((other) => areCopies(candidate, other))
    const other = shown[at]
    if (!other) {
      if (shown.length < limit) shown.push(candidate)
    } else if (area(candidate) > area(other)) shown[at] = candidate
  }
  return shown
}

function areCopies(a: Candidate, b: Candidate): boolean {
  if (a.image.url === b.image.url) return true
  if (!a.looked || !b.looked) return false
  return hammingDistance(a.looked.hash, b.looked.hash) <= SAME_PICTURE_BITS
}

const area = ({ looked }: Candidate): number => (looked ? looked.width * looked.height : 0)
