import { startCluster } from "./cluster/start-cluster.ts"

/** Starts a cluster of three nodes for the tests, unless `OPENSEARCH_URLS` names one. */
export default async function startForTests(): Promise<(() => Promise<void>) | undefined> {
  if (process.env["OPENSEARCH_URLS"]) return undefined
  const cluster = await startCluster()
  process.env["OPENSEARCH_URLS"] = cluster.urls.join()
  return async () => cluster[Symbol.asyncDispose]()
}
