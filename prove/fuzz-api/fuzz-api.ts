import { randomBytes } from "node:crypto"
import { freePort } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { type Appliance, startAppliance } from "../../api/testing/appliance.ts"
import { features } from "../../api/features.ts"
import { describedBy } from "../../api/server/openapi/document.ts"
import { chance } from "#base/testing/chance.ts"
import { type Effort, type Outcome, type Proof, tries } from "../proof.ts"
import { foreignDoors, operationsOf, paidDoor } from "./foreign-doors.ts"
import { isWorkedOn, paymentsFor, startFacilitator } from "./payments.ts"
import { openSchemathesis, type Tries } from "./schemathesis.ts"

const { operations } = await describedBy(features)

/** Seconds for each kind of caller; random calls continue until this time has passed. */
const SECONDS = { own: 420, foreign: 120, paid: 60 }
/** Minimum number of seconds: a Python program is started for each kind of caller, so a lower number would hardly be faster. */
const LEAST_SECONDS = 3
/** Number of operations in a short run; each kind of caller gets different ones. */
const FEWEST = 4

/** An address without a server: on any machine, every fetch of an external address fails there at once. */
const NO_PROXY = "http://127.0.0.1:9"
/** The redirect address of a program that was granted access. */
const CALLBACK = "http://127.0.0.1:9/callback"

interface Caller {
  readonly name: string
  /** The key of a request; null to send none. */
  readonly key: string | null
}

interface Made {
  readonly id: string
  readonly key: string
}

/** Calls that are tried together. */
interface Round {
  readonly calls: string
  /** The operations that must have been called. */
  readonly operations: readonly { readonly id: string; readonly name: string }[]
  readonly caller: Caller
  readonly tries: Omit<Tries, "key" | "seed" | "operations">
}

export const proof: Proof = {
  title: "API fuzzing",
  promise:
    "No request makes the appliance fail, and every response matches `/openapi.json` in status, media type and shape. " +
    "[Schemathesis](https://schemathesis.io) reads that document from a running appliance, generates valid and invalid values, wrong media types, " +
    "methods and keys, and checks the answers, as five callers. The paid search and the APIs for other programs' clients (Firecrawl, SearXNG, " +
    "OpenAI, Open WebUI, MCP, OAuth) are tested the same way: their answers must have the statuses and errors that those clients read. An " +
    "operation that never answers also counts as a fault.",
  run,
}

const COLUMNS = ["API", "caller", "operations", "called", "requests", "wrong answers"]

async function run(effort: Effort): Promise<Outcome> {
  const opened = await openSchemathesis()
  if (typeof opened === "string")
    return { columns: COLUMNS, rows: [[`not run: ${opened}`, "", 0, 0, 0, 0]], faults: [] }
  await using schemathesis = opened
  await using facilitator = await startFacilitator()
  // Creating the vectors of the handbook would take up most of a short run.
  await using vectors = isShort(effort) ? await startCheapVectors() : null
  const operator = randomBytes(24).toString("base64url")
  const paidPort = await freePort()
  await using appliance = await startAppliance({
    ...vectors?.settings,
    ...(await settingsFor(operator, paidPort, facilitator.url)),
  })
  await until(async () => (await pagesOf(appliance, operator)).length > 0)
  const paid = `http://127.0.0.1:${paidPort}`
  const payments = await paymentsFor(paid)
  const rounds = await roundsOf(appliance, operator, { url: paid, document: paidDoor(payments) }, effort)
  const rows: RoundRow[] = []
  const faults: string[] = []
  if (!(await isWorkedOn(paid, payments.v2))) faults.push("a payment is not processed")
  for (const round of rounds) {
    const { row, wrong } = await play(round, schemathesis, effort)
    rows.push(row)
    faults.push(...wrong.map((fault) => `${round.calls} as ${round.caller.name}: ${fault}`))
  }
  // The appliance still works after all these calls.
  if ((await pagesOf(appliance, operator)).length === 0) faults.push("no page is found any more")
  if (!(await isWorkedOn(paid, payments.v2))) faults.push("a payment is no longer processed")
  faults.push(...failuresIn(appliance.output()))
  const sum = (at: 4 | 5) => rows.reduce((before, row) => before + row[at], 0)
  return { columns: COLUMNS, rows: [...rows, ["total", "", "", "", sum(4), sum(5)]], faults }
}

const isShort = ({ scale }: Effort): boolean => scale < 0.1
/** Whether there is time for all operations. */
const isWhole = ({ scale }: Effort): boolean => scale >= 0.5

async function settingsFor(operator: string, paidPort: number, facilitator: string) {
  const port = await freePort()
  return {
    FOSSICK_API_KEY: operator,
    FOSSICK_PROXY: NO_PROXY,
    FOSSICK_PORT: String(port),
    // OAuth is only served with a known public address.
    FOSSICK_PUBLIC_URL: `http://localhost:${port}`,
    // Each OAuth caller claims a different address.
    FOSSICK_TRUSTED_PROXIES: "127.0.0.0/8, ::1",
    FOSSICK_X402_PORT: String(paidPort),
    FOSSICK_X402_SOURCES: "*",
    X402_PAY_TO: "0x1111111111111111111111111111111111111111",
    X402_NETWORK: "eip155:84532",
    X402_FACILITATOR_URL: facilitator,
    X402_PUBLIC_URL: "https://paid.example.com",
  }
}

/** Callers with a key come first. */
async function callersOf(appliance: Appliance, operator: string) {
  const made = async (body: object) => (await madeBy(appliance, operator, body)).key
  return {
    asOperator: { name: "the operator key", key: operator },
    asReader: { name: "a search key", key: await made({}) },
    asMaker: {
      name: "a key for one domain that can create keys",
      key: await made({ domains: ["localhost"], may_make_keys: true }),
    },
    withoutCredits: { name: "a key without credits", key: await made({ credits: 0 }) },
    asNobody: { name: "no key", key: null },
  } satisfies Readonly<Record<string, Caller>>
}

async function roundsOf(
  appliance: Appliance,
  operator: string,
  bought: Required<Pick<Tries, "url" | "document">>,
  effort: Effort,
): Promise<readonly Round[]> {
  const { url } = appliance
  const client = await registered(url)
  const foreign = foreignDoors({ page: (await pagesOf(appliance, operator))[0]!, client, callback: CALLBACK })
  const callers = await callersOf(appliance, operator)
  const { asOperator, asReader, asNobody } = callers
  const random = chance(effort.seed)
  const some = <T>(all: readonly T[]): readonly T[] => (isShort(effort) ? random.some(all, FEWEST) : all)
  const one = <T>(all: readonly T[]): readonly T[] => (isShort(effort) ? [random.one(all)] : all)
  const withKeys = Object.values(callers).filter(({ key }) => key !== null)
  const all = operations
    .map(({ id, method, path }) => ({ id, name: `${method.toUpperCase()} ${path}` }))
    // Only the OpenAPI document is requested from this appliance.
    .filter(({ name }) => name !== "GET /openapi.json")
  return [
    {
      calls: "paid search",
      operations: operationsOf(bought.document),
      caller: { name: "paying clients", key: null },
      tries: { ...bought, seconds: tries(effort, SECONDS.paid, LEAST_SECONDS) },
    },
    ...one([asOperator, asReader, asNobody]).map((caller) => ({
      calls: "other programs' APIs",
      operations: some(operationsOf(foreign)),
      caller,
      tries: { url, document: foreign, seconds: tries(effort, SECONDS.foreign, LEAST_SECONDS) },
    })),
    // Each caller starts the program, so a short run only has one caller with a key and one without.
    ...[...one(withKeys), asNobody].map((caller) => ({
      calls: "`/openapi.json`",
      operations: some(all),
      caller,
      tries: { url, seconds: tries(effort, SECONDS.own, LEAST_SECONDS) },
    })),
  ]
}

type RoundRow = readonly [string, string, number, number, number, number]

async function play(
  { calls, caller, operations: wanted, tries: given }: Round,
  schemathesis: Pick<Exclude<Awaited<ReturnType<typeof openSchemathesis>>, string>, "try">,
  effort: Effort,
): Promise<{ readonly row: RoundRow; readonly wrong: readonly string[] }> {
  const ask = async (some: Partial<Tries>) =>
    await schemathesis.try({ ...given, ...some, key: caller.key, seed: effort.seed })
  const tried = [await ask(isShort(effort) ? { operations: wanted.map(({ id }) => id) } : {})]
  const left = () => wanted.filter(({ name }) => !tried.some(({ asked }) => asked.includes(name)))
  // The total time ran out before these operations had their turn.
  if (isWhole(effort) && left().length > 0)
    tried.push(await ask({ operations: left().map(({ id }) => id), seconds: Math.ceil(given.seconds / 4) }))
  const cases = tried.reduce((sum, one) => sum + one.cases, 0)
  const asked = wanted.length - left().length
  const failed = tried.reduce((sum, one) => sum + one.failed, 0)
  const wrong = [
    ...tried.flatMap((one) => one.faults),
    ...(isWhole(effort) ? left().map(({ name }) => `never called: ${name}`) : []),
  ]
  effort.tell(
    `${calls}, ${caller.name}: ${cases} requests to ${asked} of ${wanted.length} operations, ` +
      `${wrong.length} faults; for ${failed} requests no values could be made up`,
  )
  for (const fault of wrong) effort.tell(fault)
  return { row: [calls, caller.name, wanted.length, asked, cases, wrong.length], wrong }
}

/** Addresses of the pages found for a question. */
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

/** Id of a program that may ask people for access. */
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
 * Requests that failed through a fault of the appliance according to the log, and processes that died. A scrape also
 * reports a site's fault with status 500; those responses have a code, which is checked.
 */
const failuresIn = (log: string): readonly string[] =>
  log
    .split("\n")
    .filter((line) =>
      / (?:GET|POST|PUT|DELETE|HEAD|OPTIONS) (?!\/v[12]\/scrape )\S+ 500 |ended unexpectedly/.test(line),
    )
