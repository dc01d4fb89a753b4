import type { IndexInfo } from "../adapter.ts"
import type { Backend } from "../server/backend.ts"
import { ServerEngine, type ServerEngineOptions } from "../server/server-engine.ts"
import { isIn } from "./filter.ts"
import { countByReaders, countWaiting, lastVersion, readState } from "./index-state.ts"
import { opensearchIndex } from "./opensearch-index.ts"
import { OpenSearchPages, type StoreParts } from "./page-store.ts"
import { changedSince, namedPages, pagesWithVectors, storedPage } from "./stored-pages.ts"
import { Cluster, type ClusterOptions } from "./server/cluster.ts"
import type { VectorsDocument } from "./server/documents.ts"
import {
  addNewFields,
  createClaims,
  createIndexes,
  INDEX_FORMAT,
  indexesOf,
  readManifest,
  refuseOtherFormat,
  type Spread,
} from "./server/indexes.ts"
import { Searches } from "./server/searches.ts"
import { Shards } from "./server/shards.ts"
import { Versions } from "./server/versions.ts"
import { TermFrequencies } from "./term-frequencies.ts"
import { HALF_WRITTEN_MS, OpenSearchWaiting } from "./waiting-store.ts"

const READER_LAG_MS = 1000
/** How long a manifest is reused. An index's format and model never change, unless an operator deletes the index and creates another with the same name. */
const MANIFEST_MS = 10_000
/** How long a write waits for an unreachable cluster, and how long a search does: long enough for another node to take over from one that died. */
const WRITER_PATIENCE_MS = 60_000
const READER_PATIENCE_MS = 10_000

export interface OpenSearchOptions extends Omit<ServerEngineOptions, "backend"> {
  readonly cluster: Omit<ClusterOptions, "patienceMs">
  /** Settings of a new index. */
  readonly spread: Spread
  /** Default {@link HALF_WRITTEN_MS}. */
  readonly halfWrittenMs?: number
}

/** Opens the index on an OpenSearch cluster, like {@link ServerEngine.open}. */
export function openOpenSearch({
  cluster,
  spread,
  halfWrittenMs = HALF_WRITTEN_MS,
  ...options
}: OpenSearchOptions): Promise<ServerEngine> {
  const patienceMs = options.mode === "write" ? WRITER_PATIENCE_MS : READER_PATIENCE_MS
  const asked = new Cluster({ ...cluster, patienceMs })
  const backend = opensearchBackend(asked, { name: options.name, spread, halfWrittenMs })
  return ServerEngine.open({ ...options, backend })
}

function opensearchBackend(
  cluster: Cluster,
  { name, spread, halfWrittenMs }: Required<Pick<OpenSearchOptions, "name" | "spread" | "halfWrittenMs">>,
): Backend {
  const indexes = indexesOf(name)
  const shards = new Shards(cluster, indexes.pages)
  const frequencies = new TermFrequencies(cluster, indexes, shards)
  let versions: Promise<Versions> | undefined
  let manifest: IndexInfo | null = null
  let manifestAt = -Infinity
  const parts: StoreParts = {
    cluster,
    indexes,
    patienceMs: WRITER_PATIENCE_MS,
    halfWrittenMs,
    async versions() {
      versions ??= lastVersion(cluster, indexes).then((last) => new Versions(last))
      versions.catch(() => (versions = undefined))
      return await versions
    },
  }
  return {
    supports: {
      adapter: "opensearch",
      typoTolerance: true,
      exactPhrase: true,
      readerLagMs: READER_LAG_MS,
    },
    title: "OpenSearch",
    explain: (error) => cluster.explain(error),
    checkVersion: () => cluster.checkVersion(),
    async manifest() {
      const isOld = performance.now() - manifestAt > MANIFEST_MS
      if (manifest === null || isOld) manifest = await readManifest(cluster, name)
      if (isOld) manifestAt = performance.now()
      return manifest
    },
    refuseOtherFormat: (manifest) => refuseOtherFormat(manifest, name),
    create({ id, dimensions }) {
      const manifest: IndexInfo = { format: INDEX_FORMAT, embedder: id, dimensions }
      return createIndexes(cluster, name, manifest, spread)
    },
    async prepare() {
      await createClaims(cluster, name, spread)
      await addNewFields(cluster, name)
    },
    async state() {
      const state = await readState(cluster, indexes)
      if (state === null) manifest = null
      return state
    },
    waitingOf: (source) => countWaiting(cluster, indexes, source),
    byReaders: () => countByReaders(cluster, indexes),
    searchIndex: (state) => opensearchIndex({ cluster, indexes, shards, frequencies, state }),
    stored: (id) => storedPage(cluster, indexes, id),
    async coverage(id) {
      const { hits } = await new Searches(cluster).search(indexes.vectors, {
        size: 1,
        track_total_hits: false,
        _source: ["passage_count", "waiting"],
        query: { bool: { filter: [isIn("id", [id])] } },
      })
      const [page] = hits.hits.map(
        ({ _source: source }) => source as unknown as Pick<VectorsDocument, "passage_count" | "waiting">,
      )
      if (!page) return null
      return { passages: page.passage_count, vectors: page.waiting ? 0 : page.passage_count }
    },
    pagesWithVectors: (asked) => pagesWithVectors(cluster, indexes, asked),
    namedPages: (writes) => namedPages(cluster, indexes, writes),
    changedSince: (version) => changedSince(cluster, indexes, version),
    pageStore: (dimensions) => new OpenSearchPages(parts, dimensions),
    waitingStore: () => new OpenSearchWaiting(parts),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}
