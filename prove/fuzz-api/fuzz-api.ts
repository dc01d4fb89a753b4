import { randomBytes } from "node:crypto"
import { freePort } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { type Appliance, startAppliance } from "../../api/testing/appliance.ts"
import { features } from "../../api/features.ts"
import { describedBy } from "../../api/openapi/document.ts"
import { chance } from "#base/testing/chance.ts"
import { type Effort, type Outcome, type Proof, tries } from "../proof.ts"
import { foreignDoors, operationsOf, paidDoor } from "./foreign-doors.ts"
import { isWorkedOn, paymentsFor, startFacilitator } from "./payments.ts"
import { openSchemathesis, type Tries } from "./schemathesis.ts"

const { operations } = await describedBy(features)

/** Seconds for which each kind of caller asks, at most: what is tried at random goes on until they are over. */
const SECONDS = { own: 420, foreign: 120, paid: 60 }
/** A program of Python is started for each, so that less would hardly be cheaper. */
const LEAST_SECONDS = 3
/** Operations that a small share of the tries asks, each kind of caller others. */
const FEWEST = 4

/** Where no server is: every fetch of a foreign address ends there at once, on any machine. */
const NO_PROXY = "http://127.0.0.1:9"
/** Where a program that was let in is sent back to. */
const CALLBACK = "http://127.0.0.1:9/callback"

interface Caller {
  readonly name: string
  /** The key of a request; null for none. */
  readonly key: string | null
}

interface Made {
  readonly id: string
  readonly key: string
}

/** Calls that are tried together. */
interface Round {
  readonly calls: string
  /** Those that must have been asked. */
  readonly operations: readonly { readonly id: string; readonly name: string }[]
  readonly caller: Caller
  readonly tries: Omit<Tries, "key" | "seed" | "operations">
}

export const proof: Proof = {
  title: "Every call, with made-up values",
  promise:
    "No call makes the appliance fail, whoever makes it and whatever it says, and every answer is what `/openapi.json` says of it: its status, its " +
    "media type, its shape. [Schemathesis](https://schemathesis.io) reads the document of a running appliance, makes up values that it allows and values that it " +
    "does not, wrong media types, methods and keys among them, and holds the answers against it, as five callers. The same of what clients of other programs " +
    "call (Firecrawl, SearXNG, OpenAI, Open WebUI, MCP, OAuth) and of the paid search: their answers are held to statuses and to the refusals that those clients read. " +
    "An operation that never answered counts as a fault, too.",
  run,
}

async function run(effort: Effort): Promise<Outcome> {
  const columns = [
    "calls",
    "caller",
    "operations",
    "of them asked",
    "requests",
    "answers that are not as described",
  ]
  const opened = await openSchemathesis()
  if (typeof opened === "string")
    return { columns, rows: [[`not tried: ${opened}`, "", 0, 0, 0, 0]], faults: [] }
  await using schemathesis = opened
  await using facilitator = await startFacilitator()
  const isShort = effort.scale < 0.1
  // The vectors of the handbook would take most of a short run.
  await using vectors = isShort ? await startCheapVectors() : null
  const operator = randomBytes(24).toString("base64url")
  const [port, paidPort] = [await freePort(), await freePort()]
  await using appliance = await startAppliance({
    FOSSICK_API_KEY: operator,
    FOSSICK_PROXY: NO_PROXY,
    ...vectors?.settings,
    FOSSICK_PORT: String(port),
    // OAuth is served where it is known.
    FOSSICK_PUBLIC_URL: `http://localhost:${port}`,
    // Callers of OAuth say that they come from elsewhere each.
    FOSSICK_TRUSTED_PROXIES: "127.0.0.0/8, ::1",
    FOSSICK_X402_PORT: String(paidPort),
    FOSSICK_X402_SOURCES: "*",
    X402_PAY_TO: "0x1111111111111111111111111111111111111111",
    X402_NETWORK: "eip155:84532",
    X402_FACILITATOR_URL: facilitator.url,
    X402_PUBLIC_URL: "https://paid.example.com",
  })
  const { url } = appliance
  await until(async () => (await pagesOf(appliance, operator)).length > 0)
  const known = {
    page: (await pagesOf(appliance, operator))[0]!,
    client: await registered(url),
    callback: CALLBACK,
  }
  const paid = `http://127.0.0.1:${paidPort}`
  const payments = await paymentsFor(paid)
  const made = async (body: object) => (await madeBy(appliance, operator, body)).key
  const asOperator = { name: "the operator", key: operator }
  const asReader = { name: "a key for searches", key: await made({}) }
  const asNobody = { name: "nobody", key: null }
  const callers: readonly Caller[] = [
    asOperator,
    asReader,
    {
      name: "a key of one domain that may make keys",
      key: await made({ domains: ["localhost"], may_make_keys: true }),
    },
    { name: "a key without credits", key: await made({ credits: 0 }) },
    asNobody,
  ]
  const random = chance(effort.seed)
  /** Whether there is time for all of them. */
  const isWhole = effort.scale >= 0.5
  const some = <T>(all: readonly T[]): readonly T[] => (isShort ? random.some(all, FEWEST) : all)
  const others = [asOperator, asReader, asNobody]
  const all = operations
    .map(({ id, method, path }) => ({ id, name: `${method.toUpperCase()} ${path}` }))
    // It is asked for the document, and for nothing else.
    .filter(({ name }) => name !== "GET /openapi.json")
  const foreign = foreignDoors(known)
  const bought = paidDoor(payments)
  const rounds: readonly Round[] = [
    {
      calls: "paid search",
      operations: operationsOf(bought),
      caller: { name: "payers", key: null },
      tries: { url: paid, document: bought, seconds: tries(effort, SECONDS.paid, LEAST_SECONDS) },
    },
    ...(isShort ? [random.one(others)] : others).map((caller) => ({
      calls: "of other programs",
      operations: some(operationsOf(foreign)),
      caller,
      tries: { url, document: foreign, seconds: tries(effort, SECONDS.foreign, LEAST_SECONDS) },
    })),
    // Each is a start of the program: of a short run that of one who has a key, and of one who has none.
    ...(isShort ? [random.one(callers.slice(0, -1)), asNobody] : callers).map((caller) => ({
      calls: "`/openapi.json`",
      operations: some(all),
      caller,
      tries: { url, seconds: tries(effort, SECONDS.own, LEAST_SECONDS) },
    })),
  ]
  const rows: (readonly [string, string, number, number, number, number])[] = []
  const faults: string[] = []
  if (!(await isWorkedOn(paid, payments.v2))) faults.push("a payment is not worked on")
  for (const { calls, caller, operations: wanted, tries: given } of rounds) {
    const ask = async (some: Partial<Tries>) =>
      await schemathesis.try({ ...given, ...some, key: caller.key, seed: effort.seed })
    const tried = [await ask(isShort ? { operations: wanted.map(({ id }) => id) } : {})]
    const left = () => wanted.filter(({ name }) => !tried.some(({ asked }) => asked.includes(name)))
    // The time of all was over before their turn.
    if (isWhole && left().length > 0)
      tried.push(await ask({ operations: left().map(({ id }) => id), seconds: Math.ceil(given.seconds / 4) }))
    const cases = tried.reduce((sum, one) => sum + one.cases, 0)
    const asked = wanted.length - left().length
    const failed = tried.reduce((sum, one) => sum + one.failed, 0)
    const wrong = [
      ...tried.flatMap((one) => one.faults),
      ...(isWhole ? left().map(({ name }) => `never asked: ${name}`) : []),
    ]
    effort.tell(
      `${calls}, ${caller.name}: ${cases} requests to ${asked} of ${wanted.length} operations, ` +
        `${wrong.length} faults; ${failed} times no values could be made up`,
    )
    for (const fault of wrong) effort.tell(fault)
    rows.push([calls, caller.name, wanted.length, asked, cases, wrong.length])
    faults.push(...wrong.map((fault) => `${calls} as ${caller.name}: ${fault}`))
  }
  // Whatever was asked of it, it goes on.
  if ((await pagesOf(appliance, operator)).length === 0) faults.push("the pages are no longer found")
  if (!(await isWorkedOn(paid, payments.v2))) faults.push("a payment is no longer worked on")
  faults.push(...failuresIn(appliance.output()))
  const sum = (at: 4 | 5) => rows.reduce((before, row) => before + row[at], 0)
  return { columns, rows: [...rows, ["together", "", "", "", sum(4), sum(5)]], faults }
}

/** Addresses that answer a question. */
async function pagesOf({ url }: Appliance, key: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}/search`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query: "how do I schedule a crawl" }),
  })
  const { results = [] } = (await answer.json()) as { results?: readonly { readonly url: string }[] }
  return results.map((one) => one.url)
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

/** Id of a program that may ask people to let it in. */
async function registered(url: string): Promise<string> {
  const answer = await fetch(`${url}/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" }),
  })
  if (answer.status !== 201) throw new Error(`No program was registered: ${await answer.text()}`)
  return ((await answer.json()) as { client_id: string }).client_id
}

/**
 * Requests that the log says failed by a fault of the appliance, and processes that ended. With a status of 500 a scrape also says what is
 * wrong with the site; those answers have a code, to which they are held.
 */
const failuresIn = (log: string): readonly string[] =>
  log
    .split("\n")
    .filter((line) =>
      / (?:GET|POST|PUT|DELETE|HEAD|OPTIONS) (?!\/v[12]\/scrape )\S+ 500 |ended unexpectedly/.test(line),
    )
