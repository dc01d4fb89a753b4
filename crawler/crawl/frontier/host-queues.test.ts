import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { type HostManners, HostPaces } from "../../fetch/hosts/host-paces.ts"
import { type FrontierEntry, HostQueues } from "./host-queues.ts"

const FACTS = { modifiedAt: null, publishedAt: null, isNews: false }

/** Queues over a list of addresses, each of which is due at a given time. */
function queuesOf(manners: Partial<HostManners> = {}) {
  const addresses: (FrontierEntry & { due: number })[] = []
  const asked: string[] = []
  /** Runs after the store has been queried, and before its answer arrives. */
  const meanwhile = { due: () => {}, nextDue: (_host: string) => {} }
  const paces = new HostPaces()
  const of = (host: string, now: number) => addresses.filter((one) => one.host === host && one.due <= now)
  const queues = new HostQueues(
    () => ({ concurrency: 1, delayMs: 0, ...manners }),
    {
      due: async (host, now, limit) => {
        asked.push(`${host} ${now} ${limit}`)
        const found = of(host, now).slice(0, limit)
        meanwhile.due()
        return found
      },
      nextDue: async (host, now) => {
        const later = addresses.filter((one) => one.host === host && one.due > now).map(({ due }) => due)
        meanwhile.nextDue(host)
        return Math.min(...later)
      },
    },
    paces,
  )
  const put = (url: string, due = 0) => {
    const { host } = new URL(url)
    const entry = { url: url as PageUrl, host, depth: 1, tries: 0, facts: FACTS, due }
    addresses.push(entry)
    queues.found(entry.url, host)
    queues.wake()
    return entry
  }
  /** Closes an address, which now has an outcome. */
  const close = (entry: FrontierEntry, now: number) => {
    addresses.splice(
      addresses.findIndex(({ url }) => url === entry.url),
      1,
    )
    queues.release(entry, now)
    queues.closed(entry.url)
  }
  return { queues, put, close, asked, paces, addresses, meanwhile }
}

test("hosts take turns, and an address stays handed out until its outcome", async () => {
  const { queues, put, close } = queuesOf({ concurrency: 2 })
  const [a1, a2, b1] = [put("http://a/1"), put("http://a/2"), put("http://b/1")]
  expect([queues.handedOut, queues.isOut(a1.url), await queues.hasNext(0)]).toEqual([0, false, true])
  expect([await queues.next(0), await queues.next(0), await queues.next(0), await queues.next(0)]).toEqual([
    a1,
    b1,
    a2,
    null,
  ])
  expect([queues.handedOut, queues.isOut(a1.url), await queues.hasNext(0)]).toEqual([3, true, false])
  close(a1, 1)
  expect([queues.handedOut, queues.isOut(a1.url), await queues.hasNext(1), await queues.next(1)]).toEqual([
    2,
    false,
    false,
    null,
  ])
})

test("no address is handed out twice, however many are out", async () => {
  const { queues, put, close, asked } = queuesOf({ concurrency: 200 })
  const all = Array.from({ length: 130 }, (_, index) => put(`http://a/${index}`))
  const taken = await Promise.all(Array.from({ length: 130 }, async () => (await queues.next(0))?.url))
  expect(taken).toEqual(all.map(({ url }) => url))
  expect(await queues.next(0)).toBeNull()
  // Each query asks for a batch, plus as many addresses as are handed out and would come up again.
  expect(asked).toEqual(["a 0 64", "a 0 128", "a 0 192", "a 0 194"])
  close(all[0]!, 1)
  expect(await queues.next(1)).toBeNull()
})

test("a host waits for its pace, others do not", async () => {
  const { queues, put, close } = queuesOf({ delayMs: 1000 })
  const [a1, a2, b1] = [put("http://a/1"), put("http://a/2"), put("http://b/1")]
  expect([await queues.next(0), queues.freeAt(0)]).toEqual([a1, 0])
  expect([await queues.next(0), await queues.next(0)]).toEqual([b1, null])
  expect(queues.freeAt(0)).toBe(Infinity)
  close(a1, 500)
  expect([await queues.hasNext(1499), await queues.next(1499), queues.freeAt(1499)]).toEqual([
    false,
    null,
    1500,
  ])
  expect([await queues.hasNext(1500), queues.freeAt(1500), await queues.next(1500)]).toEqual([true, 1500, a2])
  expect([queues.freeAt(9000), await queues.hasNext(9000)]).toEqual([Infinity, false])
  close(b1, 600)
  // Host b has no addresses left, and a is being visited.
  expect([await queues.next(9000), queues.freeAt(9000)]).toEqual([null, Infinity])
})

test("a request to wait and a crawl-delay apply to the host, and to other jobs on it", async () => {
  const { queues, put, close, paces } = queuesOf({ concurrency: 2, delayMs: 10 })
  const [a1, a2] = [put("http://a/1"), put("http://a/2")]
  expect(await queues.next(0)).toEqual(a1)
  expect(queues.delayOf(a1)).toBe(10)
  queues.setDelay(a1, 5000)
  expect([queues.delayOf(a1), paces.of("a").delayMs]).toEqual([5000, 5000])
  queues.block(a1, 9000)
  close(a1, 1)
  expect([queues.freeAt(1), await queues.next(8999), await queues.next(9000)]).toEqual([9000, null, a2])
  expect(paces.of("a").freeAt(9000)).toBe(Infinity)
})

test("a postponed address returns when it is due, and its host continues until then", async () => {
  const { queues, put, addresses } = queuesOf()
  const a1 = put("http://a/1")
  expect(await queues.next(0)).toEqual(a1)
  addresses[0] = { ...a1, due: 700 }
  queues.release(a1, 1)
  queues.postpone(a1, 700)
  expect([queues.isOut(a1.url), await queues.next(1), queues.freeAt(1), queues.freeAt(2)]).toEqual([
    false,
    null,
    700,
    700,
  ])
  expect([await queues.hasNext(699), await queues.next(699)]).toEqual([false, null])
  expect([await queues.hasNext(700), queues.freeAt(700)]).toEqual([true, 700])
  expect((await queues.next(700))?.url).toBe(a1.url)
})

test("an address with a shorter wait than others brings its host's turn forward", async () => {
  const { queues, put, addresses } = queuesOf({ concurrency: 2 })
  const a1 = put("http://a/1")
  put("http://a/2", 5000)
  expect([await queues.next(0), await queues.next(0), queues.freeAt(0)]).toEqual([a1, null, 5000])
  addresses[0] = { ...a1, due: 100 }
  queues.release(a1, 1)
  queues.postpone(a1, 100)
  expect([queues.freeAt(1), (await queues.next(100))?.url]).toEqual([100, a1.url])
  addresses[0] = { ...a1, due: 9000 }
  queues.release(a1, 101)
  queues.postpone(a1, 9000)
  expect([await queues.next(101), queues.freeAt(101)]).toEqual([null, 5000])
})

test("the store is not queried again until it may have something", async () => {
  const { queues, put, asked } = queuesOf({ concurrency: 9 })
  const a1 = put("http://a/1")
  put("http://a/2", 5000)
  put("http://b/1", 7000)
  expect([await queues.next(0), await queues.next(0)]).toEqual([a1, null])
  asked.length = 0
  for (const now of [1, 2, 4999])
    expect([await queues.next(now), await queues.hasNext(now)]).toEqual([null, false])
  queues.wake()
  expect([await queues.hasNext(4999), await queues.next(4999)]).toEqual([false, null])
  expect(asked).toEqual([])
  expect((await queues.next(5000))?.url).toBe("http://a/2")
  expect(asked).toEqual(["a 5000 65"])
  const a3 = put("http://a/3")
  expect(await queues.next(5001)).toEqual(a3)
})

test("a job waiting for a host is woken when another job leaves that host", async () => {
  const { queues, put, paces } = queuesOf({ concurrency: 2 })
  const other = { wake: () => undefined }
  const pace = paces.of("a")
  pace.join(other, { concurrency: 1, delayMs: 0 })
  const [a1, a2] = [put("http://a/1"), put("http://a/2")]
  pace.start(0)
  expect([await queues.next(0), await queues.next(0)]).toEqual([null, null])
  pace.end(1)
  expect([await queues.next(1), await queues.next(1)]).toEqual([a1, null])
  pace.leave(other)
  expect(await queues.next(1)).toEqual(a2)
})

test("the first of several hosts to become free sets the waiting time", async () => {
  const { queues, put, close } = queuesOf({ delayMs: 1000 })
  const all = ["http://a/1", "http://b/1", "http://c/1"].map((url) => put(url))
  for (const { host } of all) put(`http://${host}/2`)
  for (const entry of all) expect(await queues.next(0)).toEqual(entry)
  for (const [index, ended] of [700, 500, 600].entries()) close(all[index]!, ended)
  expect(queues.freeAt(700)).toBe(1500)
})

test("only one chunk of a host is prepared, and no more while some of it is left", async () => {
  const { queues, put, asked } = queuesOf({ concurrency: 99 })
  for (let index = 0; index < 50; index++) put(`http://b/${index}`)
  expect([(await queues.next(0))?.host, queues.handedOut]).toEqual(["b", 50])
  queues.block({ url: "http://b/" as PageUrl, host: "b" }, 9000)
  for (let index = 0; index < 100; index++) put(`http://a/${index}`)
  expect([await queues.hasNext(1), queues.handedOut]).toEqual([true, 114])
  asked.length = 0
  expect([await queues.hasNext(1), queues.handedOut, asked]).toEqual([true, 114, []])
})

test("an address that needs no visit is taken back, as if the host had not been contacted", async () => {
  const { queues, put } = queuesOf({ delayMs: 1000 })
  const [a1, a2] = [put("http://a/1"), put("http://a/2")]
  expect([await queues.next(5000), await queues.next(5000)]).toEqual([a1, null])
  queues.drop(a1, 5000)
  queues.closed(a1.url)
  expect([await queues.hasNext(5000), await queues.next(5000)]).toEqual([true, a2])
})

test("prepared addresses are withdrawn with their host, and finished ones are skipped", async () => {
  const { queues, put, addresses } = queuesOf({ concurrency: 9 })
  const [a1, a2, a3] = [put("http://a/1"), put("http://a/2"), put("http://a/3")]
  expect(await queues.next(0)).toEqual(a1)
  expect([queues.isOut(a2.url), queues.isOut(a3.url), queues.handedOut]).toEqual([true, true, 3])
  queues.closed(a2.url)
  expect(await queues.next(0)).toEqual(a3)
  addresses.length = 0
  const [b1, b2] = [put("http://b/1"), put("http://b/2")]
  expect(await queues.next(0)).toEqual(b1)
  queues.withdraw("b")
  queues.withdraw("unknown")
  expect([queues.isOut(b1.url), queues.isOut(b2.url)]).toEqual([true, false])
  addresses.length = 0
  expect(await queues.next(0)).toBeNull()
})

test("queues that are disposed of leave the pace of their hosts to others", async () => {
  const { queues, put, paces } = queuesOf({ delayMs: 1000 })
  put("http://a/1")
  const pace = paces.of("a")
  expect(pace.delayMs).toBe(1000)
  const other = { wake: () => undefined }
  pace.join(other, { concurrency: 4, delayMs: 5 })
  queues[Symbol.dispose]()
  expect(pace.delayMs).toBe(5)
})

test("an address finished or postponed during a query is not handed out again", async () => {
  const { queues, put, close, meanwhile } = queuesOf({ concurrency: 9 })
  const [a1, a2] = [put("http://a/1"), put("http://a/2")]
  expect([await queues.next(0), await queues.next(0)]).toEqual([a1, a2])
  meanwhile.due = () => {
    close(a1, 0)
    a2.due = 5000
    queues.postpone(a2, 5000)
    meanwhile.due = () => {}
  }
  expect([await queues.next(0), await queues.next(4999)]).toEqual([null, null])
  expect((await queues.next(5000))?.url).toBe(a2.url)
})

test("an address added during a query is handed out next, whatever its host", async () => {
  const { queues, put, meanwhile } = queuesOf({ concurrency: 9 })
  for (const entry of [put("http://a/1"), put("http://b/1")]) expect(await queues.next(0)).toEqual(entry)
  let late: FrontierEntry | null = null
  for (const url of ["http://b/2", "http://a/2"]) {
    meanwhile.nextDue = (host) => {
      if (host === "b") late ??= put(url)
    }
    queues.found("http://b/1" as PageUrl, "b")
    queues.wake()
    expect(await queues.next(0)).toBeNull()
    expect(await queues.next(0)).toEqual(late)
    late = null
  }
})

test("a host that others started using during a query is left alone", async () => {
  const { queues, put, paces, meanwhile } = queuesOf()
  const a1 = put("http://a/1")
  meanwhile.due = () => paces.of("a").start(0)
  expect([await queues.hasNext(0), await queues.next(0)]).toEqual([false, null])
  paces.of("a").end(0)
  expect(await queues.next(0)).toEqual(a1)
})

test("an address put back is handed out first, as if the host had not been contacted", async () => {
  const { queues, put } = queuesOf({ delayMs: 1000 })
  const [a1] = [put("http://a/1"), put("http://a/2")]
  const entry = (await queues.next(0))!
  queues.putBack(entry, 0)
  expect([queues.isOut(a1.url), await queues.next(0), await queues.next(0)]).toEqual([true, a1, null])
})

test("a host that becomes free during a query for another is visited next", async () => {
  const { queues, put, meanwhile } = queuesOf()
  const [a1, a2, b1] = [put("http://a/1"), put("http://a/2"), put("http://b/1")]
  expect([await queues.next(0), await queues.next(0)]).toEqual([a1, b1])
  queues.release(b1, 0)
  meanwhile.nextDue = () => queues.release(a1, 0)
  expect([await queues.next(0), await queues.next(0)]).toEqual([null, a2])
})
