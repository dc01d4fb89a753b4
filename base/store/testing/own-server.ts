import type { TestProject } from "vitest/node"

import { PostgresServer } from "./postgres-server.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** The address of the state's server, for {@link file://./on-server.ts}. */
    stateServer: string
  }
}

let server: PostgresServer | undefined

/** One server for all test files of a project, with a separate schema for each data folder; vitest calls this. */
export async function setup(project: TestProject): Promise<void> {
  server = await PostgresServer.start()
  project.provide("stateServer", server.url())
}

export const teardown = async (): Promise<void> => await server?.[Symbol.asyncDispose]()
