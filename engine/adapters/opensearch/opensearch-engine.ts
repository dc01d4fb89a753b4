import type { IndexInfo } from "../adapter.ts"
import type { Backend } from "../server/backend.ts"
import { ServerEngine, type ServerEngineOptions } from "../server/server-engine.ts"
import { isIn } from "./filter.ts"
import { countWaiting, lastVersion, readState } from "./index-state.ts"
import { opensearchIndex } from "./opensearch-index.ts"
import { OpenSearchPages, type StoreParts } from "./page-store.ts"
import { namedPages, pagesAfter, storedPage } from "./pages-after.ts"
import { Cluster, type ClusterOptions } from "./server/cluster.ts"
import type { VectorsDocument } from "./server/documents.ts"
import {
  createIndexes,
  INDEX_FORMAT,
  indexesOf,
  readManifest,
  refuseOtherFormat,
  type Spread,
} from "./server/indexes.ts"
import { Searches } from "./server/searches.ts"
import { Versions } from "./server/versions.ts"
import { TermFrequencies } from "./term-frequencies.ts"
import { OpenSearchWaiting } from "./waiting-store.ts"

const READER_LAG_MS = 1000
/** How long a write waits for a cluster that is away, and a search: long enough that another node takes over from one that died. */
const WRITER_PATIENCE_MS = 60_000
const READER_PATIENCE_MS = 10_000

export interface OpenSearchOptions extends Omit<ServerEngineOptions, "backend"> {
  readonly cluster: Omit<ClusterOptions, "patienceMs">
  /** Of an index that is made. */
  readonly spread: Spread
}

/** The index on an OpenSearch cluster. As {@link ServerEngine.open}. */
export function openOpenSearch({ cluster, spread, ...options }: OpenSearchOptions): Promise<ServerEngine> {
  const patienceMs = options.mode === "write" ? WRITER_PATIENCE_MS : READER_PATIENCE_MS
  const backend = opensearchBackend(new Cluster({ ...cluster, patienceMs }), options.name, spread)
  return ServerEngine.open({ ...options, backend })
}

function opensearchBackend(cluster: Cluster, name: string, spread: Spread): Backend {
  const indexes = indexesOf(name)
  const frequencies = new TermFrequencies(cluster, indexes)
  let versions: Promise<Versions> | undefined
  const parts: StoreParts = {
    cluster,
    indexes,
    patienceMs: WRITER_PATIENCE_MS,
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
    manifest: () => readManifest(cluster, name),
    refuseOtherFormat: (manifest) => refuseOtherFormat(manifest, name),
    create({ id, dimensions }) {
      const manifest: IndexInfo = { format: INDEX_FORMAT, embedder: id, dimensions }
      return createIndexes(cluster, name, manifest, spread)
    },
    prepare: () => Promise.resolve(),
    state: () => readState(cluster, indexes),
    waitingOf: (source) => countWaiting(cluster, indexes, source),
    searchIndex: (state) => opensearchIndex({ cluster, indexes, frequencies, state }),
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
    pagesAfter: (id) => pagesAfter(cluster, indexes, id),
    namedPages: (writes) => namedPages(cluster, indexes, writes),
    pageStore: (dimensions) => new OpenSearchPages(parts, dimensions),
    waitingStore: () => new OpenSearchWaiting(parts),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}
