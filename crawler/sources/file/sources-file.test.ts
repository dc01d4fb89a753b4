import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { CONTENT_FIELDS, defineSource } from "../../source.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { SOURCES_SCHEMA_FILE } from "../written/schema-problems.ts"
import { parseSources, SourcesFileError } from "./sources-file.ts"

/** The problems in a file, with their lines but without columns. */
function refusal(text: string): string[] {
  try {
    parseSources(text, "f")
  } catch (error) {
    if (!(error instanceof SourcesFileError)) throw error
    return error.message.split("\n").map((line) => line.replace(/^(f:\d+):\d+/, "$1"))
  }
  return []
}

describe("a sources file", () => {
  test("applies the defaults to each source, below its own values", () => {
    const [docs, blog, shop, wiki] = parseSources(
      `
defaults:
  limits: { pages: 500, depth: 4 }
  exclude: "*.pdf"
  schedule: { timeZone: Europe/Paris, jitterMinutes: 20 }
  removal: { keepDays: 7 }
sources:
  - name: docs
    seeds: docs.example.com
    limits: { pages: 2000 }
    schedule: 15 3 * * *
  - name: blog
    seeds: [https://blog.example.com/, https://news.example.com/]
    exclude: []
    schedule: { everyHours: 6, jitterMinutes: 0 }
  - name: shop
    seeds: shop.example.com
  - name: wiki
    seeds: wiki.example.com
    schedule: null
`,
      "f",
    ).sources.map(defineSource)
    expect(docs).toMatchObject({
      seeds: ["https://docs.example.com/"],
      exclude: ["*.pdf"],
      limits: { pages: 2000, depth: 4 },
      schedule: { cron: "15 3 * * *", everyHours: null, timeZone: "Europe/Paris", jitterMinutes: 20 },
      removal: { maxShare: 0.1, keepDays: 7 },
    })
    expect(blog).toMatchObject({
      exclude: [],
      limits: { pages: 500 },
      schedule: { cron: null, everyHours: 6, timeZone: "Europe/Paris", jitterMinutes: 0 },
    })
    // A default without times does not create a schedule.
    expect([shop?.schedule, wiki?.schedule]).toEqual([null, null])
  })

  test("can give all sources a schedule, which each may replace or switch off", () => {
    const text = `
defaults: { schedule: { everyHours: 12 } }
sources:
  - { name: a, seeds: a.example }
  - { name: b, seeds: b.example, schedule: "0 4 * * *" }
  - { name: c, seeds: c.example, schedule: null }
`
    expect(
      parseSources(text, "f")
        .sources.map(defineSource)
        .map(({ schedule }) => schedule && [schedule.cron, schedule.everyHours]),
    ).toEqual([[null, 12], ["0 4 * * *", null], null])
  })

  test("can use anchors, and be JSON", () => {
    const anchored = `
sources:
  - &base { name: a, seeds: a.example, limits: { depth: 2 } }
  - { <<: *base, name: b, seeds: b.example }
`
    expect(parseSources(anchored, "f").sources[1]).toMatchObject({ name: "b", limits: { depth: 2 } })
    expect(parseSources(`{"sources": []}`, "f")).toEqual({ sources: [], backup: null })
  })

  test("with errors is rejected with each field, its source and its line", () => {
    const text = `defaults:
  limits:
    pages: 0
sources:
  - name: docs
    seeds: docs.example.com
    colour: red
    scope: planet
    webhooks:
      - url: https://hooks.example.com/
        secret: hunter2
    login: { kind: basic, user: ann, password: hunter2 }
  - seeds: []
    politeness: { delayMs: soon }
`
    expect(refusal(text)).toEqual([
      "f:3: defaults.limits.pages must be >= 1",
      expect.stringMatching(
        /^f:7: docs: colour isn't a field of a source; the fields are name, seeds, folder, folderReaders, mailbox, archive, documents, repository, scope/,
      ),
      "f:8: docs: scope must be one of host, domain, prefix",
      expect.stringMatching(/^f:11: docs: webhooks\[0\]\.secret must name a secret, not contain it/),
      expect.stringMatching(/^f:12: docs: login\.password must name a secret, not contain it/),
      "f:13: sources[1].name is missing",
      "f:13: sources[1].seeds must not be empty",
      "f:14: sources[1].politeness.delayMs must be a whole number or null",
    ])
    expect(refusal(text).join()).not.toContain("hunter2")
  })

  test("is validated: addresses, patterns, times, networks", () => {
    const text = `defaults:
  exclude:
    - "re:("
sources:
  - name: a
    seeds: mailto:ann
    schedule:
      cron: 15 25 * * *
      timeZone: Mars/Base
    allowedNetworks: [10.0.0.0/8, "a b"]
  - name: a
    seeds: a.example
    exclude: []
    schedule: { cron: 15 3 * * *, everyHours: 2 }
    revisit: { minHours: 5, maxHours: 2 }
    login: { kind: form, url: /login, fields: { user: ann, password: "\${P}" } }
`
    expect(refusal(text)).toEqual([
      expect.stringMatching(
        /^f:3: defaults\.exclude\[0\] isn't a valid pattern: "\(" isn't a valid regular expression/,
      ),
      expect.stringMatching(/^f:6: a: seeds\[0\] must be an http or https address/),
      expect.stringMatching(/^f:8: a: schedule\.cron is not a schedule such as/),
      expect.stringMatching(/^f:9: a: schedule\.timeZone must be the name of a time zone/),
      expect.stringMatching(/^f:10: a: allowedNetworks\[1\] must be addresses, CIDR ranges or host names/),
      "f:11: a: name is declared twice",
      "f:14: a: schedule must have either cron or everyHours",
      "f:15: a: revisit.maxHours must not be less than minHours",
      expect.stringMatching(/^f:16: a: login\.url must be an http or https address/),
    ])
  })

  test.each([
    ["sources:\n  - name: a\n   seeds: b\n", "f:3: "],
    ["", "f:1: is empty"],
    ["sources: 5", "f:1: sources must be a list"],
    ["- a\n- b\n", "f:1: must be a group of fields"],
    [
      "sources: [{ name: a, seeds: b.example, login: { kind: oauth } }]",
      "f:1: a: login.kind must be one of basic",
    ],
    ["sources: [{ name: a, seeds: b.example }]\nsources: []\n", "f:2: "],
    [
      "sources: [{ name: a, seeds: 'ann:hunter2@b.example' }]",
      "f:1: a: seeds[0] must not contain a user or password",
    ],
    ["sources:\n  - 7\n", "f:2: sources[0] must be a group of fields"],
  ])("is rejected when it makes no sense at all: %j", (text, start) => {
    const [first = ""] = refusal(text)
    expect(first.startsWith(start) ? start : first).toBe(start)
  })
})

test.each([
  ["exclude: *.pdf", "f:4: *.pdf must be in quotes, because it begins with *"],
  ["exclude: [/a/*, *.pdf]", "f:4: *.pdf must be in quotes, because it begins with *"],
  ["schedule: * 3 * * *", "may need quotes"],
  ["schedule: { cron: */5 * * * * }", "may need quotes"],
  ["include: [/{de,fr}/**]", "may need quotes"],
  ["login: { kind: basic, user: a, password: ${X} }", 'must be in quotes: "${X}"'],
])("a value that YAML misreads gets a hint to use quotes: %s", (line, message) => {
  const lines = refusal(`sources:\n  - name: a\n    seeds: a.example\n    ${line}\n`)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain("f:4: ")
  expect(lines[0]).toContain(message)
})

describe("the schema", () => {
  type Node = { properties?: Record<string, Node>; default?: unknown; $ref?: string; items?: Node }
  const schema = JSON.parse(readFileSync(SOURCES_SCHEMA_FILE, "utf8")) as {
    $defs: { source: Node; defaults: Node; fields: Record<string, Node> }
  }
  const { source, defaults, fields } = schema.$defs
  const whole = defineSource({
    name: "a",
    seeds: ["https://a.example/"],
    schedule: {},
    clientCert: { cert: "file:/c", key: "file:/k" },
    readers: { allow: ["signed-in"], deny: [] },
    webhooks: [{ url: "b" }],
    observers: [{ name: "a", login: "none", readers: "everybody" }],
  })
  const { repository, mailbox } = defineSource({
    seeds: ["https://a.example/"],
    repository: { url: "https://a.example/a.git" },
    mailbox: { server: "imaps://a.example", user: "ada", password: "${PASSWORD}" },
  })

  test("has the fields of a source, and no others", () => {
    expect(Object.keys(source.properties ?? {}).sort()).toEqual(Object.keys(whole).sort())
    expect(Object.keys(fields).sort()).toEqual(Object.keys(whole).sort())
    const groups = Object.entries({ ...whole, repository, mailbox }).flatMap(([name, value]) => {
      const inner = fields[name]?.properties ?? fields[name]?.items?.properties
      const one: unknown = Array.isArray(value) ? value[0] : value
      return inner ? [[name, Object.keys(inner).sort(), Object.keys(one as object).sort()]] : []
    })
    expect(groups.map(([name]) => name)).toContain("webhooks")
    for (const [name, said, real] of groups) expect([name, said]).toEqual([name, real])
  })

  test("gives each field's default", () => {
    const plain = new Map(Object.entries(defineSource({ seeds: ["https://a.example/"] })))
    const defaulted = Object.entries(fields).filter(([, field]) => "default" in field)
    expect(defaulted.length).toBeGreaterThan(8)
    for (const [name, field] of defaulted) expect([name, field.default]).toEqual([name, plain.get(name)])
    for (const group of ["limits", "politeness", "pages", "schedule", "revisit", "removal"] as const) {
      const said = Object.entries(fields[group]?.properties ?? {}).map(([key, one]) => [key, one.default])
      expect([group, Object.fromEntries(said)]).toEqual([group, whole[group]])
    }
  })

  test("allows every field in defaults except those specific to one source", () => {
    const own = ["name", "seeds", ...CONTENT_FIELDS, "folderReaders", "observers", "sitemaps", "feeds"]
    expect(Object.keys(defaults.properties ?? {}).sort()).toEqual(
      Object.keys(source.properties ?? {})
        .filter((name) => !own.includes(name))
        .sort(),
    )
  })

  test("names a source's own schedule where it is wrong, beside one of the defaults", () => {
    const text = `defaults: { schedule: { everyHours: 12 } }
sources:
  - { name: a, seeds: https://a.example/, schedule: 15 25 * * * }`
    expect(refusal(text)).toEqual([expect.stringMatching(/^f:3: a: schedule\.cron is not a schedule/)])
  })
})

describe("the backup section", () => {
  const sources = "sources: []\n"

  test("has defaults, and a folder relative to the file", () => {
    const { backup } = parseSources(
      `${sources}backup: { folder: ../backups, schedule: 30 2 * * * }`,
      "/etc/fossick/s.yaml",
    )
    expect(backup).toEqual({
      name: "fossick",
      folder: "/etc/backups",
      keep: 7,
      schedule: { cron: "30 2 * * *", everyHours: null, timeZone: "UTC", jitterMinutes: 0 },
    })
    const own = `backup: { folder: /b, name: shop.1, keep: 3, schedule: { everyHours: 12, jitterMinutes: 5 } }`
    expect(parseSources(sources + own, "f").backup).toMatchObject({
      name: "shop.1",
      keep: 3,
      schedule: { everyHours: 12, cron: null, jitterMinutes: 5 },
    })
    expect(parseSources(`${sources}backup: { folder: /b }`, "f").backup?.schedule).toBeNull()
    expect(parseSources(`${sources}backup: null`, "f").backup).toBeNull()
  })

  test.each([
    ["{ schedule: 30 2 * * * }", "f:2: backup.folder is missing"],
    [
      "{ folder: /b, folders: 3 }",
      'f:2: backup.folders isn\'t a field of the backup; did you mean "folder"?',
    ],
    ["{ folder: /b, keep: 0 }", "f:2: backup.keep must be >= 1"],
    ["{ folder: /b, keep: two }", "f:2: backup.keep must be a whole number"],
    [
      "{ folder: /b, name: a/b }",
      "f:2: backup.name can contain letters, digits and ._- and must begin and end with a letter or digit",
    ],
    [
      "{ folder: /b, schedule: { cron: 0 3 * * *, everyHours: 3 } }",
      "f:2: backup.schedule must have either cron or everyHours",
    ],
    [
      "{ folder: /b, schedule: { cron: 0 3 * * *, timeZone: Mars } }",
      "f:2: backup.schedule.timeZone must be the name of a time zone",
    ],
    ["{ folder: /b, schedule: 0 33 * * * }", "f:2: backup.schedule.cron is not a schedule such as"],
    ["/b", "f:2: backup must be a group of fields or null"],
  ])("%s is rejected: %s", (backup, message) => {
    expect(refusal(`${sources}backup: ${backup}`)).toEqual([expect.stringContaining(message)])
  })

  test("is rejected when its folder is inside the data folder, even through a link", () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, "data"))
    symlinkSync(join(folder.path, "data"), join(folder.path, "link"))
    const read = (to: string) =>
      parseSources(`${sources}backup: { folder: ${to} }`, join(folder.path, "s.yaml"), {
        dataDir: join(folder.path, "data"),
      })
    for (const inside of ["data", "data/backups", "link/b", "x/../data"]) {
      expect(() => read(inside)).toThrow(
        `s.yaml:2:19: backup.folder must not be in the data folder (${join(folder.path, "data")})`,
      )
    }
    // No system has a file with that name.
    expect(() => read('"x\\0"')).toThrow("backup.folder must not contain a null character")
    for (const beside of ["backups", "data-backups", "."]) {
      expect(read(beside).backup?.folder).toBe(join(folder.path, beside))
    }
  })
})

test("the example in the handbook is a valid sources file", () => {
  const file = join(import.meta.dirname, "../../../docs/sources.example.yaml")
  const { sources, backup } = parseSources(readFileSync(file, "utf8"), file)
  expect(backup).toMatchObject({ keep: 14, schedule: { cron: "30 2 * * *" } })
  expect(sources.map(({ name }) => name)).toEqual(["docs", "blog", "intranet", "portal"])
})

describe("a source that is a folder", () => {
  const parsed = (yaml: string) => parseSources(yaml, "f").sources
  const folder = "name: share, folder: /srv/share, seeds: https://nas.example/share/"

  test("takes no defaults meant for websites", () => {
    const yaml = `defaults: { rendering: browser, limits: { bytes: 5 } }\nsources: [{ ${folder} }]`
    expect(parsed(yaml)).toEqual([
      { name: "share", folder: "/srv/share", seeds: ["https://nas.example/share/"], limits: { bytes: 5 } },
    ])
  })

  test.each([
    ["name: a, folder: share, seeds: https://nas.example/", "folder must be an absolute path"],
    [
      "name: a, folder: /srv, seeds: https://nas.example/share",
      "seeds must be a single address that ends with /",
    ],
    [`${folder}, login: { kind: basic, user: a, password: "\${B}" }`, "login has no effect with folder"],
    [`${folder}, sitemaps: https://nas.example/sitemap.xml`, "sitemaps has no effect with folder"],
  ])("is rejected: { %s }", (source, message) => {
    expect(() => parsed(`sources: [{ ${source} }]`)).toThrow(message)
  })
})
