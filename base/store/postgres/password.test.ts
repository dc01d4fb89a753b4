import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { expect, test } from "vitest"
import { PostgresServer } from "../testing/postgres-server.ts"
import { PostgresStore } from "./postgres-store.ts"
import { statement } from "../testing/statement.ts"
import { serverLocation } from "./state-location.ts"

const PASSWORD = "p%41ss:w@rd/ß?#"

test(
  "a server that asks for a password gets the one that its file holds",
  { tags: ["postgresql"] },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "fossick-"))
    const server = await PostgresServer.start()
    try {
      const admin = new Client({ connectionString: server.socketUrl().replace(/&schema.*/, "") })
      await admin.connect()
      await admin.query(`alter role fossick password '${PASSWORD}'`)
      const rules = join(server.folder, "data/pg_hba.conf")
      const before = readFileSync(rules, "utf8")
      writeFileSync(rules, "host all all all scram-sha-256\n")
      appendFileSync(rules, before)
      await admin.query("select pg_reload_conf()")
      await admin.end()

      const file = join(folder, "password")
      const open = (password: string) =>
        new PostgresStore(serverLocation(server.url("of_this_test"), password, folder, process.env))
      writeFileSync(file, `${PASSWORD}\n`)
      const store = open(`file:${file}`)
      expect(await statement(store, "select 1 as one").get()).toEqual({ one: 1 })
      store.close()
      using stranger = open("another one")
      await expect(stranger.script("select 1")).rejects.toThrow("password authentication failed")
    } finally {
      await server[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    }
  },
)
