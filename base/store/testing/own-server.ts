import { PostgresServer } from "./postgres-server.ts"

let server: PostgresServer | undefined

/** One server for all tests of a run, each data folder with a schema of its own; vitest calls it. */
export async function setup(): Promise<void> {
  server = await PostgresServer.start()
  process.env["FOSSICK_STATE"] = server.url()
}

export const teardown = async (): Promise<void> => await server?.[Symbol.asyncDispose]()
