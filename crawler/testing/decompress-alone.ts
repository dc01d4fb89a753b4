import { json } from "node:stream/consumers"
import { decompress } from "../fetch/content-encoding.ts"

// Decompresses the bodies from standard input, `[header, base64][]`, and reports for each how it ended and how much
// additional memory the process used, in megabytes.

const MAX_BYTES = 1_000_000
const bodies = (await json(process.stdin)) as [header: string, base64: string][]
const results: { header: string; kind: string; grownMb: number }[] = []
for (const [header, base64] of bodies) {
  const before = process.resourceUsage().maxRSS
  const { kind } = await decompress(Buffer.from(base64, "base64"), header, MAX_BYTES)
  results.push({ header, kind, grownMb: Math.round((process.resourceUsage().maxRSS - before) / 1024) })
}
console.log(JSON.stringify(results))
