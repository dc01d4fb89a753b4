import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

import { describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"

import { until } from "#base/testing/until.ts"
import { freePort, startChain } from "./testing/chain.ts"
import { startFacilitator } from "./testing/facilitator.ts"
import { ask, sign } from "./testing/payments.ts"
import { payee, payer } from "./testing/wallets.ts"

// Runs the real API process, and kills it as abruptly as a power cut would.

const MISBEHAVING = join(import.meta.dirname, "testing/misbehaving-search.ts")

describe("the API process with paid searches", { tags: ["chain"] }, () => {
  test("answers after a kill between settlement and answer, without a second charge or search", async () => {
    await using chain = await startChain()
    await using facilitator = await startFacilitator(chain.rpcUrl)
    await using appliance = await prepare({
      X402_FACILITATOR_URL: facilitator.url,
      X402_RPC_URL: chain.rpcUrl,
    })
    const question = { query: "pumps" }
    const before = await chain.balance(payee.address)

    await appliance.start({ NODE_OPTIONS: `--import ${MISBEHAVING}` })
    const { headers } = await sign(appliance.url, payer)
    expect(await ask(appliance.url, { query: "__throw__" }, headers)).toMatchObject({ status: 500 })
    facilitator.fail({ settle: { kind: "never-answer" } })
    const settled = facilitator.nextSettled()
    const asking = ask(appliance.url, question, headers)
    asking.catch(() => {})
    await settled
    await appliance.kill("SIGKILL")
    await expect(asking).rejects.toThrow("fetch failed")
    expect((await chain.balance(payee.address)) - before).toBe(10_000n)

    facilitator.fail()
    await appliance.start()
    const other = await ask(appliance.url, { query: "seals" }, headers)
    expect(other).toMatchObject({ status: 402, required: { error: "payment_already_used" } })
    const again = await ask(appliance.url, question, headers)
    expect(again).toMatchObject({ status: 200, receipt: { success: true }, body: { query: "pumps" } })
    const third = await ask(appliance.url, question, headers)
    expect(third).toMatchObject({ status: 402, required: { error: "payment_already_used" } })
    expect((await chain.balance(payee.address)) - before).toBe(10_000n)
    expect(facilitator.calls).toMatchObject({ verify: 2, settled: 1 })

    // When asked to stop while a payment is in progress, the process finishes the payment first.
    const last = await sign(appliance.url, payer)
    const asked = Promise.withResolvers<void>()
    facilitator.fail({ settle: { kind: "held", until: asked.promise } })
    const begun = facilitator.calls.settle
    const underWay = ask(appliance.url, question, last.headers)
    await until(async () => facilitator.calls.settle > begun)
    const stopped = appliance.kill("SIGTERM")
    // Long enough for the payment to be cut off if nothing were waiting for it.
    await pause(700)
    asked.resolve()
    expect(await underWay).toMatchObject({ status: 200, receipt: { success: true } })
    expect(await stopped).toBe(0)
  })

  test("does not start with wrong settings, and says why; with incomplete ones its port stays closed", async () => {
    await using half = await prepare({})
    await half.start({ X402_PUBLIC_URL: "" }, false)
    await expect(fetch(half.url)).rejects.toThrow("fetch failed")
    expect(half.output()).toContain('missing=["X402_FACILITATOR_URL","X402_PUBLIC_URL"]')
    await half.kill("SIGTERM")

    await using wrong = await prepare({ X402_PAY_TO: payee.address.toLowerCase(), X402_COLOUR: "red" })
    expect(await wrong.fail()).toBe(2)
    expect(wrong.output()).toContain("X402_COLOUR isn't a Fossick setting")
    expect(wrong.output()).toContain("X402_PAY_TO must include its checksum")

    await using nothing = await prepare({
      X402_FACILITATOR_URL: "http://127.0.0.1:1",
      FOSSICK_X402_SOURCES: "",
    })
    expect(await nothing.fail()).toBe(2)
    expect(nothing.output()).toContain("FOSSICK_X402_SOURCES must name the sources whose pages are sold")
  })
})

/** `api/main.ts` on a separate data folder; disposing of it leaves no process and no file. */
async function prepare(env: Readonly<Record<string, string>>) {
  const dataDir = await mkdtemp(join(tmpdir(), "fossick-x402-"))
  const [port, paidPort] = [await freePort(), await freePort()]
  const settings = {
    ...CHILD_ENV,
    FOSSICK_DATA_DIR: dataDir,
    FOSSICK_PORT: String(port),
    FOSSICK_HANDBOOK: "off",
    FOSSICK_UNIT_READER: "off",
    FOSSICK_X402_PORT: String(paidPort),
    FOSSICK_X402_SOURCES: "*",
    X402_NETWORK: "eip155:84532",
    X402_PAY_TO: payee.address,
    X402_PUBLIC_URL: "https://search.example",
    ...env,
  }
  let child: ChildProcess | null = null
  let text = ""

  function run(more: Readonly<Record<string, string>> = {}): ChildProcess {
    text = ""
    child = spawn(process.execPath, [join(import.meta.dirname, "../../main.ts")], {
      env: { ...settings, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    })
    for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk) => (text += String(chunk)))
    return child
  }
  async function kill(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    if (child === null) return null
    const exited = child.exitCode === null ? once(child, "exit") : null
    child.kill(signal)
    await exited
    const { exitCode } = child
    child = null
    return exitCode
  }
  return {
    url: `http://127.0.0.1:${paidPort}`,
    output: () => text,
    /** Starts the process, and waits until it is listening. */
    async start(more: Readonly<Record<string, string>> = {}, selling = true) {
      const started = run(more)
      while (!text.includes("listening on http")) {
        if (started.exitCode !== null) throw new Error(`it exited with code ${started.exitCode}:\n${text}`)
        await pause(20)
      }
      expect(text.includes("selling searches")).toBe(selling)
    },
    /** Starts the process, and waits for it to exit. */
    async fail(): Promise<number | null> {
      const started = run()
      await once(started, "exit")
      child = null
      return started.exitCode
    },
    kill,
    async [Symbol.asyncDispose]() {
      await kill("SIGKILL")
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
