import { join } from "node:path"
import { parseArgs } from "node:util"
import { BENCH_DIR } from "../../corpora/documentation-site.ts"
import { buildPrograms } from "./programs.ts"
import { WIKI_LOGIN } from "./wikis.ts"
import { certificates } from "./manuals.ts"

// Serves every program on a separate port until Ctrl-C, so that you can try a recipe by hand.

const { values } = parseArgs({
  options: {
    programs: { type: "string", default: join(BENCH_DIR, "programs") },
    port: { type: "string", default: "7101" },
  },
})

await using servers = new AsyncDisposableStack()
const ended = new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve))
const { sites, missing } = await buildPrograms(values.programs)
for (const [at, site] of sites.entries()) {
  const served = servers.use(await site.serve(Number(values.port) + at))
  process.stdout.write(`${served.url}${site.start}  ${site.program}; ${site.pages.length} content pages\n`)
}
for (const { name, why } of missing) process.stdout.write(`not served: ${name}: ${why}\n`)
const { authority } = await certificates(values.programs)
process.stdout.write(
  `login of the intranet: ${WIKI_LOGIN.user} ${WIKI_LOGIN.password}; authority: ${authority}\n`,
)
await ended
