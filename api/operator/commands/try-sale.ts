import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"
import { steadyNow } from "#base/steady-time.ts"

// `fossick payments try`: sells one search, only on this machine. The chain, its token and the facilitator are local
// and the money is play money; the appliance and the client are the real ones.

const START_MS = 120_000
const QUESTION = { query: "how do I sell searches?", max_results: 3 }

/**
 * @param start the program and arguments that start an appliance, for Node
 * @returns the exit code
 */
export async function trySale(start: readonly string[]): Promise<number> {
  try {
    return await sellOne(start)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error
    throw new CommandError("This needs a clone with its development packages: npm ci without --omit=dev.")
  }
}

async function sellOne(start: readonly string[]): Promise<number> {
  // Loaded here, so that a missing file can be reported.
  const [{ ExactEvmScheme }, { wrapFetchWithPayment, x402Client }, local, { startFacilitator }, wallets] =
    await Promise.all([
      import("@x402/evm/exact/client"),
      import("@x402/fetch"),
      import("../../doors/x402/testing/chain.ts"),
      import("../../doors/x402/testing/facilitator.ts"),
      import("../../doors/x402/testing/wallets.ts"),
    ])
  if (local.noChain !== "") {
    throw new CommandError(`There is no local chain${local.noChain}.`)
  }
  const { payer, payee } = wallets
  await using chain = await local.startChain()
  await using facilitator = await startFacilitator(chain.rpcUrl)
  const port = await local.freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = {
    X402_PAY_TO: payee.address,
    X402_NETWORK: local.NETWORK,
    X402_FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: chain.rpcUrl,
    X402_PUBLIC_URL: url,
    FOSSICK_X402_PORT: String(port),
    FOSSICK_X402_SOURCES: "*",
  }
  say("A local chain, a facilitator and a token are running. The appliance starts with these settings:\n")
  for (const [name, value] of Object.entries(settings)) say(`  ${name}=${value}`)
  await using appliance = await startAppliance(start, settings)
  say("\nThe appliance is running, and is reading its own handbook so that there is something to find.")
  await appliance.untilRead()

  const request = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(QUESTION),
  }
  const unpaid = await fetch(`${url}/search`, request)
  say(`\nPOST ${url}/search ${request.body}`)
  say(`  without a payment: ${unpaid.status}, and the header PAYMENT-REQUIRED asks for`)
  const required = JSON.parse(atob(unpaid.headers.get("payment-required")!))
  for (const [name, value] of Object.entries(required.accepts[0]))
    say(`    ${name}: ${JSON.stringify(value)}`)

  const before = await chain.balance(payee.address)
  const client = wrapFetchWithPayment(fetch, new x402Client().register("eip155:*", new ExactEvmScheme(payer)))
  const paid = await client(`${url}/search`, request)
  const { results } = (await paid.json()) as { results: readonly { title: string; url: string }[] }
  const receipt = JSON.parse(atob(paid.headers.get("payment-response")!))
  say(`\n  with @x402/fetch, which signs a payment and asks again: ${paid.status}`)
  for (const { title } of results) say(`    found: ${title}`)
  say(`    paid in transaction ${receipt.transaction}`)
  const earned = Number((await chain.balance(payee.address)) - before) / 1e6
  say(`\n${payee.address} has USD ${earned.toFixed(6)} more than before.`)
  return EXIT.ok
}

/** An appliance on its own data folder, which is removed with it. */
async function startAppliance(start: readonly string[], settings: Readonly<Record<string, string>>) {
  const dataDir = await mkdtemp(join(tmpdir(), "fossick-x402-try-"))
  const child = spawn(process.execPath, start, {
    env: { PATH: process.env["PATH"], FOSSICK_DATA_DIR: dataDir, FOSSICK_PORT: "0", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let text = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)))
  const until = async (sign: RegExp) => {
    const late = steadyNow() + START_MS
    while (!sign.test(text)) {
      if (child.exitCode !== null || steadyNow() > late)
        throw new Error(`the appliance did not start:\n${text}`)
      await pause(50)
    }
  }
  const stop = async () => {
    if (child.exitCode === null && child.kill("SIGTERM")) await once(child, "exit")
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await until(/Ctrl-C/)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    untilRead: () => until(/Ask it something:|handbook is read/),
    [Symbol.asyncDispose]: stop,
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
