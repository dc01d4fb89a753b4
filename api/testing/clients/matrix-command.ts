import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"

// Tries unmodified clients against a running appliance and writes docs/client-matrix.md; see README.md.

const PAGE = join(import.meta.dirname, "../../../docs/client-matrix.md")

interface Row {
  readonly registry: string
  readonly client: string
  readonly version: string
  readonly api: string
  readonly ability: string
  readonly result: string
  readonly problem: string
}

const { values } = parseArgs({
  options: {
    address: { type: "string" },
    key: { type: "string" },
    js: { type: "string" },
    python: { type: "string" },
    researcher: { type: "string" },
    webui: { type: "string" },
    dify: { type: "string" },
    "dify-python": { type: "string" },
    vane: { type: "string" },
    litellm: { type: "string" },
    n8n: { type: "string" },
  },
})
const { address, key, js, python, researcher, webui, n8n, ...programs } = values
if (!address || !key || !js || !python || !researcher || !webui) {
  process.stderr.write(
    "Usage: matrix-command.ts --address --key --js --python --researcher --webui [--dify --dify-python] [--vane] [--litellm] [--n8n], see README.md\n",
  )
  process.exit(2)
}

const run = promisify(execFile)
const options = { maxBuffer: 10_000_000 }
const outputs = [
  await run(process.execPath, [join(import.meta.dirname, "clients-js.ts"), js, address, key], options),
  await run(python, [join(import.meta.dirname, "clients-py.py"), address, key, researcher, webui], options),
  await run(
    process.execPath,
    [
      join(import.meta.dirname, "programs.ts"),
      address,
      key,
      ...Object.entries(programs).map(([name, value]) => `--${name}=${value}`),
    ],
    options,
  ),
  ...(n8n === undefined
    ? []
    : [await run(process.execPath, [join(import.meta.dirname, "n8n.ts"), n8n, address, key], options)]),
]
const rows = outputs.flatMap(({ stdout }) => stdout.split("\n")).flatMap(rowOf)
for (const { client, ability, result, problem } of rows) {
  process.stdout.write(`${result.padEnd(4)} ${client}: ${ability} ${problem}\n`)
}
writeFileSync(PAGE, pageOf(rows))
process.exitCode = rows.every(({ result }) => result === "ok") ? 0 : 1

function rowOf(line: string): Row[] {
  const [registry, client, version, api, ability, result, problem = ""] = line.split("\t")
  if (registry !== "npm" && registry !== "PyPI" && registry !== "GitHub") return []
  return [
    { registry, client: client!, version: version!, api: api!, ability: ability!, result: result!, problem },
  ]
}

function pageOf(all: readonly Row[]): string {
  const groups = Map.groupBy(all, ({ registry, client, version, api }) =>
    [api, client, version, registry].join("\t"),
  )
  const lines = [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([group, tries]) => {
      const [api, client, version, registry] = group.split("\t")
      const abilities = tries.map(({ ability, result }) => `${ability} ${result === "ok" ? "✓" : "✗"}`)
      return `| ${api} | ${client} | ${version} | ${registry} | ${abilities.join(", ")} |`
    })
  const clients = new Set(all.map(({ registry, client }) => `${registry} ${client}`))
  const apis = new Set(all.map(({ api }) => api))
  const good = all.filter(({ result }) => result === "ok").length
  return `${readHead()}
With ${clients.size} clients of ${apis.size} APIs, ${good} of ${all.length} attempts succeeded.

| API | client | version | from | tried |
|---|---|---|---|---|
${lines.join("\n")}
`
}

/** The text above the table is written by hand. */
function readHead(): string {
  const text = readFileSync(PAGE, "utf8")
  return text.slice(0, text.search(/^With \d+ clients of/m)).trimEnd() + "\n"
}
