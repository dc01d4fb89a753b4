import { join } from "node:path"
import { shippedModel, TransformersEmbedder } from "#engine/embedders/transformers-embedder.ts"
import { ensureIndex } from "./corpora/search-index.ts"
const [dir, ...sizes] = process.argv.slice(2)
await using embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
for (const n of sizes.map(Number)) {
  const built = await ensureIndex(join(dir!, `search-${n}`), embedder, n, 3000)
  console.log(new Date().toISOString(), JSON.stringify(built))
}
