import { afterAll, beforeAll, describe } from "vitest"
import { describeProcesses } from "./testing/processes-contract.ts"
import { describeStateStore } from "./testing/state-contract.ts"
import { PostgresServer } from "./testing/postgres-server.ts"

describeStateStore("state.db", false)
describeProcesses("state.db")

describe("a PostgreSQL server", { tags: ["postgresql"] }, () => {
  let server: PostgresServer
  const { FOSSICK_STATE: before } = process.env
  beforeAll(async () => {
    server = await PostgresServer.start()
    process.env["FOSSICK_STATE"] = server.socketUrl()
  })
  afterAll(async () => {
    if (before === undefined) delete process.env["FOSSICK_STATE"]
    else process.env["FOSSICK_STATE"] = before
    await server[Symbol.asyncDispose]()
  })
  describeStateStore("a schema of a database", true)
  describeProcesses("a schema of a database")
})
