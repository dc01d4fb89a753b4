import { Client } from "pg"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { serverLocation } from "#base/store/postgres/state-location.ts"
import { OwnProcess } from "#base/store/processes/own-process.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { PostgresServer } from "#base/store/testing/postgres-server.ts"
import { until } from "#base/testing/until.ts"
import type { JobTrigger } from "../../job.ts"
import { defineSource } from "../../source.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { Jobs, type JobWish } from "../jobs.ts"
import { BossQueue } from "./boss-queue.ts"
import type { JobQueue } from "./job-queue.ts"
import { openJobQueue } from "./open-job-queue.ts"
import { TableQueue } from "./table-queue.ts"

const source = (name: string, path = "") => defineSource({ name, seeds: [`https://${name}.example/${path}`] })

/** Ids of jobs that were requested one after another. */
async function enqueued(jobs: Jobs, ...names: readonly string[]): Promise<number[]> {
  const ids: number[] = []
  for (const name of names) ids.push((await jobs.enqueue(source(name))).id)
  return ids
}

/** A process that works on a state's jobs. */
class Worker implements AsyncDisposable {
  readonly jobs: Jobs
  readonly queue: JobQueue
  readonly own: OwnProcess
  readonly #db: StateStore

  static async open(dataDir: string): Promise<Worker> {
    const db = await openStateStore(dataDir)
    return new Worker(dataDir, db, await OwnProcess.begin(db, "test"))
  }

  private constructor(dataDir: string, db: StateStore, own: OwnProcess) {
    this.#db = db
    this.jobs = new Jobs(db)
    this.own = own
    const onProblem = (error: Error) => expect.unreachable(error.message)
    this.queue = openJobQueue({ db, jobs: this.jobs, dataDir, onProblem })
  }

  /** Takes the next job and begins it. */
  async begin(wish?: JobWish): Promise<number | null> {
    const id = await this.queue.take(wish)
    if (id === null) return null
    if ((await this.jobs.start(id, this.own.id)) !== null) return id
    await this.queue.done(id)
    return null
  }

  async end(id: number, state: "finished" | "queued" | "paused" = "finished"): Promise<void> {
    await this.jobs.end(id, state, null, undefined, this.own.id)
    await this.queue.done(id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.queue[Symbol.asyncDispose]()
    await this.own[Symbol.asyncDispose]()
    this.#db.close()
  }
}

/** The behaviour required of every job queue. */
function describeQueue(name: string): void {
  describe(`jobs handed out by ${name}`, () => {
    // Tables on a server take a second to create, so all tests share them, each with sources of its own.
    let folder: ReturnType<typeof temporaryFolder>
    let tests = 0
    beforeAll(() => void (folder = temporaryFolder()))
    afterAll(() => folder[Symbol.dispose]())

    /** Two processes with one state, and a function that requests a job for a source. */
    async function workers() {
      const [one, other] = [await Worker.open(folder.path), await Worker.open(folder.path)]
      const { jobs } = one
      onTestFinished(async () => {
        for (const { id } of await jobs.list()) if (await jobs.cancel(id)) await jobs.end(id, "cancelled")
        await one[Symbol.asyncDispose]()
        await other[Symbol.asyncDispose]()
      })
      tests += 1
      const named = (source: string) => `${source}-${tests}`
      const ask = async (name: string, trigger: JobTrigger = "command", path = "") =>
        (await jobs.enqueue(source(named(name), path), { trigger })).id
      return { jobs, one, other, named, ask }
    }

    test("arrive in order, scheduled ones last, and each once", async () => {
      const { one, other, ask } = await workers()
      const [nightly, first, weekly, second] = [
        await ask("a", "schedule"),
        await ask("b"),
        await ask("c", "schedule"),
        await ask("d", "api"),
      ]
      const taken = []
      for (const worker of [one, other, one, other, one, other]) taken.push(await worker.begin())
      expect(taken).toEqual([first, second, nightly, weekly, null, null])
    })

    test("are for different sources, whoever works on them", async () => {
      const { one, other, ask } = await workers()
      const [first, second, third] = [await ask("a"), await ask("a", "command", "more"), await ask("b")]
      expect([await one.begin(), await other.begin(), await one.begin(), await other.begin()]).toEqual([
        first,
        third,
        null,
        null,
      ])
      await one.end(first)
      expect(await other.begin()).toBe(second)
    })

    test("go to one process each, however many ask at once", async () => {
      const { jobs, one, other, ask } = await workers()
      const ids: number[] = []
      for (let at = 0; at < 12; at += 1) ids.push(await ask(`s${at}`))
      const begun: number[] = []
      const work = async (worker: Worker) => {
        while ((await jobs.waiting({}, 1)).length > 0) {
          const id = await worker.begin()
          if (id !== null) begun.push(id)
        }
      }
      await Promise.all([work(one), work(other)])
      expect(begun.toSorted((a, b) => a - b)).toEqual(ids)
    })

    test("exclude those paused or cancelled meanwhile, until resumed", async () => {
      const { jobs, one, other, ask } = await workers()
      const [a, b, c] = [await ask("a"), await ask("b"), await ask("c")]
      expect(await one.begin()).toBe(a)
      await jobs.pause(b)
      await jobs.cancel(c)
      expect([await one.begin(), await other.begin()]).toEqual([null, null])
      await jobs.resume(b)
      expect(await other.begin()).toBe(b)
      await other.end(b, "paused")
      expect(await one.begin()).toBeNull()
    })

    test("match what a process asks for, and risky ones go only to an idle process", async () => {
      const { jobs, one, other, named, ask } = await workers()
      const [a, b, c] = [await ask("a"), await ask("b"), await ask("c")]
      expect(await one.begin({ except: new Set([named("a")]), only: new Set([a, c]) })).toBe(c)
      for (let crash = 0; crash < 2; crash += 1) {
        if (crash > 0) await until(async () => (await one.begin({ only: new Set([c]) })) === c)
        await jobs.recover()
      }
      // All jobs are back in the queue, and the job `a` comes before the others.
      await until(async () => (await other.begin({ isAlone: false })) === a)
      expect(await other.begin({ isAlone: false })).toBe(b)
      expect(await other.begin({ isAlone: false })).toBeNull()
      await until(async () => (await one.begin()) === c)
    })

    test("are handed out again when released", async () => {
      const { one, other, ask } = await workers()
      const id = await ask("a")
      for (const worker of [one, other, one]) {
        expect(await worker.begin()).toBe(id)
        await worker.end(id, "queued")
      }
    })

    test("are handed out again when their process is lost, and so is the next job of a source that it had finished", async () => {
      const { jobs, one, other, ask } = await workers()
      const [a, b] = [await ask("a"), await ask("b")]
      expect([await one.begin(), await one.begin()]).toEqual([a, b])
      await jobs.end(b, "finished")
      const next = await ask("b")
      await one.own[Symbol.asyncDispose]()
      await other.jobs.recover("the-lost")
      const begun = new Set<number | null>()
      await until(async () => {
        begun.add(await other.begin())
        return begun.has(a) && begun.has(next)
      })
    })
  })
}

describeQueue("the table")

describe("with the state on a server", { tags: ["postgresql"] }, () => {
  let server: PostgresServer
  const { FOSSICK_STATE: before } = process.env
  beforeAll(async () => {
    server = await PostgresServer.start()
    process.env["FOSSICK_STATE"] = server.socketUrl()
  })
  afterAll(async () => {
    if (before === undefined) delete process.env["FOSSICK_STATE"]
    else process.env["FOSSICK_STATE"] = before
    await server[Symbol.asyncDispose]()
  })

  describeQueue("pg-boss")

  /** pg-boss queues in one schema, for jobs in a file. */
  async function bosses(schema: string, count: number, heartMs?: number) {
    const folder = temporaryFolder()
    const url = server.url(schema)
    const location = serverLocation(url, "not-to-be-told", folder.path, process.env)
    delete process.env["FOSSICK_STATE"]
    const db = await openStateStore(folder.path)
    process.env["FOSSICK_STATE"] = server.socketUrl()
    const jobs = new Jobs(db)
    const problems: string[] = []
    const onProblem = ({ message }: Error) => problems.push(message)
    const queues = Array.from(
      { length: count },
      () => new BossQueue({ jobs, location, onProblem, ...(heartMs !== undefined && { heartMs }) }),
    )
    onTestFinished(async () => {
      const told = [...problems]
      for (const queue of queues) await queue[Symbol.asyncDispose]()
      expect(problems).toEqual(told)
      db.close()
      folder[Symbol.dispose]()
    })
    return { jobs, queues, problems }
  }

  test("the table is polled when the state is a file, and pg-boss is used on a server", async () => {
    using folder = temporaryFolder()
    const queueOn = async (state: string) => {
      process.env["FOSSICK_STATE"] = state
      await using worker = await Worker.open(folder.path)
      process.env["FOSSICK_STATE"] = server.socketUrl()
      return worker.queue
    }
    expect(await queueOn("")).toBeInstanceOf(TableQueue)
    expect(await queueOn(server.socketUrl())).toBeInstanceOf(BossQueue)
  })

  test("a job is taken once, before it is begun", async () => {
    const { jobs, queues } = await bosses("taken", 3)
    const ids = await enqueued(jobs, "a", "b", "c")
    const taken = await Promise.all([...queues, ...queues].map((queue) => queue.take()))
    expect(taken.filter((id) => id !== null).toSorted((a, b) => a - b)).toEqual(ids)
  })

  test("a process that gives signs of life keeps its job, and one that does not loses it to pg-boss", async () => {
    const schema = "hearts"
    const { jobs, queues } = await bosses(schema, 2, 50)
    const [alive, dead] = await enqueued(jobs, "alive", "dead")
    const [queue, other] = queues as [BossQueue, BossQueue]
    expect([await queue.take(), await other.take()]).toEqual([alive, dead])
    for (const id of [alive!, dead!]) await jobs.start(id)
    const client = new Client(server.url(schema).replace(/\?.*/, ""))
    await client.connect()
    onTestFinished(() => client.end())
    const known = async () => {
      const { rows } = await client.query<{ job: string; state: string; beat: Date }>(
        `select data->>'job' as job, state, heartbeat_on as beat from ${schema}_queue.job`,
      )
      return new Map(rows.map(({ job, state, beat }) => [Number(job), { state, beat: beat?.getTime() }]))
    }
    const { beat } = (await known()).get(alive!)!
    await until(async () => (await known()).get(alive!)!.beat !== beat)
    // The server's messages no longer arrive.
    await client.query(
      `create function ${schema}_queue.lost() returns trigger language plpgsql as $$ begin return null; end $$;
       create trigger lost before update on ${schema}_queue.job for each row
         when (old.heartbeat_seconds = 1 and new.heartbeat_seconds = 1 and old.state = 'active') execute function ${schema}_queue.lost()`,
    )
    await client.query(
      `update ${schema}_queue.job set heartbeat_seconds = 1 where data->>'job' = '${dead}' and state = 'active'`,
    )
    await until(async () => (await known()).get(dead!)!.state === "retry")
    expect((await known()).get(alive!)!.state).toBe("active")
    await jobs.end(dead!, "queued")
    await until(async () => (await queue.take()) === dead)
  })

  test("a lost server is reported once, without its password, and retried", async () => {
    const { jobs, queues, problems } = await bosses("away", 1)
    const [queue] = queues as [BossQueue]
    const [a, b] = await enqueued(jobs, "a", "b")
    expect(await queue.take()).toBe(a)
    await server.kill()
    expect([await queue.take(), await queue.take()]).toEqual([null, null])
    await queue.done(a!)
    expect(problems).toEqual([expect.stringContaining("cannot be reached")])
    expect(problems.join()).not.toContain("not-to-be-told")
    await server.up()
    await jobs.cancel(a!)
    await until(async () => (await queue.take()) === b)
    expect(problems).toHaveLength(1)
  })
})
