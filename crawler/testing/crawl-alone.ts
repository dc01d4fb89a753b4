import { flushCompileCache } from "node:module"
import { crawlSite } from "../crawl/crawl-site.ts"
import { Jobs } from "../jobs/jobs.ts"
import { PageReader } from "../fetch/visit/reader.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { testConfig } from "./crawl-fixture.ts"
import { MemoryEngine } from "./memory-engine.ts"

// A job process that can be killed: runs the next job of the given data folder to its end.

const db = await openStateStore(process.argv[2]!)
const jobs = new Jobs(db)
await jobs.recover()
const job = (await jobs.start((await jobs.nextQueued())!.id))!
// Otherwise each start would compile the code again, because a killed process saves nothing.
flushCompileCache()
await using engine = new MemoryEngine()
{
  const config = testConfig()
  await using reader = new PageReader(config)
  const { state } = await crawlSite({ job, db, engine, reader, config, signal: new AbortController().signal })
  await jobs.end(job.id, state)
}
db.close()
