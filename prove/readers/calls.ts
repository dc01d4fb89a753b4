import type { Chance } from "#base/testing/chance.ts"
import { someTry, type Try } from "../key-reach/calls.ts"
import { SOURCES } from "../key-reach/world.ts"
import type { GuardedPage } from "./world.ts"

/** The fields by which the results of a search may be narrowed. */
const FACETS = ["source", "domain", "path", "version", "language", "type", "published"]
/** Number of misspelt words in one question: more than a search looks up. */
const MANY = 14

/** The word with one letter replaced by a letter that is in no word of the pages. */
const slip = (word: string): string => `${word.slice(0, 5)}x${word.slice(6)}`

const query = (path: string, given: Readonly<Record<string, string>>) =>
  `${path}?${new URLSearchParams(given).toString()}`

/** A random call that tries to reach a page. */
export function someCall(
  page: GuardedPage,
  pages: readonly GuardedPage[],
  random: Chance,
  origin: string,
): Try {
  if (page.way && random.happens(0.2))
    return { of: "originals", path: new URL(page.url).pathname, showsLinks: true, finds: true }
  if (random.happens(0.6)) {
    const one = someTry(page, random, origin)
    // Among several pages with the same content, the ranking decides which is shown, and some of them have no word of
    // their own.
    const { finds: _finds, ...rest } = one
    return page.hasKin ? rest : one
  }
  return random.one([
    ...misspelt(page, pages, random),
    ...counted(page, random),
    ...byOtherAddresses(page, origin),
  ])()
}

function misspelt(
  { proof, asked }: GuardedPage,
  pages: readonly GuardedPage[],
  random: Chance,
): (() => Try)[] {
  const search = (body: Readonly<Record<string, unknown>>): Try => ({
    of: "misspelt searches",
    path: "/search",
    body,
  })
  return [
    () => search({ query: slip(proof), max_results: 20 }),
    () =>
      search({
        query: `seals of ${slip(proof)} and ${slip(asked)}`,
        search_depth: random.one(["fast", "advanced"]),
      }),
    () =>
      search({
        query: random
          .some(pages, MANY)
          .map((one) => slip(one.proof))
          .join(" "),
        max_results: 20,
      }),
    () => search({ query: slip(proof), include_facets: FACETS }),
    () => ({ of: "misspelt searches", path: query("/suggest", { q: slip(proof), limit: "20" }) }),
    () => ({ of: "misspelt searches", path: query("/searxng/search", { q: slip(proof), format: "json" }) }),
    // The word itself must not reveal the page's address to people who may not read it.
    () => search({ query: proof, max_results: 20, include_images: true }),
    () => search({ query: `"seals of ${proof}"`, exact_match: true, include_answer: true }),
  ]
}

function counted({ asked, folder, host, proof }: GuardedPage, random: Chance): (() => Try)[] {
  const search = (body: Readonly<Record<string, unknown>>): Try => ({
    of: "facets",
    path: "/search",
    body: { query: random.one(["pump seals", asked]), include_facets: FACETS, ...body },
  })
  return [
    () => search({}),
    () => search({ include_domains: [host], max_results: 20 }),
    () => search({ paths: [random.one(["/de", "/v1.0", "/print", "/s0/shared"])] }),
    () => search({ versions: [random.one(["1.0", "2.0", "v1.0"])] }),
    () => search({ sources: [random.one(SOURCES)] }),
    () => search({ paths: [`/${folder}`], include_evidence: true }),
    () => ({
      of: "suggestions",
      path: query("/suggest", { q: random.one(["zprf", "Seals of zprf", proof.slice(0, 6)]), limit: "20" }),
    }),
    () => ({ of: "suggestions", path: query("/suggest/opensearch", { q: "Pump zask" }) }),
    () => ({ of: "sources", path: random.one(["/sources", "/v1/vector_stores", "/usage"]) }),
    () => ({
      of: "searches with word statistics",
      path: "/search",
      body: { query: asked, include_word_statistics: true, max_results: random.below(3) },
    }),
    () => ({
      of: "searches without results",
      path: "/search",
      body: { query: `zzyx ${slip(asked)}`, sources: random.one(SOURCES), max_results: 20 },
    }),
  ]
}

function byOtherAddresses(
  { url, proof, number, isLive, inAddress }: GuardedPage,
  origin: string,
): (() => Try)[] {
  const path = isLive ? new URL(url).pathname.replace(/[^/]*$/, "") : ""
  const known = isLive ? `${origin}${path}hop-${number}` : url.replace("https:", "http:")
  const spellings = [
    known,
    `${url}/`,
    `${url}#part`,
    `${url}?utm_source=x`,
    url.replace("://", "://www."),
    isLive ? `${origin}/hop/${number}` : url,
  ]
  const each = <T>(make: (address: string) => T): (() => T)[] =>
    spellings.map((address) => () => make(address))
  return [
    ...each((address): Try => ({
      of: "stored pages",
      path: query("/pages", { url: address }),
      showsLinks: true,
    })),
    ...each((address): Try => ({
      of: "extract",
      path: "/extract",
      body: { urls: [address], include_images: true },
    })),
    () => ({
      of: "images",
      path: query("/thumbnails", {
        page: url,
        image: isLive ? `${origin}/${proof}.png` : `https://images.example.net/${proof}.png`,
      }),
    }),
    () => ({ of: "stored pages", path: query("/pages/passages", { url, q: inAddress }), showsLinks: true }),
    () => ({ of: "MCP", path: "/mcp", tool: "fetch", body: { id: known }, showsLinks: true }),
  ]
}
