import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createReadStream, existsSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { Worker } from "node:worker_threads"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { cosineOf, type TokenVectors } from "../../embedder.ts"
import { openEmbedder } from "./open-embedder.ts"
import { sparingThreads, threadsFor } from "./thread-count.ts"
import { TransformersEmbedder, shippedModel } from "./transformers-embedder.ts"

let dir: string
let embedder: TransformersEmbedder

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-embedder-"))
  embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 2 })
})

afterAll(async () => {
  await embedder[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

/** `sched(7)` */
const SCHED_IDLE = 5
const LONG = "The crawler waits between two requests to one host. ".repeat(40)

describe("the model shipped with Fossick", () => {
  it("places a question closest to its answer", async () => {
    const [question, answer, other] = await embedder.embed([
      "How long does the crawler wait between requests?",
      "The politeness delay is one second for each host.",
      "A red onion is sliced thin and fried in butter.",
    ])
    expect(cosineOf(question!, answer!)).toBeGreaterThan(0.3)
    expect(cosineOf(question!, other!)).toBeLessThan(0.15)
  })

  it("gives unit vectors of the stated dimensions", async () => {
    const vectors = await embedder.embed(["one", "", LONG, "日本語の文章"])
    for (const vector of vectors) {
      expect(vector).toHaveLength(embedder.dimensions)
      expect(cosineOf(vector, vector)).toBeCloseTo(1, 5)
    }
  })

  it("gives a text the same vector whatever else is in the batch", async () => {
    const [alone] = await embedder.embed(["robots.txt"], { priority: "query" })
    const [, , beside] = await embedder.embed([LONG, "a", "robots.txt"])
    expect(beside).toEqual(alone)
  })

  it("reports the tokens it read: word pieces, two around each text, and none beyond its limit", async () => {
    const read = async (...texts: string[]) => {
      let told = 0
      await embedder.embed(texts, { onTokens: (tokens) => (told = tokens) })
      return told
    }
    expect(await read("pumps")).toBe(3)
    expect(await read("pumps", "a pump")).toBe(7)
    expect(await read("decalcification")).toBeGreaterThan(3)
    expect(await read(LONG.repeat(200))).toBe(await read(LONG.repeat(3)))
  })

  it("gives the same vectors while it leaves a processor free", async () => {
    const texts = ["one", LONG, "two", "three", "four"]
    expect(await embedder.embed(texts, { sparing: true })).toEqual(await embedder.embed(texts))
  })

  it("reads no further than its limit", async () => {
    const [cut, longer] = await embedder.embed([LONG.repeat(3), LONG.repeat(200)])
    expect(longer).toEqual(cut)
  })
})

describe("token vectors", () => {
  it("are one unit vector per token of the text, without the model's special tokens", async () => {
    const [text, empty] = await embedder.tokenVectors(["Crawlers obey robots.txt", ""])
    expect(text!.tokens).toEqual(["crawl", "##ers", "obey", "robots", ".", "tx", "##t"])
    expect(text!.vectors).toHaveLength(7 * embedder.dimensions)
    const first = text!.vectors.subarray(0, embedder.dimensions)
    expect(cosineOf(first, first)).toBeCloseTo(1, 5)
    expect(empty).toEqual({ tokens: [], vectors: new Float32Array(0) })
  })

  it("come along with a text's vector from a single reading", async () => {
    const texts = ["Crawlers obey robots.txt", "one"]
    const beside: TokenVectors[] = []
    const vectors = await embedder.embed(texts, { onTokenVectors: (tokens) => void beside.push(tokens) })
    expect(vectors).toEqual(await embedder.embed(texts))
    expect(beside).toEqual(await embedder.tokenVectors(texts))
  })

  it("show what a word means in its context", async () => {
    const texts = ["the bank of the river", "the shore of the lake", "the bank lends money"]
    const [river, shore, money] = (await embedder.tokenVectors(texts)).map(({ vectors }) =>
      vectors.subarray(embedder.dimensions, 2 * embedder.dimensions),
    )
    expect(cosineOf(river!, shore!)).toBeGreaterThan(cosineOf(money!, shore!))
  })
})

describe("waiting work", () => {
  it("runs after a query", async () => {
    // With one thread, the order doesn't depend on the system: the text being embedded and the next one come first.
    await using alone = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
    const done: string[] = []
    const texts = Promise.all(
      Array.from({ length: 8 }, (_, i) => alone.embed([`${LONG} ${i}`]).then(() => done.push("index"))),
    )
    const query = alone.embed(["a query"], { priority: "query" }).then(() => done.push("query"))
    await Promise.all([texts, query])
    expect(done.indexOf("query")).toBeLessThanOrEqual(2)
  })

  it("is cancelled along with its caller", async () => {
    const giveUp = new AbortController()
    const work = embedder.embed(
      Array.from({ length: 200 }, () => LONG),
      { signal: giveUp.signal },
    )
    giveUp.abort(new Error("no longer needed"))
    await expect(work).rejects.toThrow("no longer needed")
    await expect(embedder.embed(["next"])).resolves.toHaveLength(1)
    await expect(embedder.embed(["x"], { signal: giveUp.signal })).rejects.toThrow("no longer needed")
  })

  it("is rejected after closing, and waiting callers get an error", async () => {
    const closing = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
    const waiting = closing.embed(Array.from({ length: 50 }, () => LONG))
    // oxlint-disable-next-line vitest/valid-expect -- awaited below
    const told = expect(waiting).rejects.toMatchObject({ code: "ENGINE_CLOSED" })
    await closing[Symbol.asyncDispose]()
    await told
    await expect(closing.embed(["late"])).rejects.toMatchObject({ code: "ENGINE_CLOSED" })
  })

  it("leaves its threads to the process's next embedder, since ending one crashes", async () => {
    // Runs in a separate process, because the native runtime would crash the whole process.
    const script = `
      import { TransformersEmbedder, shippedModel } from ${JSON.stringify(path.join(import.meta.dirname, "transformers-embedder.ts"))}
      const vectors = new Set()
      for (let round = 0; round < 6; round++) {
        const embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 2 })
        const [vector] = await embedder.embed(["again", "and", "again"])
        vectors.add(vector.join())
        await embedder[Symbol.asyncDispose]()
      }
      console.log(vectors.size)`
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script])
    expect(stdout.trim()).toBe("1")
  })
})

describe("threads", () => {
  /** The nice value and scheduling policy of each thread of a process that has embedded texts with this purpose (`proc_pid_stat(5)`). */
  async function nices(purpose: "background" | "answers"): Promise<[nice: number, policy: number][]> {
    const script = `
      import { readFileSync, readdirSync } from "node:fs"
      import { TransformersEmbedder, shippedModel } from ${JSON.stringify(path.join(import.meta.dirname, "transformers-embedder.ts"))}
      const embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 2, purpose: "${purpose}" })
      await embedder.embed(Array.from({ length: 40 }, (_, i) => "text " + i))
      const nices = readdirSync("/proc/self/task").map((id) => {
        const stat = readFileSync("/proc/self/task/" + id + "/stat", "latin1")
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number)
        return [fields[16], fields[38]]
      })
      console.log(JSON.stringify(nices.sort(([a], [b]) => a - b)))`
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script])
    return JSON.parse(stdout) as [number, number][]
  }

  const hasChrt = () =>
    promisify(execFile)("chrt", ["--max"]).then(
      () => true,
      () => false,
    )

  it("for pages run at the lowest priority, and no others do", { tags: ["linux"] }, async () => {
    const background = await nices("background")
    const policy = (await hasChrt()) ? SCHED_IDLE : 0
    expect(background.slice(-2)).toEqual([
      [19, policy],
      [19, policy],
    ])
    // The event loop and the threads that V8 and libuv start.
    const others = background.slice(0, -2)
    expect(others.every(([nice, one]) => nice < 19 && one === 0)).toBe(true)
    const answers = await nices("answers")
    expect(new Set(answers.map(([nice]) => nice)).size).toBe(1)
    expect(answers.every(([, one]) => one === 0)).toBe(true)
  })

  it("are one per processor, as far as a quarter of the memory allows", async () => {
    const [weights, folder] = [path.join(dir, "weights"), path.join(dir, "sizes")]
    await mkdir(folder, { recursive: true })
    const count = async (weightMb: number, vocabularyMb: number, processors: number, memoryMb: number) => {
      await writeFile(weights, "")
      await truncate(weights, weightMb * 2 ** 20)
      await writeFile(path.join(folder, "tokenizer.json"), "")
      await truncate(path.join(folder, "tokenizer.json"), vocabularyMb * 2 ** 20)
      return await threadsFor({ folder, weights }, { processors, memory: memoryMb * 2 ** 20 })
    }
    expect(await count(22, 1, 4, 24_000)).toBe(4)
    expect(await count(22, 1, 64, 24_000)).toBe(55)
    expect(await count(22, 1, 64, 2_000)).toBe(4)
    expect(await count(73, 6, 8, 4_000)).toBe(2)
    expect(await count(45, 3, 8, 4_000)).toBe(4)
    expect(await count(73, 6, 8, 500)).toBe(1)
  })

  it("leave one processor free on request, if they would use all of them", () => {
    expect([sparingThreads(8, 8), sparingThreads(2, 2), sparingThreads(9, 8)]).toEqual([7, 1, 8])
    expect([sparingThreads(1, 1), sparingThreads(2, 8)]).toEqual([1, 2])
  })

  it("process pages on all processors, and on all but one on request", async ({ skip }) => {
    skip(availableParallelism() < 2 || availableParallelism() > 8, "it takes two to eight processors")
    const threads = availableParallelism()
    await using busy = await TransformersEmbedder.open({ model: shippedModel, threads })
    const texts = Array.from({ length: 20 * threads }, (_, i) => `${LONG} ${i}`)
    await busy.embed(texts)
    const post = vi.spyOn(Worker.prototype, "postMessage")
    onTestFinished(() => post.mockRestore())
    const workersOf = async (sparing: boolean) => {
      post.mockClear()
      await busy.embed(texts, { sparing })
      return new Set(post.mock.contexts).size
    }
    expect([await workersOf(true), await workersOf(false)]).toEqual([threads - 1, threads])
  })

  it("answer a question before waiting texts, even with texts already queued", async () => {
    await using busy = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
    const done: string[] = []
    const texts = Array.from({ length: 12 }, (_, i) =>
      busy.embed([`${LONG} ${i}`]).then(() => done.push("text")),
    )
    await texts[0]
    await busy.embed(["question"], { priority: "query" }).then(() => done.push("question"))
    expect(done.indexOf("question")).toBeLessThanOrEqual(4)
    await Promise.all(texts)
    expect(done).toHaveLength(13)
  })

  it("reject the text in progress, too, when their embedder closes", async () => {
    const closing = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
    await closing.embed(["ready"])
    const told = closing.embed([LONG]).catch((error: unknown) => error)
    await closing[Symbol.asyncDispose]()
    expect(await told).toMatchObject({ code: "ENGINE_CLOSED" })
  })
})

describe("a custom model", () => {
  it("is identified by its weights, not by its folder", async () => {
    const copy = path.join(dir, "all-MiniLM-L6-v2")
    // An operator's own model has no checksums of its files.
    await cp(shippedModel, copy, { recursive: true, filter: (file) => !file.endsWith("SHA256SUMS") })
    expect((await TransformersEmbedder.open({ model: copy, threads: 1 })).id).toBe(embedder.id)
    await writeFile(path.join(copy, "onnx", "model_quantized.onnx"), "other weights")
    expect((await TransformersEmbedder.open({ model: copy, threads: 1 })).id).not.toBe(embedder.id)
  })

  it("that is missing is reported with how to fix it", async () => {
    const opening = TransformersEmbedder.open({ model: path.join(dir, "nowhere"), threads: 1 })
    await expect(opening).rejects.toMatchObject({
      code: "MODEL_UNAVAILABLE",
      message: expect.stringMatching(/no such folder.*FOSSICK_MODEL/s),
    })
  })

  it("with invalid weights is reported to callers waiting for a vector", async () => {
    const broken = path.join(dir, "broken")
    await cp(shippedModel, broken, { recursive: true, filter: (file) => !/\.onnx$|SHA256SUMS$/.test(file) })
    await expect(TransformersEmbedder.open({ model: broken, threads: 1 })).rejects.toThrow(
      "onnx/model_quantized.onnx",
    )
    await writeFile(path.join(broken, "onnx", "model_quantized.onnx"), "no model")
    await using opened = await TransformersEmbedder.open({ model: broken, threads: 1 })
    await expect(opened.embed(["text"])).rejects.toMatchObject({ code: "MODEL_UNAVAILABLE" })
  })

  it("is downloaded from a hub once, and only when a hub is configured", async () => {
    const asked: string[] = []
    const hub = createServer((request, response) => {
      asked.push(request.url!)
      const file = path.join(shippedModel, request.url!.replace("/some/model/resolve/main/", ""))
      if (existsSync(file)) createReadStream(file).pipe(response)
      else response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => hub.listen(0, "127.0.0.1", resolve))
    const modelHub = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`
    const settings = { dataDir: path.join(dir, "data"), model: "some/model", embedThreads: 1 }
    await expect(openEmbedder({ ...settings, modelHub: "" })).rejects.toMatchObject({
      code: "MODEL_UNAVAILABLE",
    })
    expect(asked).toEqual([])
    {
      await using fetched = await openEmbedder({ ...settings, modelHub })
      const [vector] = await fetched.embed(["robots.txt"])
      expect(vector).toEqual((await embedder.embed(["robots.txt"]))[0])
    }
    const once = asked.length
    await using again = await openEmbedder({ ...settings, modelHub })
    expect(asked).toHaveLength(once)
    expect(again.id.startsWith("model:")).toBe(true)
    await expect(openEmbedder({ ...settings, model: "some/other", modelHub })).rejects.toThrow("status 404")
    expect(existsSync(path.join(dir, "data", "models", "some", "other"))).toBe(false)
    await expect(openEmbedder({ ...settings, model: "../../nowhere/at-all", modelHub })).rejects.toThrow(
      "owner/name",
    )
    await new Promise((resolve) => hub.close(resolve))
  })

  it("can be a link to another folder", async () => {
    const link = path.join(dir, "link")
    await symlink(shippedModel, link)
    await using linked = await openEmbedder({ dataDir: dir, model: link, modelHub: "", embedThreads: 0 })
    expect(linked.dimensions).toBe(embedder.dimensions)
  })
})
