import { join } from "node:path"
import type { Embedder, Engine } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { onServer } from "#engine/testing/meilisearch/under-test.ts"
import { openTestServer } from "#engine/testing/meilisearch/test-server.ts"
import { clusterUnderTest } from "#engine/testing/opensearch/cluster-under-test.ts"
import { onCluster } from "#engine/testing/opensearch/under-test.ts"

/**
 * A separate index: on the server of `MEILI_URL`, on the cluster of `OPENSEARCH_URLS`, else in the folder. It is removed with the stack.
 */
export async function openIndex(
  opened: AsyncDisposableStack,
  dir: string,
  embedder: Embedder,
): Promise<Engine> {
  if (!process.env["MEILI_URL"] && !process.env["OPENSEARCH_URLS"])
    return opened.use(await EmbeddedEngine.open({ dir: join(dir, "index"), mode: "write", embedder }))
  const adapter = process.env["MEILI_URL"] ? onServer(await openTestServer()) : onCluster(clusterUnderTest())
  const place = await adapter.freshPlace()
  opened.defer(() => adapter.removePlace(place))
  return opened.use(await adapter.open(place, { embedder }))
}
