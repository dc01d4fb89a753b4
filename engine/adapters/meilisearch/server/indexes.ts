import { isDeepStrictEqual } from "node:util"
import type { EnqueuedTask, Index, Settings } from "meilisearch"
import { EngineError } from "../../../errors.ts"
import {
  FACETED,
  FILTER_FIELDS,
  type PageDocument,
  type PassageDocument,
  type TextDocument,
} from "./documents.ts"
import { LEVEL_NAMES } from "../impacts.ts"
import { TYPO_SIZES } from "../term-code.ts"
import { type Server, isMissing } from "./server.ts"

/**
 * Raised whenever an older Fossick couldn't read indexes written by this one, or this one couldn't read indexes written
 * by an older one. 2: terms on the level of the best section, names alongside the terms of passages, types and ports to
 * filter by.
 */
export const INDEX_FORMAT = 2

/** Describes an index; stored as a document next to the texts. It is the last thing written when an index is created. */
export interface Manifest {
  readonly format: number
  /** Id of the embedder that created the vectors. */
  readonly embedder: string
  readonly dimensions: number
}

/** The server's indexes that together make up one of ours. */
export interface Indexes {
  readonly pages: Index<PageDocument>
  readonly texts: Index<TextDocument>
  readonly passages: Index<PassageDocument>
}

const PARTS = ["texts", "pages", "passages"] as const
const MANIFEST = "manifest"
/** Maximum number of hits that the server counts: high enough to count all of them. */
const ALL = 1_000_000_000

export function indexesOf({ client }: Server, name: string): Indexes {
  return {
    pages: client.index(`${name}-pages`),
    texts: client.index(`${name}-texts`),
    passages: client.index(`${name}-passages`),
  }
}

/** `null` if there is no index with this name. */
export async function readManifest(server: Server, name: string): Promise<Manifest | null> {
  try {
    const { texts } = indexesOf(server, name)
    const { format, embedder, dimensions } = (await texts.getDocument(MANIFEST)) as unknown as Manifest
    return { format, embedder, dimensions }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Creates an empty index. Deletes anything left behind by a process that died while doing so. */
export async function createIndexes(server: Server, name: string, manifest: Manifest): Promise<void> {
  await dropIndexes(server, name)
  const indexes = indexesOf(server, name)
  const tasks: EnqueuedTask[] = []
  for (const part of PARTS) {
    tasks.push(await server.client.createIndex(indexes[part].uid, { primaryKey: "id" }))
    tasks.push(await indexes[part].updateSettings(settingsOf(part, manifest.dimensions)))
  }
  await server.allDone(tasks)
  await server.done(indexes.texts.addDocuments([{ id: MANIFEST, ...manifest } as unknown as TextDocument]))
}

export async function dropIndexes(server: Server, name: string): Promise<void> {
  const tasks: EnqueuedTask[] = []
  for (const index of Object.values(indexesOf(server, name))) {
    try {
      await index.getRawInfo()
    } catch (error) {
      if (isMissing(error)) continue
      throw error
    }
    tasks.push(await server.client.deleteIndex(index.uid))
  }
  await server.allDone(tasks)
}

/** Applies only missing settings: even a setting that changes nothing can make the server reindex everything. */
export async function applySettings(server: Server, name: string, dimensions: number): Promise<void> {
  const indexes = indexesOf(server, name)
  const tasks: EnqueuedTask[] = []
  for (const part of PARTS) {
    const now = (await indexes[part].getSettings()) as Record<string, unknown>
    const wanted = Object.entries(settingsOf(part, dimensions))
    const changes = wanted.filter(([key, value]) => !isDeepStrictEqual(value, now[key]))
    if (changes.length > 0) tasks.push(await indexes[part].updateSettings(Object.fromEntries(changes)))
  }
  await server.allDone(tasks)
}

function settingsOf(part: keyof Indexes, dimensions: number): Settings {
  const common: Settings = {
    prefixSearch: "disabled",
    proximityPrecision: "byAttribute",
    facetSearch: false,
    pagination: { maxTotalHits: ALL },
  }
  // No document has this field: the server would take an empty list to mean all fields.
  const unsearched: Settings = { ...common, searchableAttributes: ["none"] }
  if (part === "texts") return unsearched
  if (part === "passages") {
    return {
      ...unsearched,
      filterableAttributes: FILTER_FIELDS.toSorted(),
      embedders: { default: { source: "userProvided", dimensions } },
    }
  }
  return {
    ...common,
    searchableAttributes: LEVEL_NAMES,
    filterableAttributes: [...FILTER_FIELDS, ...FACETED, "waiting"].toSorted(),
    sortableAttributes: ["key"],
    // A single-term question finds the pages that say most about the term; other questions are asked term by term.
    rankingRules: ["words", "typo", "attributeRank"],
    // Question words are matched exactly; among typo matches, our own rule selects the ones that fit.
    typoTolerance: {
      enabled: true,
      minWordSizeForTypos: TYPO_SIZES,
      disableOnWords: [],
      disableOnAttributes: [],
      disableOnNumbers: false,
    },
    faceting: { maxValuesPerFacet: 100_000, sortFacetValuesBy: { "*": "alpha" } },
    // The words don't belong to any language, so the server shouldn't guess one.
    localizedAttributes: [{ attributePatterns: ["*"], locales: ["eng"] }],
  }
}

/** @throws EngineError `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD` */
export function refuseOtherFormat({ format }: Manifest, name: string): void {
  if (format === INDEX_FORMAT) return
  const [code, way] =
    format > INDEX_FORMAT
      ? ([
          "INDEX_FORMAT_TOO_NEW",
          "Start a newer Fossick, or set FOSSICK_MEILI_INDEX to another index.",
        ] as const)
      : (["INDEX_FORMAT_TOO_OLD", "Set FOSSICK_MEILI_INDEX to another index and crawl again."] as const)
  throw new EngineError(
    code,
    `The index ${name} on the Meilisearch server has format ${format}; this Fossick reads ${INDEX_FORMAT}. ${way}`,
  )
}
