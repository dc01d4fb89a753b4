import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"

import { x402Facilitator } from "@x402/core/facilitator"
import { toFacilitatorEvmSigner } from "@x402/evm"
import { ExactEvmScheme } from "@x402/evm/exact/facilitator"
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/facilitator"
import { createWalletClient, http, publicActions } from "viem"

import { LOCAL_CHAIN, NETWORK } from "./chain.ts"
import { facilitatorAccount } from "./wallets.ts"

/** How the next calls of one kind fail, until another fault is set. */
export type Fault =
  | { readonly kind: "none" }
  /** The connection breaks before anything is done. */
  | { readonly kind: "drop" }
  | { readonly kind: "http-500" }
  | { readonly kind: "bad-json" }
  /** Refuses without checking. */
  | { readonly kind: "refuse"; readonly reason: string }
  | { readonly kind: "slow"; readonly ms: number }
  /** Waits for `until` before it answers. */
  | { readonly kind: "held"; readonly until: Promise<void> }
  /** Does the work, then the connection breaks. */
  | { readonly kind: "lose-answer" }
  /** Does the work, and never answers. */
  | { readonly kind: "never-answer" }

const NONE: Fault = { kind: "none" }

/** A facilitator on loopback, built from the protocol's own classes for both versions, that can be told to misbehave. */
export async function startFacilitator(rpcUrl: string, { confirmationTimeoutMs = 3000, port = 0 } = {}) {
  const client = createWalletClient({
    account: facilitatorAccount(),
    chain: LOCAL_CHAIN,
    transport: http(rpcUrl, { retryCount: 0 }),
    pollingInterval: 20,
  }).extend(publicActions)
  const signer = toFacilitatorEvmSigner(
    {
      address: client.account.address,
      getCode: (of) => client.getCode(of),
      readContract: (call) => client.readContract({ ...call, args: call.args ?? [] }),
      verifyTypedData: (data) => client.verifyTypedData(data as never),
      writeContract: (call) => client.writeContract({ ...call, args: call.args ?? [] }),
      sendTransaction: (transaction) => client.sendTransaction(transaction as never),
      waitForTransactionReceipt: (of) => client.waitForTransactionReceipt(of),
    },
    { confirmationTimeoutMs },
  )
  const facilitator = new x402Facilitator()
  facilitator.register(NETWORK, new ExactEvmScheme(signer))
  facilitator.registerV1("base-sepolia" as never, new ExactEvmSchemeV1(signer))

  const faults = { verify: NONE, settle: NONE }
  const calls = { verify: 0, settle: 0, settled: 0 }
  const authorizations: (string | undefined)[] = []
  let onSettled = () => {}

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body))
    }
    const what = request.url === "/verify" ? "verify" : request.url === "/settle" ? "settle" : null
    if (what === null) return send(404, { error: "not found" })
    try {
      const chunks: Buffer[] = []
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
      const { paymentPayload, paymentRequirements } = JSON.parse(Buffer.concat(chunks).toString())
      calls[what]++
      authorizations.push(request.headers.authorization)
      const fault = faults[what]
      if (fault.kind === "drop") return request.socket.destroy()
      if (fault.kind === "http-500") return send(500, { error: "a secret of the facilitator" })
      if (fault.kind === "bad-json") return response.end("<html>")
      if (fault.kind === "slow") await pause(fault.ms)
      if (fault.kind === "held") await fault.until
      if (fault.kind === "refuse") {
        const { reason } = fault
        return send(200, {
          isValid: false,
          invalidReason: reason,
          success: false,
          errorReason: reason,
          transaction: "",
        })
      }
      const result = await facilitator[what](paymentPayload, paymentRequirements)
      if ("success" in result && result.success) {
        calls.settled++
        onSettled()
      }
      if (fault.kind === "lose-answer") return request.socket.destroy()
      if (fault.kind === "never-answer") return undefined
      return send(200, result)
    } catch (error) {
      return send(500, { error: String(error) })
    }
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    /** The `Authorization` header of each call. */
    authorizations,
    /** Sets what goes wrong; without arguments, everything works again. */
    fail(next: Partial<typeof faults> = {}) {
      Object.assign(faults, { verify: NONE, settle: NONE }, next)
    },
    /** Resolves with the next payment that reached the chain. */
    nextSettled: () =>
      new Promise<void>((resolve) => {
        onSettled = resolve
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

export type TestFacilitator = Awaited<ReturnType<typeof startFacilitator>>
