import { randomBytes } from "node:crypto"
import { until } from "#base/testing/until.ts"
import { type Appliance, startAppliance } from "../../api/testing/appliance.ts"
import { operations } from "../../api/openapi/document.ts"
import { chance } from "#base/testing/chance.ts"
import { type Effort, type Outcome, type Proof, tries } from "../proof.ts"
import { openSchemathesis } from "./schemathesis.ts"

/** Seconds for which each kind of caller asks, at most: what is tried at random goes on until they are over. */
const SECONDS = 420
/** Operations that a small share of the tries asks, each kind of caller others. */
const FEWEST = 6

/** Where no server is: every fetch of a foreign address ends there at once, on any machine. */
const NO_PROXY = "http://127.0.0.1:9"

interface Caller {
  readonly name: string
  /** The key of a request; null for none. */
  readonly key: (made: (body: object) => Promise<Made>) => Promise<string | null>
}

interface Made {
  readonly id: string
  readonly key: string
}

export const proof: Proof = {
  title: "Every call, with made-up values",
  promise:
    "No call makes the appliance fail, whoever makes it and whatever it says, and every answer is what `/openapi.json` says of it: its status, its " +
    "media type, its shape. [Schemathesis](https://schemathesis.io) reads the document of a running appliance, makes up values that it allows and values that it " +
    "does not, wrong media types, methods and keys among them, and holds the answers against it, as five callers.",
  run,
}

async function run(effort: Effort): Promise<Outcome> {
  const columns = ["caller", "operations", "requests", "answers that are not as described"]
  const opened = await openSchemathesis()
  if (typeof opened === "string") return { columns, rows: [[`not tried: ${opened}`, 0, 0, 0]], faults: [] }
  await using schemathesis = opened
  const operator = randomBytes(24).toString("base64url")
  await using appliance = await startAppliance({ FOSSICK_API_KEY: operator, FOSSICK_PROXY: NO_PROXY })
  await until(async () => (await pagesOf(appliance, operator)) > 0)
  const callers: readonly Caller[] = [
    { name: "the operator", key: async () => operator },
    { name: "a key for searches", key: async (made) => (await made({})).key },
    {
      name: "a key of one domain that may make keys",
      key: async (made) => (await made({ domains: ["localhost"], may_make_keys: true })).key,
    },
    { name: "a key without credits", key: async (made) => (await made({ credits: 0 })).key },
    { name: "nobody", key: async () => null },
  ]
  const rows: (readonly [string, number, number, number])[] = []
  const faults: string[] = []
  const random = chance(effort.seed)
  for (const { name, key } of callers) {
    const presented = await key((body) => madeBy(appliance, operator, body))
    const some = effort.scale < 0.1 ? { operations: random.some(operations, FEWEST).map(({ id }) => id) } : {}
    const tried = await schemathesis.try({
      url: appliance.url,
      key: presented,
      seed: effort.seed,
      seconds: tries(effort, SECONDS, 5),
      ...some,
    })
    effort.tell(`${name}: ${tried.cases} requests to ${tried.operations} operations`)
    rows.push([name, tried.operations, tried.cases, tried.faults.length])
    faults.push(...tried.faults.map((fault) => `as ${name}: ${fault}`))
  }
  // Whatever was asked of it, it goes on.
  if (!((await pagesOf(appliance, operator)) > 0)) faults.push("the pages are no longer found")
  faults.push(...failuresIn(appliance.output()))
  return { columns, rows: [...rows, total(rows)], faults }
}

const total = (rows: readonly (readonly [string, number, number, number])[]) =>
  [
    "together",
    Math.max(...rows.map(([, asked]) => asked)),
    rows.reduce((sum, [, , cases]) => sum + cases, 0),
    rows.reduce((sum, [, , , wrong]) => sum + wrong, 0),
  ] as const

async function pagesOf({ url }: Appliance, key: string): Promise<number> {
  const answer = await fetch(`${url}/search`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query: "how do I schedule a crawl" }),
  })
  return ((await answer.json()) as { results?: readonly unknown[] }).results?.length ?? 0
}

async function madeBy({ url }: Appliance, operator: string, body: object): Promise<Made> {
  const answer = await fetch(`${url}/admin/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${operator}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201) throw new Error(`No key was made: ${await answer.text()}`)
  return (await answer.json()) as Made
}

/** Requests that the log says failed by a fault of the appliance, and processes that ended. */
const failuresIn = (log: string): readonly string[] =>
  log
    .split("\n")
    .filter((line) => / (?:GET|POST|PUT|DELETE|HEAD|OPTIONS) \S+ 500 |ended unexpectedly/.test(line))
