import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { request } from "undici"
import { pause } from "#base/flow/pause.ts"
import { freePort } from "#base/testing/free-port.ts"
import { installOpenSearch } from "./install.ts"

const LOOK_MS = 250
const LONGEST_START_MS = 300_000
const GRACE_MS = 20_000

export interface ClusterSize {
  /** Default 3. */
  readonly nodes?: number
  /** Heap of each node in megabytes. Default 1024; pages and vectors are also in the system's cache. */
  readonly heapMb?: number
}

/** A cluster of real OpenSearch nodes on loopback, each a separate process with its own files until it is closed. */
export interface TestCluster extends AsyncDisposable {
  /** Address of each node, by its number. */
  readonly urls: readonly string[]
  /** Where the nodes store all their data. */
  readonly dir: string
  /** Id of a running node's process. */
  pid(node: number): number
  /** `kill -9`: the node has no chance to shut down cleanly. */
  kill(node: number): Promise<void>
  /** Starts a killed node again with the files it left behind. */
  restart(node: number): Promise<void>
  /** Resolves when every shard has all its copies. */
  whole(): Promise<void>
  /** Number of the node that manages the cluster. */
  manager(): Promise<number>
}

export async function startCluster({ nodes = 3, heapMb = 1024 }: ClusterSize = {}): Promise<TestCluster> {
  const home = await installOpenSearch()
  const dir = await mkdtemp(path.join(tmpdir(), "fossick-opensearch-"))
  const cluster = new Nodes(home, dir, heapMb)
  try {
    await cluster.start(nodes)
    return cluster
  } catch (error) {
    const said = await cluster.said()
    await cluster[Symbol.asyncDispose]()
    throw new Error(`The OpenSearch cluster did not start. It said:\n${said}`, { cause: error })
  }
}

interface Ports {
  readonly http: number
  readonly transport: number
}

class Nodes implements TestCluster {
  readonly dir: string
  readonly #home: string
  readonly #heapMb: number
  readonly #children: ChildProcess[] = []
  #ports: readonly Ports[] = []

  constructor(home: string, dir: string, heapMb: number) {
    this.#home = home
    this.dir = dir
    this.#heapMb = heapMb
  }

  get urls(): readonly string[] {
    return this.#ports.map(({ http }) => `http://127.0.0.1:${http}`)
  }

  async start(nodes: number): Promise<void> {
    const ports: Ports[] = []
    for (let node = 0; node < nodes; node++) {
      ports.push({ http: await freePort(), transport: await freePort() })
    }
    this.#ports = ports
    for (let node = 0; node < nodes; node++) await this.#spawn(node)
    await this.#until(
      `/_cluster/health?wait_for_nodes=${nodes}&timeout=1s`,
      ({ number_of_nodes: there }) => Number(there) === nodes,
    )
  }

  pid(node: number): number {
    return this.#children[node]!.pid!
  }

  async kill(node: number): Promise<void> {
    const child = this.#children[node]!
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
  }

  async restart(node: number): Promise<void> {
    await this.#spawn(node)
    const { length } = this.#ports
    await this.#until(
      `/_cluster/health?wait_for_nodes=${length}&timeout=1s`,
      ({ number_of_nodes: there }) => Number(there) === length,
    )
  }

  async whole(): Promise<void> {
    await this.#until(
      "/_cluster/health?wait_for_status=green&wait_for_no_relocating_shards=true&timeout=1s",
      ({ status, timed_out: late }) => status === "green" && late === false,
    )
  }

  async manager(): Promise<number> {
    const [{ node }] = (await this.#asked("/_cat/cluster_manager?format=json")) as unknown as [
      { node: string },
    ]
    return Number(node.replace("node-", ""))
  }

  /** The last lines of the nodes' logs. */
  async said(): Promise<string> {
    const logs = this.#ports.map((_, node) =>
      readFile(this.#log(node), "utf8").catch(() => "nothing was written"),
    )
    return (await Promise.all(logs)).map((text) => text.slice(-2000)).join("\n---\n")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#children.map(ended))
    await rm(this.dir, { recursive: true, force: true, maxRetries: 5 })
  }

  async #spawn(node: number): Promise<void> {
    const { http, transport } = this.#ports[node]!
    const data = path.join(this.dir, `node-${node}`)
    await mkdir(data, { recursive: true })
    const child = spawn(
      "java",
      [
        `-Xms${this.#heapMb}m`,
        `-Xmx${this.#heapMb}m`,
        "-XX:TieredStopAtLevel=4",
        "-Djava.awt.headless=true",
        `-Dlog4j2.configurationFile=${path.join(this.#home, "log4j2.properties")}`,
        "-Dlog4j2.disable.jmx=true",
        "-cp",
        [path.join(this.#home, "classes"), path.join(this.#home, "lib", "*")].join(path.delimiter),
        "TestNode",
        this.#home,
        data,
        `node-${node}`,
        String(http),
        String(this.#ports[0]!.transport),
        String(transport),
        this.#ports.map((one) => `127.0.0.1:${one.transport}`).join(),
        this.#ports.map((_, i) => `node-${i}`).join(),
      ],
      { stdio: ["ignore", "pipe", "pipe"] },
    )
    const log = createWriteStream(this.#log(node), { flags: "a" })
    child.stdout.pipe(log, { end: false })
    child.stderr.pipe(log, { end: false })
    child.once("close", () => log.end())
    this.#children[node] = child
    await once(child, "spawn")
  }

  #log(node: number): string {
    return path.join(this.dir, `node-${node}.log`)
  }

  async #until(route: string, holds: (said: Record<string, unknown>) => boolean): Promise<void> {
    const until = performance.now() + LONGEST_START_MS
    for (;;) {
      const said = await this.#asked(route).catch(() => null)
      if (said && holds(said)) return
      const dead = this.#children.findIndex(({ exitCode }) => exitCode !== null)
      if (dead >= 0) throw new Error(`node ${dead} ended with ${this.#children[dead]!.exitCode}`)
      if (performance.now() > until) throw new Error(`${route} stays ${JSON.stringify(said)}`)
      await pause(LOOK_MS)
    }
  }

  /** The answer from the first node that responds. */
  async #asked(route: string): Promise<Record<string, unknown>> {
    for (const [node, child] of this.#children.entries()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      try {
        const { statusCode, body } = await request(`${this.urls[node]}${route}`)
        const said = (await body.json()) as Record<string, unknown>
        if (statusCode < 500) return said
      } catch {
        // The node isn't listening yet.
      }
    }
    throw new Error("No node answers.")
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  child.kill("SIGTERM")
  const force = setTimeout(() => child.kill("SIGKILL"), GRACE_MS)
  await exit
  clearTimeout(force)
}
