import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { type EmbedOptions, TEXTS_AT_A_TIME } from "../../embedder.ts"
import { type FilledPage, type FillingParts, type PageToFill, fill } from "./filling.ts"
import { KnownVectors } from "./known-vectors.ts"
import { WaitingPages } from "./waiting-pages.ts"

/** An adapter's pages, an embedder that responds when told to, and the commits so far. */
class Stage {
  readonly waiting = new WaitingPages()
  readonly texts = new Map<string, readonly string[]>()
  readonly committed: FilledPage<string>[][] = []
  readonly embedded: string[][] = []
  readonly failed: string[] = []
  /** For each part, whether it left a processor free for answers. */
  readonly sparing: (boolean | undefined)[] = []
  areAsked = false
  readonly stop = new AbortController()
  readonly embedder = new HashingEmbedder()
  readonly known = new KnownVectors()
  passages = 0
  /** Called before each part is embedded. */
  onPart: (texts: readonly string[]) => void = () => {}

  add(
    id: string,
    texts: readonly string[],
    urgency: "changed" | "asked" | "new" = "new",
    revision = 1,
  ): void {
    this.texts.set(id, texts)
    this.waiting.add({ id, revision, passages: texts.length, source: "" }, urgency)
  }

  get parts(): FillingParts<string> {
    return {
      known: this.known,
      signal: this.stop.signal,
      embedder: {
        embed: async (texts: readonly string[], options?: EmbedOptions) => {
          this.embedded.push([...texts])
          this.sparing.push(options?.sparing)
          await setImmediate()
          this.onPart(texts)
          return await this.embedder.embed(texts, options)
        },
      },
      take: async (inHand, moreUrgentThan): Promise<PageToFill<string>[]> =>
        this.waiting
          .next({ pages: 4, passages: 128 }, inHand, moreUrgentThan)
          .map((page) => ({ ...page, page: `${page.id}@${page.revision}`, texts: this.texts.get(page.id)! })),
      mayWait: (inHand, urgency) => this.waiting.next({ pages: 1, passages: 1 }, inHand, urgency).length > 0,
      areAsked: () => Promise.resolve(this.areAsked),
      commit: async (pages) => {
        await setImmediate()
        this.committed.push([...pages])
        for (const { page } of pages) {
          const [id, revision] = page.split("@")
          if (this.waiting.revisionOf(id!) === Number(revision)) this.waiting.delete(id!)
        }
      },
      onVectors: (passages) => void (this.passages += passages),
      onFailed: (ids) => void this.failed.push(...ids),
    }
  }

  get order(): string[] {
    return this.committed.flat().map(({ page }) => page)
  }
}

const texts = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name} ${i}`)

test("every page gets the vectors of its own texts, by position", async () => {
  const stage = new Stage()
  for (let i = 0; i < 20; i++) stage.add(`p${i}`, texts(`page ${i}`, 1 + ((i * 7) % 40)))
  await fill(stage.parts)
  expect(stage.waiting.size).toBe(0)
  expect(stage.order).toHaveLength(20)
  for (const { page, vectors } of stage.committed.flat()) {
    expect(vectors).toEqual(await stage.embedder.embed(stage.texts.get(page.split("@")[0]!)!))
  }
  expect(stage.passages).toBe([...stage.texts.values()].flat().length)
})

test("a page that changes during a long fill is embedded next, even within a long page, and committed on its own", async () => {
  const stage = new Stage()
  stage.add("long", texts("long", 2000))
  stage.add("after", texts("after", 3))
  let parts = 0
  stage.onPart = () => {
    if (++parts === 4) stage.add("small", texts("small", 2), "changed", 2)
  }
  await fill(stage.parts)
  expect(stage.order).toEqual(["small@2", "long@1", "after@1"])
  // The embedder had already received two parts when the small page was added.
  expect(stage.embedded.findIndex((part) => part.includes("small 0"))).toBeLessThanOrEqual(6)
})

test("a short changed page does not wait for a long one", async () => {
  const stage = new Stage()
  stage.add("long", texts("long", 600), "changed")
  stage.onPart = () => {
    if (!stage.texts.has("short")) stage.add("short", texts("short", 2), "changed")
  }
  await fill(stage.parts)
  expect(stage.order).toEqual(["short@1", "long@1"])
})

test("equal passages are embedded once, and not at all when their vectors are known", async () => {
  const stage = new Stage()
  const [known] = await stage.embedder.embed(["known"])
  stage.known.set("known", known!)
  stage.add("a", ["licence", "a", "known", "licence"])
  stage.add("b", ["licence", "known"])
  stage.add("c", ["known"])
  await fill(stage.parts)
  expect(stage.embedded.flat().toSorted()).toEqual(["a", "licence"])
  expect(stage.order.toSorted()).toEqual(["a@1", "b@1", "c@1"])
  const [c] = stage.committed.flat().filter(({ page }) => page === "c@1")
  expect(c!.vectors).toEqual([known])
})

test("only the new texts of a page that changes while being embedded are committed", async () => {
  const stage = new Stage()
  stage.add("page", texts("before", 500))
  stage.onPart = () => {
    if (stage.waiting.revisionOf("page") === 1) stage.add("page", texts("after", 2), "changed", 2)
  }
  await fill(stage.parts)
  expect(stage.order).toEqual(["page@2"])
  expect(stage.embedded.flat().length).toBeLessThan(400)
})

test("an embedder's error is thrown once the other finished pages are committed", async () => {
  const stage = new Stage()
  stage.add("good", texts("good", 64))
  stage.add("bad", texts("bad", 2))
  stage.onPart = (part) => {
    if (part.includes("bad 0")) throw new Error("no vector of this")
  }
  await expect(fill(stage.parts)).rejects.toThrow("no vector of this")
  expect(stage.order).toEqual(["good@1"])
  expect(stage.failed).toEqual(["bad"])
})

test("a stopped fill commits what is embedded and leaves the rest", async () => {
  const stage = new Stage()
  stage.add("first", texts("first", 64))
  stage.add("second", texts("second", 1000))
  let parts = 0
  stage.onPart = () => {
    if (++parts === 3) stage.stop.abort(new Error("stopped"))
  }
  await fill(stage.parts)
  expect(stage.order).toEqual(["first@1"])
  expect(stage.waiting.size).toBe(1)
})

test("a processor is left free from the next part on, while questions are being asked", async () => {
  const stage = new Stage()
  stage.add(
    "long",
    Array.from({ length: 5 * TEXTS_AT_A_TIME }, (_, at) => `text ${at}`),
  )
  stage.onPart = () => (stage.areAsked = stage.embedded.length < 3)
  await fill(stage.parts)
  expect(stage.sparing).toHaveLength(5)
  expect([stage.sparing[0], stage.sparing.at(-1)]).toEqual([false, false])
  expect(stage.sparing).toContain(true)
})
