import { once } from "node:events"
import { mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { type IncomingMessage, request } from "node:http"
import { basename, join } from "node:path"
import { text } from "node:stream/consumers"
import { stringify } from "yaml"
import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { Jobs } from "#crawler"
import { parseSources, SourcesFileError } from "#crawler/sources/file/sources-file.ts"
import { temporaryFolder, testConfig } from "#crawler/testing/crawl-fixture.ts"
import { engineSettings } from "#engine/settings.ts"
import { openCollections } from "../../api/identity/accounts/reach/collections.ts"
import { openAdmin } from "../../api/operator/admin/open-admin.ts"
import { FakeEngine } from "../../api/testing/fake-engine.ts"
import { type ServedApp, serveApp, TEST_KEY } from "../../api/testing/serve-app.ts"
import { type Attack, CASES, fewer, type Kind, unless } from "./attack.ts"

const NAMES_OF_PATHS = CASES.namesOfPaths.map((name) => name.replace("LONG", "x".repeat(5000)))

interface Call {
  readonly method: "POST" | "PUT"
  /** The path below `/admin`. */
  readonly path: string
  readonly body: object
}

/** A call that names something, or refers to it by name. */
interface Naming {
  readonly call: (name: string) => Call
  /** The field for which the answer must report that the name is invalid. */
  readonly field: string
  /** A valid name, used to show that the rest of the call is right. */
  readonly good: string
}

const inPath = (name: string): string => encodeURIComponent(name)
const SEEDS = { seeds: ["https://docs.example.com/"] }
const SYNONYM = { kind: "synonym", words: ["pump", "compressor"] }
const PUBLIC_KEY = { origins: ["https://docs.example.com"] }

/** Names under which something is stored and found again. */
const NAMINGS: Readonly<Record<string, Naming>> = {
  "a source": {
    call: (name) => ({ method: "PUT", path: `/sources/${inPath(name)}`, body: SEEDS }),
    field: "name",
    good: "docs",
  },
  "a draft of a source": {
    call: (name) => ({ method: "POST", path: "/sources/preview", body: { source: { name, ...SEEDS } } }),
    field: "name",
    good: "docs",
  },
  "a source that is run": {
    call: (name) => ({ method: "POST", path: "/sources/run", body: { names: [name] } }),
    field: "names",
    good: "docs",
  },
  "a rule": {
    call: (id) => ({ method: "POST", path: "/rules", body: { id, ...SYNONYM } }),
    field: "id",
    good: "pumps",
  },
  "a rule in the address": {
    call: (id) => ({ method: "PUT", path: `/rules/${inPath(id)}`, body: SYNONYM }),
    field: "id",
    good: "pumps",
  },
  "the source of a key": {
    call: (name) => ({ method: "POST", path: "/keys", body: { sources: [name] } }),
    field: "sources",
    good: "docs",
  },
  "the collection of a key": {
    call: (name) => ({ method: "POST", path: "/keys", body: { collections: [name] } }),
    field: "collections",
    good: "staff",
  },
  "the source of a public key": {
    call: (source) => ({ method: "POST", path: "/public-keys", body: { source, ...PUBLIC_KEY } }),
    field: "source",
    good: "docs",
  },
  "the collection of a public key": {
    call: (collection) => ({ method: "POST", path: "/public-keys", body: { collection, ...PUBLIC_KEY } }),
    field: "collection",
    good: "staff",
  },
  "a model": {
    call: (model) => ({ method: "POST", path: "/model", body: { model } }),
    field: "model",
    good: "english",
  },
}

/** Names that are only displayed: an accepted name is returned as it was given, apart from blanks. */
const LABELS: Readonly<Record<string, (name: string) => Call>> = {
  "a key": (name) => ({ method: "POST", path: "/keys", body: { name } }),
  "a public key": (name) => ({
    method: "POST",
    path: "/public-keys",
    body: { name, source: "docs", ...PUBLIC_KEY },
  }),
  "the appliance": (name) => ({ method: "PUT", path: "/appliance", body: { name } }),
}

/** An appliance whose data folder is in a folder of its own, next to a sources file. */
interface Named extends AsyncDisposable {
  readonly folder: string
  readonly ask: (call: Call) => Promise<{ readonly status: number; readonly body: Answered }>
  /** Files and folders that should not exist. */
  readonly strange: () => string[]
}
interface Answered {
  readonly name?: string | null
  readonly problems?: readonly { readonly field: string }[]
  readonly detail?: { readonly problems?: readonly { readonly field: string }[] }
}

let opened: Promise<Named> | null = null
const named = (): Promise<Named> => (opened ??= openNamed())

/** Closes everything that the name attacks ran against. */
export async function closeNamed(): Promise<void> {
  await (await opened)?.[Symbol.asyncDispose]()
  opened = null
}

async function openNamed(): Promise<Named> {
  await using made = new AsyncDisposableStack()
  const folder = made.use(temporaryFolder()).path
  const dataDir = join(folder, "data")
  mkdirSync(dataDir)
  symlinkSync(dataDir, join(folder, "link"))
  const db = await openStateStore(dataDir)
  made.defer(() => db.close())
  const engine = new FakeEngine()
  const parts = {
    db,
    engine,
    jobs: new Jobs(db),
    crawlerConfig: testConfig(),
    engineConfig: readSettings(engineSettings, { FOSSICK_DATA_DIR: dataDir }),
  }
  const app = made.use(await serveApp({ engine, admin: () => openAdmin(parts) }))
  const ask = (call: Call) => asked(app, call)
  await openCollections(db).set("staff", ["docs"])
  for (const [what, { call, good }] of Object.entries(NAMINGS)) {
    const { status, body } = await ask(call(good))
    // Otherwise the call might be refused for a reason other than the name.
    if (status >= 300 || problemsOf(body).length > 0)
      throw new Error(`${what} cannot be called ${good}: ${status} ${JSON.stringify(body)}`)
  }
  const files = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => !/state\.db-\w+$/.test(file))
  const before = files()
  const kept = made.move()
  return {
    folder,
    ask,
    strange: () => files().filter((file) => !before.includes(file)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** The path is sent as written; `fetch` would resolve `..` in it. */
async function asked(app: ServedApp, { method, path, body }: Call): ReturnType<Named["ask"]> {
  const { hostname, port } = new URL(app.url)
  const headers = { Authorization: `Bearer ${TEST_KEY}`, "Content-Type": "application/json" }
  const asking = request({ hostname, port, method, path: `/admin${path}`, headers, agent: false })
  asking.end(JSON.stringify(body))
  const [answer] = (await once(asking, "response")) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, body: JSON.parse(await text(answer)) as Answered }
}

const problemsOf = ({ problems, detail }: Answered) => detail?.problems ?? problems ?? []

const shown = (name: string): string => JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)

const overApi: readonly Attack[] = Object.entries(NAMINGS).flatMap(([what, { call, field }]) =>
  NAMES_OF_PATHS.map((name) => ({
    name: `${what} called ${shown(name)}`,
    play: async () => {
      const { ask, strange } = await named()
      const { status, body } = await ask(call(name))
      const isNamed = problemsOf(body).some((one) => one.field.split(/[.[]/)[0] === field)
      return (
        unless(status < 500 && isNamed, () => `${status} ${JSON.stringify(body).slice(0, 200)}`) ??
        nothingBeside(strange)
      )
    },
  })),
)

/** Settings that a source uses to read pages that its sites exclude, or to make more requests to them than the settings allow. */
const OVERRULING: readonly { readonly fields: object; readonly field: string }[] = [
  { fields: { ignoreNoindex: true }, field: "ignoreNoindex" },
  { fields: { politeness: { robots: false } }, field: "politeness.robots" },
  { fields: { politeness: { delayMs: 0 } }, field: "politeness.delayMs" },
  { fields: { politeness: { delayMs: 999 } }, field: "politeness.delayMs" },
  { fields: { politeness: { concurrency: 64 } }, field: "politeness.concurrency" },
  {
    fields: {
      seeds: "http://localhost/",
      sitemaps: ["https://docs.example.com/map.xml"],
      politeness: { delayMs: 0 },
    },
    field: "politeness.delayMs",
  },
]
const SOURCE_CALLS: Readonly<Record<string, (fields: object) => Call>> = {
  PUT: (fields) => ({ method: "PUT", path: "/sources/rude", body: { ...SEEDS, ...fields } }),
  "a preview": (fields) => ({
    method: "POST",
    path: "/sources/preview",
    body: { source: { name: "rude", ...SEEDS, ...fields } },
  }),
  "a trial": (fields) => ({
    method: "POST",
    path: "/sources/trial",
    body: { source: { name: "rude", ...SEEDS, ...fields } },
  }),
}

const overruling: readonly Attack[] = [
  ...Object.entries(SOURCE_CALLS).flatMap(([by, call]) =>
    OVERRULING.map(({ fields, field }) => ({
      name: `by ${by}: ${JSON.stringify(fields)}`,
      play: () => refusedFor(field, call(fields)),
    })),
  ),
  {
    name: "with robots.txt ignored",
    play: () =>
      refusedFor("ignore_robots", {
        method: "POST",
        path: "/sources/propose",
        body: { url: SEEDS.seeds[0], ignore_robots: true },
      }),
  },
]

async function refusedFor(field: string, call: Call): Promise<string | null> {
  const { ask } = await named()
  const { status, body } = await ask(call)
  const isNamed = problemsOf(body).some((one) => one.field === field)
  return unless(status < 500 && isNamed, () => `${status} ${JSON.stringify(body).slice(0, 200)}`)
}

const nothingBeside = (strange: Named["strange"]): string | null =>
  unless(strange().length === 0, () => `files were made: ${strange().join(", ")}`)

const labels: readonly Attack[] = Object.entries(LABELS).flatMap(([what, call]) =>
  NAMES_OF_PATHS.map((name) => ({
    name: `${what} called ${shown(name)}`,
    play: async () => {
      const { ask, strange } = await named()
      const { status, body } = await ask(call(name))
      const isKept = status < 300 && [name, withoutBlanks(name)].includes(body.name ?? "")
      const isRefused = status === 422 && problemsOf(body).some((one) => one.field === "name")
      return (
        unless(isKept || isRefused, () => `${status} ${JSON.stringify(body).slice(0, 200)}`) ??
        nothingBeside(strange)
      )
    },
  })),
)

const withoutBlanks = (name: string): string => name.replaceAll(/\s+/g, " ").trim()

/** Problems with a sources file; empty if there are none. */
function problemsIn(declared: object, folder: string): readonly string[] {
  try {
    parseSources(stringify(declared), join(folder, "sources.yaml"), { dataDir: join(folder, "data") })
    return []
  } catch (error) {
    if (!(error instanceof SourcesFileError)) throw error
    return error.problems.map(({ text: problem }) => problem)
  }
}

const SOURCE = { name: "docs", ...SEEDS }
const sourceCalled = (name: string) => ({ sources: [{ ...SOURCE, name }] })
const backupCalled = (name: string) => ({ sources: [SOURCE], backup: { folder: "backups", name } })
const backupIn = (folder: string) => ({ sources: [SOURCE], backup: { folder } })

/** A sources file that is refused because of one field. */
const written = (
  name: string,
  field: RegExp,
  declared: (folder: string) => object,
  good: (folder: string) => object,
): Attack => ({
  name,
  play: async () => {
    const { folder, strange } = await named()
    const problems = problemsIn(declared(folder), folder)
    return (
      unless(
        problems.some((problem) => field.test(problem)),
        () => `it was accepted: ${problems.join("; ")}`,
      ) ??
      unless(problemsIn(good(folder), folder).length === 0, () => "the file would be refused anyway") ??
      nothingBeside(strange)
    )
  },
})

const inFiles: readonly Attack[] = [
  ...NAMES_OF_PATHS.flatMap((name) => [
    written(
      `a source called ${shown(name)}`,
      /name/,
      () => sourceCalled(name),
      () => sourceCalled("docs"),
    ),
    written(
      `a backup called ${shown(name)}`,
      /backup\.name/,
      () => backupCalled(name),
      () => backupCalled("nightly"),
    ),
  ]),
  ...CASES.backupFolders.map((where) =>
    written(
      `backups in ${shown(where)}`,
      /backup\.folder/,
      (folder) => backupIn(where.replace("FOLDER", folder).replace("ROOT", basename(folder))),
      () => backupIn("backups"),
    ),
  ),
]

export const names = (scale: number): readonly Kind[] => [
  {
    kind: "names that are paths, in the admin API",
    must: "refused with the field's name; nothing is written",
    attacks: fewer(overApi, scale, 5),
  },
  {
    kind: "names that are displayed, in the admin API",
    must: "returned unchanged, or refused with the field's name",
    attacks: fewer(labels, scale, 5),
  },
  {
    kind: "overrides of sites' wishes, in the admin API",
    must: "refused with the field's name",
    attacks: overruling,
  },
  {
    kind: "names that are paths, in the sources file",
    must: "refused with the field's name; nothing is written",
    attacks: inFiles,
  },
]
