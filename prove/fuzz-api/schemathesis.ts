import { execFile, spawn } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { features } from "../../api/features.ts"
import { describedBy } from "../../api/server/openapi/document.ts"

const { operations: documented } = await describedBy(features)

const run = promisify(execFile)

/** The version used for the published figures. */
const WANTED = "schemathesis==4.32.5"
/** The environment variable with the path of an existing installation, for a machine without a package index. */
export const PROGRAM = "SCHEMATHESIS"

/**
 * The allowed statuses. Code checks what schemas cannot express: whether a date exists, whether two fields contradict
 * each other, whether a thing exists or is in the right state, whether a key has the rights and credits for it. Such
 * responses are right for input that the schema allows. A 500 never is; a 503 is right where the document lists one,
 * such as readiness on a busy machine.
 */
const CONFIG = `
hooks = "asked.py"
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "503"]
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "422", "429", "431", "432", "433", "503"]
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "429", "431", "432", "433", "503"]
`

/** Schemathesis's reports count operations but don't name them, so each operation that was answered is recorded here. */
const HOOKS = `
import os
import schemathesis

seen = set()

@schemathesis.hook
def after_call(context, case, response):
    label = case.operation.label
    if label not in seen:
        seen.add(label)
        with open(os.environ["ASKED"], "a") as file:
            file.write(label + "\\n")
`

/** Schemathesis (https://schemathesis.io), installed into a temporary folder. */
export interface Schemathesis extends AsyncDisposable {
  /** Tests a running appliance against a document. */
  try(given: Tries): Promise<Tried>
}

export interface Tries {
  readonly url: string
  /** An OpenAPI document that only describes the statuses and refusals of responses. Default: the appliance's own. */
  readonly document?: object
  /** The key sent with every request; null to send none. */
  readonly key: string | null
  readonly seed: number
  /** The maximum duration. */
  readonly seconds: number
  /** Ids of the only operations to test. Default: all. */
  readonly operations?: readonly string[]
}

export interface Tried {
  /** Operations that answered, each as `GET /path`. */
  readonly asked: readonly string[]
  /** Number of generated requests that were sent. */
  readonly cases: number
  /** Each way in which a response didn't match the document, with a call that shows it. */
  readonly faults: readonly string[]
  /** Number of times that the program couldn't generate values: see {@link OF_ITS_OWN}. */
  readonly failed: number
}

/** The parts of the JSON report that this proof reads. */
interface Report {
  readonly test_cases: { readonly generated: number }
  readonly failures: readonly { readonly title: string; readonly operations: readonly string[] }[]
  readonly errors: readonly { readonly title: string; readonly count: number }[]
}

/** @returns the reason why it isn't available, if Python or its packages are missing */
export async function openSchemathesis(): Promise<Schemathesis | string> {
  const dir = await mkdtemp(join(tmpdir(), "fossick-schemathesis-"))
  const clear = () => rm(dir, { recursive: true, force: true })
  const program = process.env[PROGRAM] ?? (await installed(dir))
  if (program === null) {
    await clear()
    return `Schemathesis is not installed. Installing it needs Python 3 with venv and a package index; or set ${PROGRAM} to its path.`
  }
  await writeFile(join(dir, "schemathesis.toml"), CONFIG)
  await writeFile(join(dir, "asked.py"), HOOKS)
  return { try: (given) => tryWith(program, dir, given), [Symbol.asyncDispose]: clear }
}

/** The program in a virtual environment below `dir`; null when it cannot be installed. */
async function installed(dir: string): Promise<string | null> {
  const bin = join(dir, "venv/bin")
  try {
    await run("python3", ["-m", "venv", join(dir, "venv")])
    // On a machine without a package index, the first attempt fails, so retrying is pointless.
    await run(join(bin, "pip"), ["install", "--quiet", "--retries", "1", "--timeout", "20", WANTED])
    return join(bin, "schemathesis")
  } catch {
    return null
  }
}

/**
 * A failure of the program itself: Python 3.11 can't describe some of the rules for generating values. That phase of
 * the operation is skipped; an operation that no phase called is missing from the list of operations called.
 */
const OF_ITS_OWN = "Runtime Error"
/** Maximum number of seconds for a call. No call with generated values takes this long, however busy the machine is. */
const HANG_SECONDS = "60"
/** Number of characters of Schemathesis's output shown if it couldn't continue. */
const SHOWN_CHARS = 3000

async function tryWith(program: string, dir: string, given: Tries): Promise<Tried> {
  const report = await mkdtemp(join(dir, "report-"))
  const [ASKED, own] = [join(report, "asked.txt"), join(report, "document.json")]
  await writeFile(ASKED, "")
  if (given.document) await writeFile(own, JSON.stringify(given.document))
  const results = join(report, "results")
  const args = [
    ["--config-file", join(dir, "schemathesis.toml"), "run"],
    [given.document ? own : `${given.url}/openapi.json`, "--url", given.url],
    given.key === null ? [] : ["--header", `Authorization: Bearer ${given.key}`],
    (given.operations ?? []).flatMap((id) => ["--include-operation-id", id]),
    ["--checks", given.document ? "status_code_conformance,response_schema_conformance" : "all"],
    // The response to one call leads to other calls, which may not be among those that were chosen.
    given.document && given.operations ? ["--phases", "examples,coverage,fuzzing"] : [],
    ["--mode", "all", "--workers", "2", "--seed", String(given.seed)],
    ["--max-time", String(given.seconds), "--request-timeout", "170", "--max-response-time", HANG_SECONDS],
    ["--suppress-health-check", "all", "--continue-on-failure", "--no-color"],
    ["--report", "json", "--report-dir", results],
  ].flat()
  const { output, code } = await outputOf(program, args, dir, { ASKED })
  const file = (await readdir(results).catch(() => [])).find((name) => name.endsWith(".json"))
  if (file === undefined)
    throw new Error(`Schemathesis left no report, and exited with code ${code}:\n${output}`)
  const { test_cases, failures, errors } = JSON.parse(await readFile(join(results, file), "utf8")) as Report
  const told = shown(output)
  return {
    asked: (await readFile(ASKED, "utf8")).split("\n").filter((line) => line !== ""),
    cases: test_cases.generated,
    faults: [
      ...failures
        .filter((one) => one.title !== ALLOW || !one.operations.every(isNameToo))
        .map((one) => `${one.title}: ${one.operations.join(", ")}${callsOf(told, one.operations)}`),
      ...errors
        .filter(({ title }) => title !== OF_ITS_OWN)
        .map((error) => `${JSON.stringify(error)}\n${output.slice(-SHOWN_CHARS)}`),
    ],
    failed: errors.filter(({ title }) => title === OF_ITS_OWN).reduce((sum, { count }) => sum + count, 0),
  }
}

async function outputOf(
  program: string,
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>>,
) {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...more },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  endWithUs(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once("error", reject).once("close", resolve),
  )
  return { output, code }
}

/** The program's messages about its failures, by operation. */
function shown(output: string): ReadonlyMap<string, string> {
  const parts = output.split(/^_{3,} (.+?) _{3,}$/m).slice(1)
  return new Map(
    parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1]!.split(/^={3,}/m)[0]!.trim()]] : [])),
  )
}

const callsOf = (told: ReadonlyMap<string, string>, operations: readonly string[]): string =>
  operations.map((name) => `\n${told.get(name) ?? ""}`).join("")

/**
 * `/admin/sources/preview` can also be a source with that name, which may be read and deleted: GET and DELETE therefore
 * exist at this address, and the document lists them under `/admin/sources/{name}`.
 */
const ALLOW = "Allow header mismatch"
function isNameToo(operation: string): boolean {
  const path = operation.slice(operation.indexOf(" ") + 1)
  const named = documented.filter((one) => one.path.includes("{") && one.path !== path)
  return named.some((one) => new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
}
