import { readFile } from "node:fs/promises"

import { ExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import type { Locator } from "playwright"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { until } from "#base/testing/until.ts"
import { findTestBrowser } from "#crawler/testing/test-browser.ts"

import { openBrowser, type TestBrowser } from "../../../api/testing/browser.ts"
import { X402_OUTCOMES } from "../../../api/doors/x402/books/outcomes.ts"
import { NETWORK, startChain } from "../../../api/doors/x402/testing/chain.ts"
import { startFacilitator } from "../../../api/doors/x402/testing/facilitator.ts"
import { ask, sign, signV1, unbase64 } from "../../../api/doors/x402/testing/payments.ts"
import { sellSearches } from "../../../api/doors/x402/testing/sell.ts"
import { drainPayer, payee, payer, payerAxios, payerV1 } from "../../../api/doors/x402/testing/wallets.ts"
import { faultsOf, WIDTHS } from "../../testing/axe.ts"
import { openSignedIn } from "../../testing/open-signed-in.ts"
import { openWorkshop, type Workshop } from "../../testing/workshop.ts"
import { OUTCOME_MEANINGS } from "./payment-outcomes.ts"

// Searches are sold for real payments on a chain on this machine: some were paid for, one was not, and one is still
// undecided. api/doors/x402/for-sale.test.ts tests how a whole appliance sells them.

const QUESTION = { query: "pumps", search_depth: "advanced" }

/** How many lines the text in cells with numbers takes up: each distinct count once. */
const LINES_OF_NUMBERS = `[...new Set([...document.querySelectorAll("td.number")].map((cell) => {
  const range = document.createRange()
  range.selectNodeContents(cell)
  return new Set([...range.getClientRects()].map(({ top }) => top)).size
}))]`

const executablePath = await findTestBrowser()

describe("payments in a browser", { tags: ["chromium", "chain"] }, () => {
  const opened = new AsyncDisposableStack()
  let browser: TestBrowser
  let workshop: Workshop
  /** Transactions on the network, newest first. */
  let settled: readonly string[]
  /** The HTTP statuses that paying callers received. */
  let statuses: readonly number[]

  beforeAll(async () => {
    const chain = opened.use(await startChain())
    const facilitator = opened.use(await startFacilitator(chain.rpcUrl))
    workshop = opened.use(await openWorkshop({ isNew: true }))
    const { url: shop } = opened.use(
      await sellSearches(
        { X402_FACILITATOR_URL: facilitator.url, X402_RPC_URL: chain.rpcUrl },
        { dataDir: workshop.dir },
      ),
    )
    browser = opened.use(await openBrowser(executablePath!))

    const wallet = new x402Client().register("eip155:*", new ExactEvmScheme(payer))
    const bought = await wrapFetchWithPayment(fetch, wallet)(`${shop}/search`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(QUESTION),
    })
    const second = await ask(shop, QUESTION, (await signV1(shop, payerV1)).headers)
    settled = [second.receipt, unbase64(bought.headers.get("payment-response"))].map(
      ({ transaction }) => transaction,
    )

    const refused = await sign(shop, drainPayer)
    facilitator.fail({ settle: { kind: "refuse", reason: "insufficient_funds" } })
    const unsettled = await ask(shop, QUESTION, refused.headers)
    // Valid for an hour, so that the payment stays open until the checks below, however slow the machine is.
    const validBefore = String(Math.floor(Date.now() / 1000) + 3600)
    const open = await sign(shop, payerAxios, { authorization: { validBefore } })
    facilitator.fail({ settle: { kind: "http-500" } })
    const unknown = await ask(shop, QUESTION, open.headers)
    statuses = [bought, second, unsettled, unknown].map(({ status }) => status)
    // Outcomes are written only at intervals.
    await until(async () =>
      (await asked("/payments/days")).outcomes.some(({ outcome }) => outcome === "unknown"),
    )
  })

  afterAll(() => opened[Symbol.asyncDispose]())

  async function asked(path: string) {
    const headers = { Authorization: `Bearer ${workshop.adminKey}` }
    const answer = await fetch(`${workshop.url}/admin${path}`, { headers })
    return (await answer.json()) as { outcomes: readonly { outcome: string }[] }
  }

  async function open() {
    const opened = await openSignedIn(
      browser,
      { url: workshop.url, key: workshop.adminKey },
      "/console?view=upkeep&shown=payments",
      WIDTHS.desktop,
    )
    await opened.page.getByRole("heading", { name: "How requests ended" }).waitFor()
    return opened
  }
  const cellsOf = async (table: Locator) =>
    await Promise.all(
      (await table.getByRole("row").all()).slice(1).map((row) => row.getByRole("cell").allInnerTexts()),
    )

  test("requested, paid, refused and open payments are shown, to the cent", async () => {
    expect(OUTCOME_MEANINGS).toEqual(X402_OUTCOMES)
    expect(statuses).toEqual([200, 200, 402, 503])
    await using there = await open()
    const { page, complaints } = there
    const tiles = await page.locator(".tiles > div").allInnerTexts()
    expect(tiles.map((text) => text.split(/\s*\n\s*/).slice(0, 2))).toEqual([
      ["Settled", "$0.02"],
      ["Requests", "8"],
      ["Open", "1"],
    ])
    await page.getByText("2 payments").waitFor()
    const ended = await cellsOf(page.getByRole("table", { name: "Requests by how they ended" }))
    // Each payer was first told the price.
    const meanings = ended.map(([outcome, count]) => {
      const [name, meaning] = outcome!.split(/\s*\n\s*/)
      return [name, [meaning, count]] as const
    })
    expect(Object.fromEntries(meanings)).toEqual({
      unpaid: [X402_OUTCOMES.unpaid, "4"],
      sold: [X402_OUTCOMES.sold, "2"],
      refused: [X402_OUTCOMES.refused, "1"],
      unknown: [X402_OUTCOMES.unknown, "1"],
    })
    const days = await cellsOf(page.getByRole("table", { name: "Revenue by day" }))
    expect(days.map(([, network]) => network)).toEqual(days.map(() => NETWORK))
    // Midnight may have passed between the two payments.
    expect(days.reduce((sum, [, , sales]) => sum + Number(sales), 0)).toBe(2)
    const payments = await cellsOf(page.getByRole("table", { name: "Settled payments" }))
    expect(payments.map(([, amount, from, transaction]) => [amount, from, transaction])).toEqual([
      ["$0.01", payerV1.address, settled[0]],
      ["$0.01", payer.address, settled[1]],
    ])
    expect(complaints).toEqual([])
  })

  test("the CSV contains the payments shown on screen", async () => {
    await using there = await open()
    const { page, complaints } = there
    const coming = page.waitForEvent("download")
    await page.getByRole("link", { name: "Download as CSV" }).click()
    const file = await coming
    expect(file.suggestedFilename()).toBe("payments.csv")
    const [header, ...lines] = (await readFile(await file.path(), "utf8")).trimEnd().split("\r\n")
    const columns = header!.split(",")
    const of = (line: string, name: string) => line.split(",")[columns.indexOf(name)]
    expect(
      lines.map((line) => ["transaction", "payer", "amount_usd", "pay_to"].map((name) => of(line, name))),
    ).toEqual([
      [settled[1], payer.address, "0.010000", payee.address],
      [settled[0], payerV1.address, "0.010000", payee.address],
    ])
    expect(complaints).toEqual([])
  })

  test("axe finds no faults, and nothing is wider than the screen", async () => {
    await using there = await open()
    const { page } = there
    expect(await faultsOf(page)).toEqual([])
    for (const size of Object.values(WIDTHS)) {
      await page.setViewportSize(size)
      expect(await page.evaluate(LINES_OF_NUMBERS)).toEqual([1])
    }
  })
})
