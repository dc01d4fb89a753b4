import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { isAlive } from "../../testing/appliance.ts"
import { Child, type ChildOptions, MAX_RESTARTS } from "./child.ts"
import { firstScreen, handbookNews, screenOnWire } from "./first-screen.ts"

let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-child-"))
})
afterAll(() => rm(dir, { recursive: true }))

/** A child that runs `code`, the reported exits, and its messages as they arrive. */
async function childOf(name: string, code: string, options: Partial<ChildOptions> = {}) {
  const module = join(dir, `${name}.mjs`)
  await writeFile(module, code)
  const crashes: string[] = []
  const messages = new EventTarget()
  const child = new Child({
    name,
    module,
    env: process.env,
    onMessage: (message) => messages.dispatchEvent(new CustomEvent("message", { detail: message })),
    onCrash: (_, ending) => void crashes.push(ending),
    onGiveUp: () => null,
    ...options,
  })
  return { child, crashes, message: () => once(messages, "message").then(([event]) => event.detail) }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const SAY_PID_AND_STAY = "process.send(process.pid); setInterval(() => {}, 1000)"

describe("a child process", () => {
  test("that exits is reported and restarted", async () => {
    const { child, crashes, message } = await childOf("crashing", SAY_PID_AND_STAY)
    const first = message()
    child.start()
    const pid = await first
    const second = message()
    process.kill(pid, "SIGKILL")
    expect(await second).not.toBe(pid)
    expect(crashes).toEqual(["SIGKILL"])
    await child.stop(5000)
    expect(crashes).toEqual(["SIGKILL"])
  })

  test("that keeps crashing is given up eventually, and tried again on request", async () => {
    const givenUp: string[] = []
    const { child, crashes } = await childOf("hopeless", "process.exit(7)", {
      firstRestartMs: 0,
      onGiveUp: (_, ending) => (givenUp.push(ending) === 1 ? 0 : null),
    })
    child.start()
    await expect.poll(() => givenUp).toEqual(["code 7", "code 7"])
    expect(crashes).toHaveLength(MAX_RESTARTS)
    await pause(300)
    expect(givenUp).toHaveLength(2)
    await child.stop(1000)
  })

  test("ended by a signal to all processes before its supervisor received it did not crash", async () => {
    const { child, crashes, message } = await childOf("signalled", SAY_PID_AND_STAY, { tellMs: 2000 })
    const first = message()
    child.start()
    const pid = await first
    process.kill(pid, "SIGINT")
    await expect.poll(() => isAlive(pid)).toBe(false)
    child.expectEnd()
    await child.stop(5000)
    await pause(2200)
    expect(crashes).toEqual([])
  })

  test("that does not heed SIGTERM is killed", async () => {
    const { child, message } = await childOf("deaf", `process.on("SIGTERM", () => {}); ${SAY_PID_AND_STAY}`)
    const first = message()
    child.start()
    const pid = await first
    await child.stop(50)
    expect(isAlive(pid)).toBe(false)
  })
})

describe("the first screen", () => {
  const facts = {
    url: "http://localhost:8080",
    apiKey: "fsk-made",
    operatorKey: false,
    ready: true,
    handbook: "read",
    sales: null,
    lostState: null,
    lowDisk: null,
    readOnly: null,
  } as const

  test("shows the address, the key and an example question", () => {
    const screen = firstScreen(facts)
    expect(screen).toContain("Fossick is up.")
    expect(screen).toMatch(/API key +fsk-made\n +\(shown only once/)
    expect(screen).toContain("curl -s http://localhost:8080/search")
    expect(screen).toContain("\nAsk it something:\n")
  })

  test("does not show the key again, or one the operator chose", () => {
    expect(firstScreen({ ...facts, apiKey: null })).toContain("the one shown on the first start")
    expect(firstScreen({ ...facts, apiKey: null, operatorKey: true })).toContain("the one in FOSSICK_API_KEY")
  })

  test("warns first if keys and sources were lost", () => {
    expect(firstScreen(facts)).not.toContain("WARNING")
    const screen = firstScreen({ ...facts, lostState: "state.db is another one." })
    expect(screen.indexOf("WARNING: state.db is another one.")).toBeGreaterThan(0)
    expect(screen.indexOf("WARNING")).toBeLessThan(screen.indexOf("API key"))
  })

  test("says that crawls wait for disk space, including the handbook's", () => {
    const screen = firstScreen({ ...facts, handbook: "being-read", lowDisk: "The disk is nearly full." })
    expect(screen).toContain("WARNING: The disk is nearly full.")
    expect(screen).toContain("Fossick will read its handbook when the disk has room")
    expect(screen).not.toContain("still reading")
    expect(screenOnWire({ ...facts, lowDisk: "full" })).toMatchObject({ lowDisk: "full" })
  })

  test("claims nothing that is not true yet", () => {
    const early = firstScreen({ ...facts, ready: false, handbook: "being-read" })
    expect(early).not.toContain("Fossick is up.")
    expect(early).toContain("not ready yet; http://localhost:8080/readyz says")
    expect(early).toContain("Fossick is still reading its handbook, and will say here when it is done.")
    expect(handbookNews.read).toContain("Fossick has read its handbook")
    expect(firstScreen({ ...facts, handbook: "not-read" })).toContain(
      "Fossick could not read its own handbook",
    )
  })
})
