import { randomBytes } from "node:crypto"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { openOpenSearch } from "#engine/adapters/opensearch/opensearch-engine.ts"
import { Cluster } from "#engine/adapters/opensearch/server/cluster.ts"
import { dropIndexes } from "#engine/adapters/opensearch/server/indexes.ts"
import type { AdapterUnderTest } from "../contract/stage.ts"
import { HashingEmbedder } from "../hashing-embedder.ts"

/** Everything that a child process needs to open the same index; a place is this object as JSON. */
interface Place {
  readonly urls: readonly string[]
  readonly name: string
}

const clusterOf = (urls: readonly string[]) => ({
  urls,
  login: null,
  tls: { ca: null, cert: null, key: null },
})

/** The OpenSearch engine for the contract suite, with its own indexes on a cluster. */
export const onCluster = (urls: readonly string[]): AdapterUnderTest => ({
  ...adapter,
  freshPlace: async () =>
    JSON.stringify({ urls, name: `contract-${randomBytes(6).toString("hex")}` } satisfies Place),
  removePlace: async (place) => {
    const { name } = JSON.parse(place) as Place
    await rm(lockDir(name), { recursive: true, force: true })
    await using cluster = new Cluster({ ...clusterOf(urls), patienceMs: 60_000 })
    await dropIndexes(cluster, name)
  },
})

const noCluster = () => Promise.reject(new Error("Only a process with a cluster makes places."))

/** For child processes: they open the index that they are given. */
export const adapter: AdapterUnderTest = {
  module: import.meta.url,
  freshPlace: noCluster,
  removePlace: noCluster,
  open: async (place, { mode = "write", embedder = new HashingEmbedder(), embedding = "on" } = {}) => {
    const { urls, name } = JSON.parse(place) as Place
    return await openOpenSearch({
      cluster: clusterOf(urls),
      spread: { shards: 3, replicas: 1 },
      name,
      lockDir: lockDir(name),
      mode,
      embedder,
      embedding,
    })
  },
}

const lockDir = (name: string) => path.join(tmpdir(), `fossick-${name}`)
