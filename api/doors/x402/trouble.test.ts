import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"

import { startChain, type TestChain, tokenAbi, USDC } from "./testing/chain.ts"
import { startFacilitator, type TestFacilitator } from "./testing/facilitator.ts"
import { ask, sendRaw, sign } from "./testing/payments.ts"
import { sellSearches } from "./testing/sell.ts"
import { brokePayer, drainPayer, payee, payer, stranger } from "./testing/wallets.ts"

const QUESTION = { query: "pumps" }

describe("payments that meet trouble", { tags: ["chain"] }, () => {
  let chain: TestChain
  let facilitator: TestFacilitator
  let shop: Awaited<ReturnType<typeof sellSearches>>
  let before: { earned: bigint; searches: number }

  beforeAll(async () => {
    chain = await startChain()
    facilitator = await startFacilitator(chain.rpcUrl)
    shop = await sellSearches({ X402_FACILITATOR_URL: facilitator.url, X402_RPC_URL: chain.rpcUrl })
  })
  afterAll(async () => {
    await shop?.[Symbol.asyncDispose]()
    await facilitator?.[Symbol.asyncDispose]()
    await chain?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    before = { earned: await chain.balance(payee.address), searches: shop.engine.queries.length }
  })
  afterEach(() => {
    facilitator.fail()
    shop.engine.instead = null
  })
  const since = async () => ({
    charged: Number((await chain.balance(payee.address)) - before.earned),
    searches: shop.engine.queries.length - before.searches,
  })
  const leaked = (text: string) => text.includes("results")
  /** The sorted statuses of these answers. */
  const statuses = (answers: readonly { status: number }[]) =>
    answers.map(({ status }) => status).sort((a, b) => a - b)

  /** Sends all requests at the same time. One of them gets its search, but only after the others have been answered. */
  const together = async (asks: readonly (() => ReturnType<typeof ask>)[]) => {
    let answered = 0
    shop.engine.instead = () => expect.poll(() => answered).toBe(asks.length - 1)
    return await Promise.all(
      asks.map(async (askOnce) => {
        const answer = await askOnce()
        answered += 1
        return answer
      }),
    )
  }

  describe("one payment buys one search", () => {
    test("a second use is refused, for the same question and for another", async () => {
      const { headers } = await sign(shop.url, payer)
      expect(await ask(shop.url, QUESTION, headers)).toMatchObject({ status: 200 })
      for (const question of [QUESTION, { query: "seals" }]) {
        const again = await ask(shop.url, question, headers)
        expect(again).toMatchObject({ status: 402, required: { error: "payment_already_used" } })
      }
      expect(await since()).toEqual({ charged: 10_000, searches: 1 })
    })

    test("ten copies at the same time: one search, one charge, one answer", async () => {
      const { headers } = await sign(shop.url, payer)
      const answers = await together(Array.from({ length: 10 }, () => () => ask(shop.url, QUESTION, headers)))
      expect(statuses(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
      expect(answers.find(({ status }) => status === 409)!.headers.get("retry-after")).toBe("1")
      expect(await since()).toEqual({ charged: 10_000, searches: 1 })
    })

    test("ten questions on one payment at the same time: one is answered", async () => {
      const { headers } = await sign(shop.url, payer)
      const answers = await together(
        Array.from({ length: 10 }, (_, at) => () => ask(shop.url, { query: `pumps ${at}` }, headers)),
      )
      expect(statuses(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 402)])
      expect(await since()).toEqual({ charged: 10_000, searches: 1 })
    })

    test("ten payments at the same time buy ten searches", async () => {
      const payments = await Promise.all(Array.from({ length: 10 }, () => sign(shop.url, payer)))
      const answers = await Promise.all(payments.map(({ headers }) => ask(shop.url, QUESTION, headers)))
      expect(statuses(answers)).toEqual(Array.from({ length: 10 }, () => 200))
      expect(await since()).toEqual({ charged: 100_000, searches: 10 })
    })
  })

  describe("nobody pays for what was not delivered", () => {
    test("a wrong request is refused before its payment is looked at, and the payment stays good", async () => {
      const { headers } = await sign(shop.url, payer)
      const asked = facilitator.calls.verify
      for (const [body, error] of [
        ["{bad", "not valid JSON"],
        [{}, "Missing query. Must be a string of 1 to 1000 characters."],
        [{ query: "x".repeat(1001) }, "Invalid query. Must be a string of 1 to 1000 characters."],
        [{ query: "pumps", search_depth: "basic" }, "Invalid search_depth. Must be 'advanced'."],
        [{ query: "pumps", max_results: 0 }, "Invalid max_results."],
        [{ query: "pumps", max_results: 51 }, "Invalid max_results."],
        [{ query: "pumps", include_domains_mode: "boost" }, "Invalid include_domains_mode."],
        [{ query: "pumps", filter_by_language: true }, "Invalid filter_by_language."],
        [{ query: "pumps", include_domains: ["no domain"] }, "include_domains"],
        [{ query: "pumps", country: "atlantis" }, "Invalid country."],
      ] as const) {
        const answer = await ask(shop.url, body, headers)
        expect(answer.status).toBe(400)
        expect(answer.body.detail.error).toContain(error)
      }
      expect(facilitator.calls.verify).toBe(asked)
      expect(await since()).toEqual({ charged: 0, searches: 0 })
      const right = {
        ...QUESTION,
        search_depth: "advanced",
        max_results: "auto",
        of_no_meaning: { to: "us" },
      }
      expect(await ask(shop.url, right, headers)).toMatchObject({ status: 200 })
    })

    test("a search that fails costs nothing, and the payment stays good", async () => {
      const { headers } = await sign(shop.url, payer)
      shop.engine.instead = () => Promise.reject(new Error("the index is gone"))
      const failed = await ask(shop.url, QUESTION, headers)
      expect(failed).toMatchObject({ status: 500, body: { detail: { error: "Internal Server Error" } } })
      expect(await since()).toEqual({ charged: 0, searches: 1 })
      shop.engine.instead = null
      expect(await ask(shop.url, QUESTION, headers)).toMatchObject({ status: 200 })
    })

    test("a payer who hangs up during the search is not charged, and the search is stopped", async () => {
      const { headers } = await sign(shop.url, payer)
      const searching = Promise.withResolvers<void>()
      const stopped = Promise.withResolvers<void>()
      shop.engine.instead = (_, signal) => {
        searching.resolve()
        signal!.addEventListener("abort", () => stopped.resolve())
        return stopped.promise
      }
      const caller = new AbortController()
      const asking = ask(shop.url, QUESTION, headers, caller.signal)
      await searching.promise
      caller.abort()
      await expect(asking).rejects.toThrow("aborted")
      await stopped.promise
      await expect.poll(() => shop.outcomes.get("caller-gone")).toBe(1)
      expect(await since()).toEqual({ charged: 0, searches: 1 })
      shop.engine.instead = null
      expect(await ask(shop.url, QUESTION, headers)).toMatchObject({ status: 200 })
    })

    test("a payer who hangs up while being charged can fetch the answer once", async () => {
      const { headers } = await sign(shop.url, payer)
      const gone = Promise.withResolvers<void>()
      facilitator.fail({ settle: { kind: "held", until: gone.promise } })
      const caller = new AbortController()
      const settled = facilitator.nextSettled()
      const asked = facilitator.calls.settle
      const asking = ask(shop.url, QUESTION, headers, caller.signal)
      await expect.poll(() => facilitator.calls.settle).toBe(asked + 1)
      caller.abort()
      await expect(asking).rejects.toThrow("aborted")
      // The caller has received the answer if it has made other requests since.
      for (let i = 0; i < 2; i++) expect(await ask(shop.url, "{bad", headers)).toMatchObject({ status: 400 })
      gone.resolve()
      await settled
      facilitator.fail()
      await expect.poll(() => shop.outcomes.get("sold-undelivered")).toBe(1)
      const again = await ask(shop.url, QUESTION, headers)
      expect(again).toMatchObject({ status: 200, receipt: { success: true }, body: { query: "pumps" } })
      const third = await ask(shop.url, QUESTION, headers)
      expect(third).toMatchObject({ status: 402, required: { error: "payment_already_used" } })
      expect(await since()).toEqual({ charged: 10_000, searches: 1 })
    })
  })

  describe("a facilitator that cannot check payments", () => {
    test.each([
      ["breaks off", { kind: "drop" }],
      ["fails", { kind: "http-500" }],
      ["talks nonsense", { kind: "bad-json" }],
      ["takes too long", { kind: "slow", ms: 16_000 }],
    ] as const)(
      "and %s: nothing is searched or charged, and its message stays internal",
      async (_, verify) => {
        const { headers } = await sign(shop.url, payer)
        facilitator.fail({ verify })
        const answer = await ask(shop.url, QUESTION, headers)
        expect(answer).toMatchObject({ status: 503, body: { error: "payment_service_unavailable" } })
        expect(answer.text).not.toContain("a secret of the facilitator")
        expect(await since()).toEqual({ charged: 0, searches: 0 })
        facilitator.fail()
        expect(await ask(shop.url, QUESTION, headers)).toMatchObject({ status: 200 })
      },
    )
  })

  describe("a settlement without a response", () => {
    test("that was refused returns no results, the price again, and the reason", async () => {
      const { headers } = await sign(shop.url, payer)
      facilitator.fail({ settle: { kind: "refuse", reason: "insufficient_funds" } })
      const answer = await ask(shop.url, QUESTION, headers)
      expect(answer).toMatchObject({
        status: 402,
        required: { error: "insufficient_funds" },
        receipt: { success: false, errorReason: "insufficient_funds" },
      })
      expect(leaked(answer.text)).toBe(false)
      expect(await since()).toEqual({ charged: 0, searches: 1 })
    })

    test("that is on the network is confirmed there, and the payer is served", async () => {
      for (const settle of [{ kind: "lose-answer" }, { kind: "never-answer" }] as const) {
        const { headers } = await sign(shop.url, payer)
        facilitator.fail({ settle })
        expect(await ask(shop.url, QUESTION, headers)).toMatchObject({
          status: 200,
          receipt: { success: true },
        })
      }
      expect(await since()).toEqual({ charged: 20_000, searches: 2 })
    })

    test.each([{ kind: "drop" }, { kind: "http-500" }] as const)(
      "that never began ($kind) stays unknown, never 402, and settles later without a second search",
      async (settle) => {
        const { headers } = await sign(shop.url, payer)
        facilitator.fail({ settle })
        const open = await ask(shop.url, QUESTION, headers)
        expect(open).toMatchObject({ status: 503, body: { error: "settlement_unknown" } })
        expect(open.headers.get("retry-after")).toBe("5")
        expect(open.text).not.toContain("a secret of the facilitator")
        expect(leaked(open.text)).toBe(false)
        expect(await ask(shop.url, { query: "seals" }, headers)).toMatchObject({ status: 402 })
        facilitator.fail()
        expect(await ask(shop.url, QUESTION, headers)).toMatchObject({ status: 200 })
        expect(await since()).toEqual({ charged: 10_000, searches: 1 })
      },
    )

    test("that was sent but is not in a block stays unknown until it is; then the payer is served", async () => {
      const { headers } = await sign(shop.url, payer)
      await chain.control.setAutomine(false)
      try {
        const open = await ask(shop.url, QUESTION, headers)
        expect(open).toMatchObject({ status: 503, body: { error: "settlement_unknown" } })
        expect(open.body.detail.error).toMatch(/transaction 0x[0-9a-f]{64}/)
        expect(await since()).toEqual({ charged: 0, searches: 1 })
        await chain.control.mine({ blocks: 1 })
      } finally {
        await chain.control.setAutomine(true)
      }
      expect(await ask(shop.url, QUESTION, headers)).toMatchObject({
        status: 200,
        receipt: { success: true },
      })
      expect(await since()).toEqual({ charged: 10_000, searches: 1 })
    })

    test("whose payer spends the nonce elsewhere meanwhile delivers nothing", async () => {
      const nonce = `0x${"5a".repeat(32)}` as const
      const ours = await sign(shop.url, payer, { authorization: { nonce } })
      const other = await sign(shop.url, payer, { authorization: { nonce, to: stranger.address } })
      facilitator.fail({ settle: { kind: "http-500" } })
      expect(await ask(shop.url, QUESTION, ours.headers)).toMatchObject({ status: 503 })
      facilitator.fail()
      const { from, to, value, validAfter, validBefore } = other.authorization
      const [r, s, v] = [
        other.signature.slice(0, 66),
        `0x${other.signature.slice(66, 130)}`,
        other.signature.slice(130),
      ]
      const wallet = chain.wallet(stranger)
      const hash = await wallet.writeContract({
        address: USDC,
        abi: tokenAbi,
        functionName: "transferWithAuthorization",
        args: [
          from,
          to,
          BigInt(value),
          BigInt(validAfter),
          BigInt(validBefore),
          nonce,
          parseInt(v, 16),
          r as `0x${string}`,
          s as `0x${string}`,
        ],
      })
      await wallet.waitForTransactionReceipt({ hash })
      const answer = await ask(shop.url, QUESTION, ours.headers)
      expect(answer).toMatchObject({
        status: 402,
        required: { error: "invalid_exact_evm_nonce_already_used" },
      })
      expect(leaked(answer.text)).toBe(false)
      expect(await since()).toEqual({ charged: 0, searches: 1 })
    })

    test("stays open and never gets a 402 if there is no node to ask", async () => {
      await using blind = await sellSearches({ X402_FACILITATOR_URL: facilitator.url })
      const { headers } = await sign(blind.url, payer)
      facilitator.fail({ settle: { kind: "lose-answer" } })
      for (let attempt = 0; attempt < 2; attempt++) {
        const open = await ask(blind.url, QUESTION, headers)
        expect(open).toMatchObject({ status: 503, body: { error: "settlement_unknown" } })
        facilitator.fail()
      }
      expect(blind.engine.queries).toHaveLength(1)
      expect((await since()).charged).toBe(10_000)
    })
  })

  describe("payers who are short of money", () => {
    test("spend it during the search: no results, no charge", async () => {
      const { headers } = await sign(shop.url, drainPayer)
      shop.engine.instead = async () => {
        await chain.transfer(drainPayer, stranger.address, await chain.balance(drainPayer.address))
      }
      const answer = await ask(shop.url, QUESTION, headers)
      expect(answer.status).toBe(402)
      expect(leaked(answer.text)).toBe(false)
      expect(await since()).toEqual({ charged: 0, searches: 1 })
    })

    test("start many searches on the money for one: once, and then one at a time", async () => {
      const five = async () => {
        await chain.mint(brokePayer.address, 10_000n)
        const payments = await Promise.all(Array.from({ length: 5 }, () => sign(shop.url, brokePayer)))
        return payments.map(
          ({ headers }) =>
            () =>
              ask(shop.url, QUESTION, headers),
        )
      }
      let searched = shop.engine.queries.length
      shop.engine.instead = () => expect.poll(() => shop.engine.queries.length - searched).toBe(5)
      const first = await Promise.all((await five()).map((askOnce) => askOnce()))
      expect(statuses(first)).toEqual([200, 402, 402, 402, 402])
      expect(first.filter(({ status, text }) => status !== 200 && leaked(text))).toEqual([])
      searched = shop.engine.queries.length
      expect(statuses(await together(await five()))).toEqual([200, 429, 429, 429, 429])
      expect(shop.engine.queries.length - searched).toBe(1)
    })
  })

  test("searches beyond the capacity are refused early and not charged", async () => {
    await using small = await sellSearches(
      { X402_FACILITATOR_URL: facilitator.url, X402_RPC_URL: chain.rpcUrl },
      { gate: { searches: 1, searchQueue: 1 } },
    )
    const { promise, resolve: finish } = Promise.withResolvers<void>()
    small.engine.instead = () => promise
    const buy = async () => ask(small.url, QUESTION, (await sign(small.url, payer)).headers)
    const bought = [buy()]
    await expect.poll(() => small.engine.queries.length).toBe(1)
    bought.push(buy(), buy())
    const refused = await Promise.race(bought)
    expect([refused.status, refused.headers.get("retry-after"), refused.body]).toEqual([
      429,
      "1",
      { detail: { error: expect.stringContaining("Try again in 1 s.") } },
    ])
    finish()
    expect(statuses(await Promise.all(bought))).toEqual([200, 200, 429])
    expect(await since()).toMatchObject({ charged: 20_000 })
    expect(small.outcomes.get("overloaded")).toBe(1)
  })

  test("no log line holds a signature, a query or a payment header", async () => {
    const { headers, signature } = await sign(shop.url, payer)
    expect(await ask(shop.url, { query: "private matters" }, headers)).toMatchObject({ status: 200 })
    const log = shop.logLines.join("")
    expect(log).toContain('"outcome":"sold"')
    expect(log).not.toContain(signature.slice(2, 66))
    expect(log).not.toContain("private matters")
    expect(log).not.toContain(Object.values(headers)[0])
  })

  test("the facilitator gets its own token on each path, and the log none", async () => {
    const tokens = { X402_VERIFY_BEARER: "verify-token", X402_SETTLE_BEARER: "settle-token" }
    await using other = await sellSearches({ X402_FACILITATOR_URL: facilitator.url, ...tokens })
    const { headers } = await sign(other.url, payer)
    expect(await ask(other.url, QUESTION, headers)).toMatchObject({ status: 200 })
    expect(facilitator.authorizations.slice(-2)).toEqual(["Bearer verify-token", "Bearer settle-token"])
    expect(other.logLines.join("")).not.toMatch(/(?:verify|settle)-token/)
  })

  test("the price list says what a payer must know", async () => {
    const { status, text } = await sendRaw(shop.url, { method: "GET", path: "/.well-known/pricing" })
    expect(status).toBe(200)
    const [endpoint] = JSON.parse(text).endpoints
    expect(endpoint).toMatchObject({
      method: "POST",
      url: "https://search.example/search",
      price: { currency: "USD", amount: "0.010000" },
      payment: { protocol: "x402", versions: [2, 1], accepts: [{ amount: "10000" }] },
    })
  })
})
