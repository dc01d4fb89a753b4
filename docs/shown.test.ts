import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { engineSettings } from "#engine/settings.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { readReadersFile } from "#crawler/fetch/content/readers/readers-file.ts"
import { parseSources } from "#crawler/sources/file/sources-file.ts"
import { parseJudged } from "../api/operator/judging/judged-file.ts"
import { parseSignOn } from "../api/identity/sign-on/file/sign-on-file.ts"
import { parsePeers } from "../api/services/federation/peers-file.ts"
import { parseRules } from "../api/operator/rules/rules-file.ts"
import { apiSettings } from "../api/settings.ts"
import { x402Settings } from "../api/doors/x402/settings.ts"
import { readCommandLine } from "../command/program.ts"
import { COMMANDS } from "../command/registry.ts"
import { isGroup } from "../command/spec.ts"
import {
  blocksIn,
  matchesIn,
  settingsFiles,
  type Shown,
  shownPages,
  shownSources,
  wordsOf,
  yamlOfFaces,
} from "./house/shown.ts"

// Everything that a page, a screen or a message tells people to type must be accepted by the code that reads it.

const pages = shownPages()
const sources = shownSources()
const blocks = blocksIn(pages)

const MISSING_FILE = /ENOENT|^Wrong settings:$/

/** The problems that `check` reports, by where the text is shown; texts without problems are left out. */
async function faultsOf<T extends Shown>(
  all: readonly T[],
  check: (one: T) => unknown,
): Promise<Record<string, string>> {
  const faults: Record<string, string> = {}
  for (const one of all) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- in order
      await check(one)
    } catch (error) {
      // The files named in the text exist only on the reader's machine.
      const wrong = (error as Error).message.split("\n").filter((line) => !MISSING_FILE.test(line))
      if (wrong.length > 0) faults[one.at] = `${wrong.join("\n")}\n${one.text}`
    }
  }
  return faults
}

describe("YAML", () => {
  /** Files of other programs, recognised by a top-level field. Only such files may be unknown to all of our own readers. */
  const FOREIGN = [
    "firecrawlApiKey",
    "image",
    "mcpServers",
    "mcp_servers",
    "opensearch",
    "rule_files",
    "scrape_configs",
    "search_tools",
    "services",
    "webSearch",
  ]
  const readersFile = async (text: string) => {
    const { problem } = await readReadersFile(Buffer.from(text))
    if (problem !== null) throw new Error(problem)
  }
  const READERS: Readonly<Record<string, (text: string, file: string) => unknown>> = {
    rules: parseRules,
    allow: readersFile,
    questions: parseJudged,
    providers: (text, file) =>
      parseSignOn(text, file, { KEYCLOAK_SECRET: "a-secret", COMPANY_SECRET: "a-secret" }),
    peers: (text, file) => parsePeers(text, file, { PLANT_KEY: "a-key-of-the-plant" }),
  }

  async function check({ text }: Shown): Promise<void> {
    const value = parse(text) as object | null
    // The block contains only a comment for editors.
    if (value === null) return
    const [first = ""] = Object.keys(value)
    const reader = READERS[first]
    if (reader !== undefined) await reader(text, "shown.yaml")
    else if (Array.isArray(value)) parseSources(`sources:\n${text}`, "shown.yaml")
    else if (["defaults", "sources", "backup"].includes(first))
      parseSources("sources" in value ? text : `sources: []\n${text}`, "shown.yaml")
    else if (!FOREIGN.includes(first))
      parseSources(
        JSON.stringify({ sources: [{ name: "a", seeds: "https://a.example/", ...value }] }),
        "shown.yaml",
      )
    else if ("sources" in value) parseSources(JSON.stringify(value.sources), "shown.yaml")
  }

  test("on every page is valid for its reader", async () => {
    const shown = blocks.filter(({ language }) => language === "yaml")
    expect(shown.length).toBeGreaterThan(40)
    expect(await faultsOf(shown, check)).toEqual({})
  })

  test("on every screen is valid for its reader", async () => {
    const shown = yamlOfFaces()
    expect(shown.length).toBeGreaterThan(0)
    expect(await faultsOf(shown, check)).toEqual({})
  })
})

describe("commands", () => {
  /** The arguments after `fossick`, with values in place of placeholders. */
  const typed = (all: readonly Shown[], pattern: RegExp): Shown[] =>
    all
      .flatMap((one) => matchesIn(one, pattern))
      .map(({ at, groups: [line = ""] }) => ({
        at,
        text: line.replaceAll(/\\\n|<\w+>|\$\{\w+\}|\$\([^)]*\)/g, "x"),
      }))

  async function check({ text }: Shown): Promise<void> {
    const line = await readCommandLine(wordsOf(text))
    if ("code" in line && line.code !== 0) throw new Error(line.err)
  }

  test("on every page are valid", async () => {
    const lines = blocks.filter(({ language }) => language === "sh" || language === "ini")
    const shown = typed(
      lines,
      /^(?!\s*(?:#|helm |git |alias |create ))[^\n#]*?\bfossick ((?:--)?[a-z](?:\\\n|[^\n])*)/gm,
    )
    expect(shown.length).toBeGreaterThan(100)
    expect(await faultsOf(shown, check)).toEqual({})
  })

  test("on every screen are valid", async () => {
    const faces = sources.filter(({ at }) => at.startsWith("faces/"))
    const shown = typed(faces, /[>"`](?:npx )?fossick ([a-z][^<"`]*)[<"`]/g)
    expect(shown.length).toBeGreaterThan(3)
    const faults = await faultsOf(shown, check)
    // A sentence can mention a command without its arguments.
    const wrong = Object.entries(faults).filter(([, why]) => !why.includes("missing required argument"))
    expect(Object.fromEntries(wrong)).toEqual({})
  })

  test("named in sentences, messages and help exist", async () => {
    const loaded = await Promise.all(
      Object.entries(COMMANDS).map(async ([name, { load }]) => [name, await load()] as const),
    )
    const specs = new Map(loaded)
    const named = [
      ...pages.flatMap((page) =>
        matchesIn(page, /(?<=`)(?:npx )?fossick ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g),
      ),
      ...sources.flatMap((one) =>
        matchesIn(one, /(?<=[\s`"(>])(?<!_describe -o )fossick ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g),
      ),
    ]
    expect(named.length).toBeGreaterThan(100)
    const check = ({ groups: [name = "", sub = ""] }: (typeof named)[number]) => {
      const spec = specs.get(name)
      if (spec === undefined) throw new Error(`there is no command ${name}`)
      // The name of a group that is also a command can be followed by the rest of the sentence.
      if (!isGroup(spec) || spec.standard !== undefined || sub === "") return
      if (!(sub in spec.commands)) throw new Error(`${name} has no ${sub}`)
    }
    expect(await faultsOf(named, check)).toEqual({})
  })
})

describe("settings", () => {
  const declared = new Map(
    [engineSettings, crawlerSettings, apiSettings, x402Settings]
      .flatMap((part) => Object.values(part))
      .map((setting) => [setting.name as string, setting]),
  )
  const everywhere = [...pages, ...sources, ...settingsFiles()]
  /** Names that aren't settings: the variable for the settings file, a common prefix of settings, and a list in the source code. */
  const APART = new Set(["FOSSICK_CONFIG_FILE", "FOSSICK_X402", "X402_OUTCOMES"])

  const VALUE = String.raw`(?:"([^"\n]*)"|'([^'\n]*)'|((?:[^\s"'\`;,)]|,(?=\S))+))`
  const ASSIGNED = new RegExp(String.raw`\b((?:FOSSICK|X402)_[A-Z0-9_]+)=${VALUE}`, "g")
  const GIVEN = new RegExp(String.raw`\b((?:FOSSICK|X402)_[A-Z0-9_]+)(?:=|: )${VALUE}`, "g")

  test("named anywhere exist", async () => {
    const named = everywhere.flatMap((one) => matchesIn(one, /\b(?:FOSSICK|X402)_[A-Z0-9_]*[A-Z0-9]\b(?!_)/g))
    const check = ({ text }: Shown) => {
      if (!declared.has(text) && !APART.has(text)) throw new Error("there is no such setting")
    }
    expect(await faultsOf(named, check)).toEqual({})
  })

  test("are given valid values", async () => {
    const given = everywhere.flatMap((one) =>
      // In a source file, a colon is just TypeScript syntax.
      matchesIn(one, /\.tsx?$/.test(one.at) ? ASSIGNED : GIVEN),
    )
    const check = ({ groups: [name = "", ...values] }: (typeof given)[number]) => {
      const value = values.find((one) => one !== "") ?? ""
      if (!/[$<{…]/.test(value)) declared.get(name)?.parse(value)
    }
    expect(given.length).toBeGreaterThan(100)
    expect(await faultsOf(given, check)).toEqual({})
  })
})
