import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, posix, relative } from "node:path"

/** The floors of the project, from the bottom up. A floor imports only from itself and from the floors before it. */
export const FLOORS = ["base", "engine", "crawler", "api", "faces", "command"] as const

/** One import between two files of the project; paths are relative to the root. */
export interface Import {
  readonly from: string
  readonly to: string
}

export const ROOT = join(import.meta.dirname, "../..")

/** An `import` or `export` with its specifier, or a call of `import()`. */
const IMPORT = /(?:^|\n)(?:import|export)\b[^"'`;]*?["']([^"'\n]+)["']|\bimport\(\s*["']([^"'\n]+)["']\s*\)/g

/** The source files of the floors, without tests and test-only code; paths relative to the root, sorted. */
export const sourceFiles = (): string[] => filesIn(FLOORS)

/** The source files in the folders beside the floors, which nothing on a floor imports. */
export const besideTheFloors = (): string[] => filesIn(["bench", "prove", "docker", "docs/house"])

/** Tests and test-only code. */
export const testFiles = (): string[] => filesIn([...FLOORS, "bench", "prove", "docker", "docs"], isForTests)

const filesIn = (folders: readonly string[], isWanted = (name: string) => !isForTests(name)): string[] =>
  folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.tsx?$/.test(name) && isWanted(name))
        .map((name) => posix.join(folder, name.replaceAll("\\", "/"))),
    )
    .sort()

const isForTests = (name: string): boolean => /test\.tsx?$|(?:^|[\\/])testing[\\/]/.test(name)

/** All imports among the source files, including type imports. */
export function importsOf(files: readonly string[]): Import[] {
  const known = new Set(files)
  return files.flatMap((from) =>
    [...readFileSync(join(ROOT, from), "utf8").matchAll(IMPORT)]
      .map(([, declared, called]) => resolveImport(from, declared ?? called ?? ""))
      .filter((to) => to !== null && known.has(to))
      .map((to) => ({ from, to: to as string })),
  )
}

const FACES: Readonly<Record<string, string>> = {
  "#engine": "engine/index.ts",
  "#crawler": "crawler/index.ts",
}

function resolveImport(from: string, specifier: string): string | null {
  if (specifier.startsWith(".")) {
    return relative(ROOT, join(ROOT, dirname(from), specifier)).replaceAll("\\", "/")
  }
  if (!specifier.startsWith("#")) return null
  return FACES[specifier] ?? specifier.slice(1)
}

/** Folders at the top of a floor whose subfolders are rooms. */
export const WINGS: ReadonlySet<string> = new Set([
  "base/telemetry",
  "base/text",
  "engine/index",
  "engine/lifecycle",
  "engine/models",
  "engine/search",
  "crawler/crawl",
  "crawler/fetch",
  "crawler/jobs",
  "crawler/reporting",
  "crawler/sources",
  "crawler/upkeep",
  "api/doors",
  "api/faces",
  "api/identity",
  "api/operator",
  "api/server",
  "api/services",
])

/** Folders that belong to the files next to them and aren't rooms. */
const INNER_FOLDERS: ReadonlySet<string> = new Set([
  "crawler/crawl/judge",
  "crawler/crawl/together",
  "crawler/fetch/connect",
  "crawler/fetch/guard",
  "crawler/fetch/robots",
  "crawler/jobs/queue",
  "crawler/sources/file",
  "crawler/sources/written",
  "engine/search/second-reading",
  "engine/search/stages",
])

/** The room that a file belongs to: a folder of a wing, any other folder at the top of a floor, or the file itself if it is at the top. */
export function roomOf(file: string): string {
  const [floor = "", name = "", inner = "", ...rest] = file.split("/")
  const wing = `${floor}/${name}`
  const room = `${wing}/${inner}`
  return WINGS.has(wing) && rest.length > 0 && !INNER_FOLDERS.has(room) ? room : wing
}

/** APIs that callers use. Only the lists below may import them. */
export const DOORS = ["tavily", "firecrawl", "searxng", "openai", "openwebui", "mcp"] as const
/** The list of doors, the files that restore and repair the tables of every part, and MCP over standard input and output. */
const LISTS: readonly string[] = [
  "api/features.ts",
  "api/operator/commands/asking/mcp-session.ts",
  "api/operator/upkeep/state-parts.ts",
  "command/doctor/repairs/state-repairs.ts",
]

/** Imports of a door from outside it, except from the list of doors. */
export const pastDoors = (imports: readonly Import[]): readonly Import[] =>
  imports.filter(({ from, to }) =>
    DOORS.some(
      (door) => isIn(to, `api/doors/${door}`) && !isIn(from, `api/doors/${door}`) && !LISTS.includes(from),
    ),
  )

/** The parts of their floor that use cases may import: what a key may see, and parts independent of HTTP and of any API's wording. */
const BESIDE_CORE = [
  "api/core",
  "api/identity/accounts",
  "api/services/answers",
  "api/services/federation",
  "api/server/load",
  "api/services/misses",
] as const

/** Imports with which use cases reach code that they don't need to know: a door, HTTP code, or another room of their floor. */
export const outOfCore = (imports: readonly Import[]): readonly Import[] =>
  imports.filter(
    ({ from, to }) =>
      isIn(from, "api/core") && isIn(to, "api") && !BESIDE_CORE.some((room) => isIn(to, room)),
  )

const isOfUseCases = (file: string): boolean => isIn(file, "api/core") || isIn(file, "api/services")

/** Whether a file is a use case, rather than one of the files next to it that may depend on HTTP. */
export const isUseCase = (file: string): boolean =>
  isOfUseCases(file) && !/[/-](?:routes|feature)\.ts$/.test(file)

const HTTP = /^api\/(?:(?:context|errors|read-only|room-on-disk)\.ts|server\/(?:middleware\/.*|[^/]*))$/

/** Imports of HTTP code in use cases, and imports of a door in use cases or their routes. */
export const outOfUseCases = (imports: readonly Import[]): readonly Import[] =>
  imports.filter(
    ({ from, to }) => (isUseCase(from) && HTTP.test(to)) || (isOfUseCases(from) && isIn(to, "api/doors")),
  )

const isIn = (file: string, folder: string): boolean => file.startsWith(`${folder}/`)

/** Groups of nodes that can reach each other, each sorted (Tarjan, "Depth-first search and linear graph algorithms"). */
export function circlesOf(imports: readonly Import[]): string[][] {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    if (from === to) continue
    const targets = next.get(from)
    if (targets === undefined) next.set(from, new Set([to]))
    else targets.add(to)
  }
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (node: string): number => {
    const number = order.size
    order.set(node, number)
    open.push(node)
    let low = number
    for (const target of next.get(node) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (open.includes(target)) low = Math.min(low, order.get(target) ?? low)
    }
    lowest.set(node, low)
    if (low === number) {
      const circle = open.splice(open.indexOf(node))
      if (circle.length > 1) circles.push(circle.sort())
    }
    return low
  }
  for (const node of next.keys()) if (!order.has(node)) visit(node)
  return circles
}
