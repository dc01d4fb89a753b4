import { request } from "undici"

import { foreignText, parseForeign } from "#base/text/json/foreign-json.ts"
import { noteOutbound } from "#base/outbound/outbound.ts"

import { keccak256 } from "./keccak.ts"
import type { Authorization } from "../payment.ts"
import type { Terms } from "../terms.ts"

/** The network's record of an authorization. */
export type OnChain =
  /** The transfer was carried out, and the money is ours. */
  | { readonly kind: "paid"; readonly transaction: string }
  /** The transfer was not carried out, and no longer can be. */
  | { readonly kind: "dead"; readonly because: "spent-elsewhere" | "expired" | "no-balance" }
  /** The transfer was not carried out, but still might be. */
  | { readonly kind: "open" }
  | { readonly kind: "unreachable"; readonly error: Error }

/** Queries the network directly. */
export interface Chain {
  /** @param since milliseconds since 1970; the authorization was certainly not used earlier */
  look(authorization: Authorization, since: number): Promise<OnChain>
}

const CALL_MS = 5000
/** Number of blocks requested at once; providers refuse much larger ranges. */
const SPAN = 1000
const MAX_SPANS = 60
/** Maximum size of a node's reply: the transfers for one authorization are a few kilobytes. */
const MOST_BYTES = 1024 * 1024
/** Margin for differences between the clocks of nodes and of this machine. */
const CLOCK_SKEW_SECONDS = 120

const topic = (event: string): string => `0x${keccak256(event)}`
const selector = (call: string): string => `0x${keccak256(call).slice(0, 8)}`
const AUTHORIZATION_USED = topic("AuthorizationUsed(address,bytes32)")
const TRANSFER = topic("Transfer(address,address,uint256)")
const AUTHORIZATION_STATE = selector("authorizationState(address,bytes32)")
const BALANCE_OF = selector("balanceOf(address)")

interface Log {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly logIndex: string
  readonly transactionHash: string
}

/** A node reached over JSON-RPC. */
export function rpcChain(rpcUrl: string, { requirements, chainId }: Terms): Chain {
  const { asset } = requirements
  let rightChain = false

  async function call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const { statusCode, body } = await request(rpcUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(CALL_MS),
    })
    noteOutbound("payments", new URL(rpcUrl).host)
    const text = await foreignText(body as AsyncIterable<Buffer>, MOST_BYTES)
    if (statusCode !== 200) throw new Error(`${method}: HTTP ${statusCode}`)
    const { result, error } = parseForeign(text) as { result?: T; error?: { message?: string } }
    if (result === undefined) throw new Error(`${method}: ${String(error?.message).slice(0, 200)}`)
    return result
  }

  /** Checks the node's network: the replies of a node on another network would be wrong, but would be believed. */
  async function checkChain(): Promise<void> {
    if (rightChain) return
    const id = Number(await call<string>("eth_chainId"))
    if (id !== chainId) throw new Error(`X402_RPC_URL points to a node on network ${id}, not ${chainId}`)
    rightChain = true
  }

  const read = async (data: string): Promise<bigint> =>
    BigInt(await call("eth_call", { to: asset, data }, "latest"))

  async function lookAtChain(authorization: Authorization, since: number): Promise<OnChain> {
    const { from, nonce, value, validBefore } = authorization
    await checkChain()
    // Reads the head before the state, so that the state can only be newer.
    const head = await call<{ number: string; timestamp: string }>("eth_getBlockByNumber", "latest", false)
    if ((await read(AUTHORIZATION_STATE + word(from) + word(nonce))) !== 0n) {
      const transaction = await transferOf(authorization, Number(head.number), since)
      return transaction === null
        ? { kind: "dead", because: "spent-elsewhere" }
        : { kind: "paid", transaction }
    }
    if (BigInt(head.timestamp) >= BigInt(validBefore)) return { kind: "dead", because: "expired" }
    // Without sufficient funds, the transfer would fail when it is carried out.
    if ((await read(BALANCE_OF + word(from))) < BigInt(value)) return { kind: "dead", because: "no-balance" }
    return { kind: "open" }
  }

  /** The transaction that used the authorization, if it paid us; the fact that the nonce was used is not enough, because another receiver may have been paid. */
  async function transferOf(
    authorization: Authorization,
    head: number,
    since: number,
  ): Promise<string | null> {
    const used = await findUse(authorization, head, since)
    if (used === null) return null
    const receipt = await call<{ logs: readonly Log[] }>("eth_getTransactionReceipt", used.transactionHash)
    const next = receipt.logs.find(({ logIndex }) => Number(logIndex) === Number(used.logIndex) + 1)
    return next !== undefined && pays(next, authorization) ? used.transactionHash : null
  }

  function pays(log: Log, { from, to, value }: Authorization): boolean {
    const [event, sender, receiver] = log.topics
    return (
      log.address.toLowerCase() === asset.toLowerCase() &&
      event === TRANSFER &&
      sender === `0x${word(from)}` &&
      receiver === `0x${word(to)}` &&
      BigInt(log.data) === BigInt(value)
    )
  }

  /** Searches back from the newest block, one span at a time, until a time before the authorization reached us. */
  async function findUse({ from, nonce }: Authorization, head: number, since: number): Promise<Log | null> {
    const oldest = BigInt(Math.floor(since / 1000) - CLOCK_SKEW_SECONDS)
    // The authorization might also have been used in a block added after the head was read.
    let to: number | "latest" = "latest"
    for (let first = head - SPAN, span = 0; span < MAX_SPANS; span++, first -= SPAN) {
      const lowest = Math.max(0, first)
      const logs = await call<readonly Log[]>("eth_getLogs", {
        address: asset,
        topics: [AUTHORIZATION_USED, `0x${word(from)}`, nonce.toLowerCase()],
        fromBlock: hex(lowest),
        toBlock: to === "latest" ? to : hex(to),
      })
      if (logs[0] !== undefined) return logs[0]
      if (lowest === 0) return null
      const block = await call<{ timestamp: string }>("eth_getBlockByNumber", hex(lowest), false)
      if (BigInt(block.timestamp) < oldest) return null
      to = lowest - 1
    }
    throw new Error(`the use of an authorization was not found in ${MAX_SPANS * SPAN} blocks`)
  }

  return {
    look: (authorization, since) =>
      lookAtChain(authorization, since).catch((error: unknown) => ({
        kind: "unreachable",
        error: error instanceof Error ? error : new Error(String(error)),
      })),
  }
}

const hex = (number: number): string => `0x${number.toString(16)}`

/** Encodes an address or number as 32 bytes of hex, without `0x`. */
const word = (value: string): string => value.slice(2).toLowerCase().padStart(64, "0")
