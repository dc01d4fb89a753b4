import { fork } from "node:child_process"
import { once } from "node:events"
import { Agent, get, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"

import { fetch } from "undici"

import { pause } from "#base/flow/pause.ts"

/** Kinds of floods, as named in attacker.ts. */
export const FLOODS = [
  "idle",
  "pipelining",
  "slow bodies",
  "slow readers",
  "WebSockets",
  "event streams",
] as const

export type Flood = (typeof FLOODS)[number]

/** An appliance, the key of the caller who is measured, and the key of attackers who use one. */
export interface Target {
  readonly url: string
  readonly key: string
  readonly floodKey: string
}

/** A caller's results: the milliseconds of each answer, and each failure in words. */
export interface Fared {
  readonly search: number[]
  readonly healthz: number[]
  readonly wrong: string[]
}

export interface Trial {
  readonly flood: Flood
  readonly hasKey: boolean
  readonly alone: Fared
  readonly flooded: Fared
}

export interface Force {
  /** Number of connections that flood. */
  readonly connections: number
  /** Length of each turn, with the flood and without. */
  readonly turnMs: number
  readonly turns: number
}

const PROBE_PAUSE_MS = 20
/** Time within which a flood's connections must be gone. */
const SETTLE_MS = 500
const newlyFared = (): Fared => ({ search: [], healthz: [], wrong: [] })

/** Runs one kind of flood alongside one caller, who sends requests in turns with and without the flood, so that other load on the machine affects both alike. */
export async function trial(
  target: Target,
  flood: Flood,
  hasKey: boolean,
  { connections, turnMs, turns }: Force,
): Promise<Trial> {
  const [alone, flooded] = [newlyFared(), newlyFared()]
  for (let turn = 0; turn < turns; turn++) {
    await askFor(target, turnMs, alone)
    await using attack = await begin(target, flood, connections, hasKey)
    await askFor(target, turnMs, flooded)
    await attack[Symbol.asyncDispose]()
    await pause(SETTLE_MS)
  }
  return { flood, hasKey, alone, flooded }
}

async function begin({ url, floodKey }: Target, flood: Flood, count: number, hasKey: boolean) {
  const { hostname, port } = new URL(url)
  const args = [hostname, port, flood, String(count), hasKey ? floodKey : ""]
  const attacker = fork(new URL("./attacker.ts", import.meta.url), args, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  })
  await once(attacker, "message")
  return {
    async [Symbol.asyncDispose]() {
      if (!attacker.connected) return
      const exited = once(attacker, "exit")
      attacker.disconnect()
      await exited
    },
  }
}

/** Calls `/search` over a persistent connection and `/healthz` over a new one each time, for this long. */
async function askFor(target: Target, ms: number, fared: Fared): Promise<void> {
  const late = AbortSignal.timeout(ms)
  const asking = async (into: number[], ask: () => Promise<string | null>) => {
    do {
      const began = performance.now()
      const wrong = await ask().catch((error: unknown) => String(error))
      if (wrong === null) into.push(performance.now() - began)
      else fared.wrong.push(wrong)
      await pause(PROBE_PAUSE_MS)
    } while (!late.aborted)
  }
  await Promise.all([
    asking(fared.search, () => search(target)),
    asking(fared.healthz, () => healthz(target)),
  ])
}

async function search({ url, key }: Target): Promise<string | null> {
  const response = await fetch(`${url}/search`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query: "how long does it take" }),
  })
  await response.text()
  return response.status === 200 ? null : `/search was answered ${response.status}`
}

async function healthz({ url }: Target): Promise<string | null> {
  const call = get(`${url}/healthz`, { agent: new Agent() })
  const [response] = (await once(call, "response")) as [IncomingMessage]
  await text(response)
  return response.statusCode === 200 ? null : `/healthz was answered ${response.statusCode}`
}
