import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { openStateStore } from "#crawler"

import { Ledger } from "./billing/credit-ledger.ts"
import { openKeyStore } from "./keys/keys.ts"
import { statement } from "#base/store/testing/statement.ts"

const LIMIT = 1_000_000
const CLIENTS = 16
const ANSWERS = 150

test("after a kill, every answered call is counted exactly once and nothing stays reserved", async () => {
  const dir = await mkdtemp(join(tmpdir(), "fossick-kill-"))
  try {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "testing/serve-until-killed.ts"), dir, String(LIMIT)],
      { stdio: ["ignore", "pipe", "inherit"] },
    )
    const exited = once(child, "exit")
    const [line] = (await once(child.stdout, "data")) as [Buffer]
    const { url, key } = JSON.parse(line.toString()) as { url: string; key: string }

    let sent = 0
    const answered = new Set<string>()
    const client = async () => {
      for (;;) {
        sent += 1
        const response = await fetch(`${url}/search`, {
          method: "POST",
          headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
          body: JSON.stringify({ query: "pumps", search_depth: "advanced" }),
        })
        answered.add(((await response.json()) as { request_id: string }).request_id)
        if (answered.size === ANSWERS) child.kill("SIGKILL")
      }
    }
    await Promise.allSettled(Array.from({ length: CLIENTS }, client))
    await exited

    const db = await openStateStore(dir)
    const held = async () =>
      Number((await statement(db, "select count(*) as n from credit_hold").get())!["n"])
    const keys = openKeyStore(db, "")
    const ledger = new Ledger(db, { name: "", credits: null, paygo: 0 }, async () => 0)
    const counted = await statement(db, "select request_id, credits from call_log").all()
    const ids = new Set(counted.map((row) => row["request_id"]))
    expect(answered.isSubsetOf(ids)).toBe(true)
    expect(ids.size).toBe(counted.length)
    expect(counted.length).toBeLessThanOrEqual(sent)
    const { all } = await ledger.ofKey((await keys.verify(key))!, null)
    expect(all).toBe(2 * counted.length)

    await ledger.recover()
    expect(await held()).toBe(0)
    expect(await ledger.left((await keys.verify(key))!)).toBe(LIMIT - all)
    db.close()
  } finally {
    await rm(dir, { recursive: true })
  }
})
