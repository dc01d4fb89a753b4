import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, test } from "vitest"

import { openStateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { PostgresServer } from "#base/store/testing/postgres-server.ts"

import { PublicKeyStore } from "./public-keys/public-key-store.ts"

const SERVER = join(import.meta.dirname, "testing/serve-until-killed.ts")
const CREDITS = 90
const CLIENTS = 64

interface Serving {
  readonly url: string
  readonly key: string
  readonly child: ChildProcess
}

async function serve(dir: string, state: string): Promise<Serving> {
  const child = spawn(process.execPath, [SERVER, dir, String(CREDITS)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, FOSSICK_STATE: state },
  })
  const [line] = (await once(child.stdout, "data")) as [Buffer]
  return { ...(JSON.parse(line.toString()) as { url: string; key: string }), child }
}

/** Lets 64 clients call both processes with one key until they are refused. @returns calls that were answered */
async function askBoth(dir: string, state: string): Promise<number> {
  const both = [await serve(dir, state), await serve(dir, state)]
  try {
    const { key } = both[0]!
    let answered = 0
    const client = async (_: unknown, index: number): Promise<void> => {
      for (let call = index; ; call++) {
        const response = await fetch(`${both[call % 2]!.url}/search`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ query: "pump" }),
        })
        const said = await response.text()
        if (response.status === 432) return
        if (response.status !== 200) throw new Error(`${response.status}: ${said}`)
        answered += 1
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    return answered
  } finally {
    for (const { child } of both) child.kill("SIGKILL")
    await Promise.all(both.map(({ child }) => text(child.stdout!).catch(() => "")))
  }
}

const PER_ADDRESS = 20

/** Lets a page call both processes in turn with one public key. @returns calls that were answered */
async function askFromPage(dir: string, state: string): Promise<number> {
  const both = [await serve(dir, state), await serve(dir, state)]
  try {
    using db = await openStateStore(dir)
    const origin = "https://docs.example"
    const key = await new PublicKeyStore(db).create({
      name: "",
      source: "docs",
      collection: null,
      origins: [origin],
      answers: false,
      rateLimits: { search: { calls: PER_ADDRESS, seconds: 3600 } },
      credits: null,
    })
    const statuses = await Promise.all(
      Array.from({ length: 3 * PER_ADDRESS }, async (_, call) => {
        const { status, body } = await fetch(`${both[call % 2]!.url}/search`, {
          method: "POST",
          headers: { authorization: `Bearer ${key.text}`, "content-type": "application/json", origin },
          body: JSON.stringify({ query: "pump" }),
        })
        await body?.cancel()
        return status
      }),
    )
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
    // Rows there don't reveal the caller.
    expect(
      (await statement(db, "select name from rate_slot").all()).map(({ name }) => name).join(),
    ).not.toContain("127.0.0.1")
    return statuses.filter((status) => status === 200).length
  } finally {
    for (const { child } of both) child.kill("SIGKILL")
    await Promise.all(both.map(({ child }) => text(child.stdout!).catch(() => "")))
  }
}

async function counted(dir: string): Promise<unknown[]> {
  using db = await openStateStore(dir)
  return [
    (await statement(db, "select sum(credits) as used from credit_total where subject <> 'account'").get())![
      "used"
    ],
    (await statement(db, "select count(*) as n from credit_hold").get())!["n"],
  ]
}

describe("two processes under 64 clients never let a key exceed its credits", () => {
  test("on one state.db", async () => {
    const dir = mkdtempSync(join(tmpdir(), "fossick-"))
    try {
      expect(await askBoth(dir, process.env["FOSSICK_STATE"] ?? "")).toBe(CREDITS)
      expect(await counted(dir)).toEqual([CREDITS, 0])
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  test("on one PostgreSQL server", { tags: ["postgresql"] }, async () => {
    const dir = mkdtempSync(join(tmpdir(), "fossick-"))
    const before = process.env["FOSSICK_STATE"]
    const server = await PostgresServer.start()
    try {
      process.env["FOSSICK_STATE"] = server.url()
      expect(await askBoth(dir, server.url())).toBe(CREDITS)
      expect(await counted(dir)).toEqual([CREDITS, 0])
      // A caller with a public key can't exceed the rate limit for an address either.
      expect(await askFromPage(dir, server.url())).toBe(PER_ADDRESS)
    } finally {
      if (before === undefined) delete process.env["FOSSICK_STATE"]
      else process.env["FOSSICK_STATE"] = before
      await server[Symbol.asyncDispose]()
      rmSync(dir, { recursive: true })
    }
  })
})
