import { EventEmitter, once } from "node:events"
import { pause } from "#base/flow/pause.ts"
import { HashingEmbedder } from "../hashing-embedder.ts"
import { aPage, rareWord, urlOf } from "../pages.ts"
import { describe, expect, test } from "vitest"
import type { Engine } from "../../engine.ts"
import type { Stage } from "./stage.ts"

/** Enough time to write vectors, and to learn which pages a question found, on a machine that is not too busy. */
const STEP_MS = 250

export function processes(stage: Stage): void {
  const { open, spawnChild, found, foundByWords, adapter } = stage
  describe("processes", () => {
    test("an index that was closed opens again with all its pages and vectors", async () => {
      const first = await open()
      await first.index([aPage("kept", { markdown: "Kept over night." })])
      await first.settled()
      await first[Symbol.asyncDispose]()
      const second = await open()
      expect(await second.stats()).toMatchObject({ pages: 1, pagesWithoutVectors: 0 })
      expect(await foundByWords(second, "night")).toEqual([urlOf("kept")])
      const { hits } = await second.search({ text: "kept over night", limit: 1, arms: "vector" })
      expect(hits).toHaveLength(1)
    })

    test("pages whose vectors were not made yet get them when the index is opened again", async () => {
      const first = await open({ embedding: "off" })
      await first.index([aPage("later", { markdown: "Vectors come later." })])
      expect((await first.stats()).pagesWithoutVectors).toBe(1)
      await first[Symbol.asyncDispose]()
      const second = await open()
      await second.settled()
      expect((await second.stats()).pagesWithoutVectors).toBe(0)
      const { hits } = await second.search({ text: "vectors come later", limit: 1, arms: "vector" })
      expect(hits).toHaveLength(1)
    })

    test("a page that waits for its vectors is not ranked behind those that have them", async () => {
      const first = await open()
      await first.index([
        aPage("old", { markdown: "Hedgehog winter." }),
        aPage("far", { markdown: "Nothing of the kind." }),
      ])
      await first.settled()
      await first[Symbol.asyncDispose]()
      const second = await open({ embedding: "off" })
      await second.index([
        aPage("new", {
          markdown: "A winter nest for a hedgehog: the nest a hedgehog sleeps in all winter.",
        }),
      ])
      expect((await found(second, "hedgehog winter nest"))[0]).toBe(urlOf("new"))
    })

    test("an embedder that fails is tried again, and text is found meanwhile", async () => {
      const embedder = new HashingEmbedder()
      const embed = embedder.embed.bind(embedder)
      let failures = 2
      embedder.embed = async (texts, options) => {
        if (options?.priority === "index" && failures-- > 0) throw new Error("Out of order.")
        return embed(texts, options)
      }
      const engine = await open({ embedder })
      await engine.index([aPage("patient", { markdown: "Patience pays." })])
      expect(await foundByWords(engine, "patience")).toEqual([urlOf("patient")])
      await engine.settled()
      expect((await engine.stats()).pagesWithoutVectors).toBe(0)
      expect(failures).toBeLessThan(0)
    })

    describe("a first fill under way", { tags: adapter.isRecorded ? ["real-server"] : [] }, () => {
      /** Indexes `many` pages, which then wait for vectors; with `bySteps`, the embedder returns its vectors only when `step` is called. */
      async function filling(many: number, { bySteps = false } = {}) {
        const embedder = new HashingEmbedder()
        const embed = embedder.embed.bind(embedder)
        const embedded: string[] = []
        const steps = new EventEmitter().setMaxListeners(0)
        embedder.embed = async (texts, options) => {
          if (options?.priority === "index") {
            if (bySteps) await once(steps, "step", options.signal && { signal: options.signal })
            embedded.push(...texts)
          }
          return embed(texts, options)
        }
        const first = await open({ embedding: "off" })
        await first.index(
          Array.from({ length: many }, (_, i) => {
            const sections = Array.from({ length: 8 }, (_, at) => `# Part ${at}\n\n${"Of old. ".repeat(40)}`)
            return aPage(`fill/${i}`, {
              title: `Volume ${i}`,
              markdown: [...sections, rareWord(i)].join("\n\n"),
            })
          }),
        )
        await first[Symbol.asyncDispose]()
        return { engine: await open({ embedder }), embedded, step: () => void steps.emit("step") }
      }
      const whole = async (engine: Engine, address: string) => {
        const coverage = await engine.coverage(urlOf(address))
        return coverage!.vectors === coverage!.passages
      }
      /**
       * Fills step by step until the embedder has received the text, and then stops, so that the remaining texts keep
       * waiting. Each step covers only the texts that the embedder had been asked to embed by then.
       */
      async function fillUntilEmbedded(
        { embedded, step }: Awaited<ReturnType<typeof filling>>,
        text: string,
      ) {
        while (!embedded.some((one) => one.includes(text))) {
          step()
          await pause(STEP_MS)
        }
      }

      test("lets a page that changed go first", async () => {
        const fill = await filling(250, { bySteps: true })
        const { engine } = fill
        await engine.index([aPage("fill/249", { markdown: "Something new." })])
        await fillUntilEmbedded(fill, "Something new.")
        // The page is committed as soon as it is done.
        await expect.poll(() => whole(engine, "fill/249")).toBe(true)
        expect((await engine.stats()).pagesWithoutVectors).toBeGreaterThan(50)
      })

      test("lets a page go first that a question in another process came across", async () => {
        const fill = await filling(250, { bySteps: true })
        const { engine } = fill
        const reader = await open({ mode: "read" })
        expect(await whole(engine, "fill/240")).toBe(false)
        await reader.search({ text: rareWord(240), limit: 3 })
        await fillUntilEmbedded(fill, rareWord(240))
        await expect.poll(() => whole(engine, "fill/240")).toBe(true)
        expect((await engine.stats()).pagesWithoutVectors).toBeGreaterThan(50)
      })

      test("counts what waits, for the writer and for a reader", async () => {
        const { engine, embedded } = await filling(40)
        const reader = await open({ mode: "read" })
        const before = await reader.stats()
        expect(before.passagesWithoutVectors).toBeLessThanOrEqual(before.passages)
        expect(before.passagesWithoutVectors).toBeGreaterThanOrEqual(before.pagesWithoutVectors)
        await engine.settled()
        for (const one of [engine, reader]) {
          await expect
            .poll(async () => one.stats())
            .toMatchObject({ pagesWithoutVectors: 0, passagesWithoutVectors: 0, vectorsPerSecond: null })
        }
        // All passages of these pages are distinct.
        expect(embedded).toHaveLength(before.passages)
      })
    })

    test("searches go on while pages are written, and see every page that was acknowledged", async () => {
      const engine = await open()
      const acknowledged: number[] = []
      const writing = (async () => {
        for (let i = 0; i < 20; i++) {
          await engine.index([aPage(`w/${i}`, { markdown: `Counting ${rareWord(i)} steadily.` })])
          acknowledged.push(i)
        }
      })()
      while (acknowledged.length < 20) {
        const before = acknowledged.length
        const { hits } = await engine.search({ text: "counting steadily", limit: 100, arms: "lexical" })
        expect(hits.length).toBeGreaterThanOrEqual(before)
      }
      await writing
      // On a busy machine, all pages may be written before the first search has ended.
      const { hits } = await engine.search({ text: "counting steadily", limit: 100, arms: "lexical" })
      expect(hits).toHaveLength(20)
    })

    test("a reader in another process sees a change within the lag", async () => {
      const engine = await open()
      await engine.index([aPage("first", { markdown: "Alpha came first." })])
      const { child, next } = spawnChild("reader")
      expect(await next()).toBe("ready")
      const ask = async (text: string) => {
        child.stdin.write(`${text}\n`)
        return JSON.parse(await next()) as string[]
      }
      expect(await ask("alpha")).toEqual([urlOf("first")])
      await engine.index([aPage("second", { markdown: "Beta came second." })])
      await engine.remove([urlOf("first")])
      await expect.poll(() => ask("beta")).toEqual([urlOf("second")])
      expect(await ask("alpha")).toEqual([])
    })

    test("what a writer acknowledged before kill -9 is found, and the index can be written to at once", async () => {
      const { child, next } = spawnChild("writer")
      const acknowledged: string[] = []
      for (let i = 0; i < (adapter.killedAfter ?? 12); i++) acknowledged.push(await next())
      child.kill("SIGKILL")
      await once(child, "exit")
      const engine = await open()
      for (let i = 0; i < acknowledged.length; i++) {
        expect(await foundByWords(engine, rareWord(i))).toEqual([acknowledged[i]])
      }
      await engine.index([aPage("after", { markdown: "Life goes on." })])
      await engine.settled()
      expect(await foundByWords(engine, "life")).toEqual([urlOf("after")])
      expect((await engine.stats()).pagesWithoutVectors).toBe(0)
    })

    test("one may write at a time, any number may read", async () => {
      const writer = await open()
      await expect(adapter.open(stage.place())).rejects.toMatchObject({ code: "INDEX_LOCKED" })
      await writer.index([aPage("shared", { markdown: "Shared by all." })])
      const [one, two] = await Promise.all([open({ mode: "read" }), open({ mode: "read" })])
      expect(await foundByWords(one, "shared")).toEqual([urlOf("shared")])
      expect(await foundByWords(two, "shared")).toEqual([urlOf("shared")])
      await writer[Symbol.asyncDispose]()
      const next = await open()
      expect((await next.stats()).pages).toBe(1)
    })

    test("a reader may come before the first page, and never writes", async () => {
      const reader = await open({ mode: "read" })
      expect(await found(reader, "anything")).toEqual([])
      expect(await reader.stats()).toMatchObject({ pages: 0, pagesWithoutVectors: 0 })
      await expect(reader.index([aPage("a")])).rejects.toMatchObject({ code: "READ_ONLY" })
      await expect(reader.remove([urlOf("a")])).rejects.toMatchObject({ code: "READ_ONLY" })
      const writer = await open()
      await writer.index([aPage("a", { markdown: "At last." })])
      await expect.poll(() => foundByWords(reader, "last")).toEqual([urlOf("a")])
    })

    test("an index of another model is refused, with the way out", async () => {
      const engine = await open()
      await engine.index([aPage("a")])
      await engine[Symbol.asyncDispose]()
      for (const mode of ["read", "write"] as const) {
        const other = adapter.open(stage.place(), { mode, embedder: new HashingEmbedder("other") })
        await expect(other).rejects.toMatchObject({
          code: "EMBEDDER_MISMATCH",
          message: expect.stringContaining("fossick index upgrade"),
        })
      }
      expect((await (await open()).stats()).pages).toBe(1)
    })

    test("a closed engine says so", async () => {
      const engine = await open()
      await engine[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
      await expect(engine.search({ text: "x", limit: 1 })).rejects.toMatchObject({ code: "ENGINE_CLOSED" })
      await expect(engine.index([aPage("a")])).rejects.toMatchObject({ code: "ENGINE_CLOSED" })
      await expect(engine.stats()).rejects.toMatchObject({ code: "ENGINE_CLOSED" })
    })
  })
}
