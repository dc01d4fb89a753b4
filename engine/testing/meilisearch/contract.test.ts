import { afterAll } from "vitest"
import { describeEngine } from "../engine-contract.ts"
import { openTestServer } from "./test-server.ts"
import { onServer } from "./under-test.ts"

const server = await openTestServer()
/** A writer may get further than it is let before it is killed: recordings are made of some that do. */
const killedAfter = Number(process.env["MEILI_RECORD_KILLED_AFTER"] ?? 12)

describeEngine(`Meilisearch (${server.name})`, onServer(server, killedAfter))

afterAll(async () => {
  console.log(`Meilisearch contract: ${await server.close()}`)
})
