import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { ask, sign, signV1 } from "../../api/doors/x402/testing/payments.ts"
import { payer, payerV1 } from "../../api/doors/x402/testing/wallets.ts"

/** Longer than any proof runs, but short enough not to be refused. */
const VALID_SECONDS = 20 * 3600

/** A facilitator that accepts every payment and settles none, so that one payment can run any number of searches to their end. */
export async function startFacilitator(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const said =
      request.url === "/verify"
        ? { isValid: true, payer: payer.address }
        : { success: false, errorReason: "not_here", transaction: "", network: "" }
    request.resume().once("end", () => {
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(said))
    })
  })
  server.listen(0, "127.0.0.1")
  await new Promise((done) => server.once("listening", done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Payment headers for the item sold at an address, by protocol version. */
export async function paymentsFor(url: string): Promise<{ readonly v1: string; readonly v2: string }> {
  const authorization = { validBefore: String(Math.floor(Date.now() / 1000) + VALID_SECONDS) }
  const [one, two] = [
    await signV1(url, payerV1, { authorization }),
    await sign(url, payer, { authorization }),
  ]
  return { v1: one.headers["X-PAYMENT"]!, v2: two.headers["PAYMENT-SIGNATURE"]! }
}

/** Whether a search is run for a payment: then the call fails only because the facilitator doesn't settle the payment. */
export async function isWorkedOn(url: string, payment: string): Promise<boolean> {
  const { status, text } = await ask(url, { query: "pumps" }, { "PAYMENT-SIGNATURE": payment })
  return status === 402 && text.includes("not_here")
}
