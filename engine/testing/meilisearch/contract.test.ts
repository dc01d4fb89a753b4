import { afterAll } from "vitest"
import { describeEngine } from "../engine-contract.ts"
import { openTestServer } from "./test-server.ts"
import { onServer } from "./under-test.ts"

const server = await openTestServer()
/** A writer can get further than intended before it is killed, so recordings are also made with writers killed later. */
const killedAfter = Number(process.env["MEILI_RECORD_KILLED_AFTER"] ?? 12)

describeEngine(`Meilisearch (${server.name})`, onServer(server, killedAfter))

afterAll(async () => {
  console.log(`Meilisearch contract: ${await server.close()}`)
})
