import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, onTestFinished, test } from "vitest"
import { parse } from "yaml"

import { FakeEngine, hit } from "../../api/testing/fake-engine.ts"
import { serveApp, TEST_KEY } from "../../api/testing/serve-app.ts"

// Checks the rules and the dashboard against the output of a real /metrics, and with promtool if it is installed.

const RULES = join(import.meta.dirname, "alerts.yaml")
const CASES = join(import.meta.dirname, "alerts.test.yaml")
const { groups } = parse(readFileSync(RULES, "utf8")) as {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[]
}
const dashboard = JSON.parse(readFileSync(join(import.meta.dirname, "dashboard.json"), "utf8")) as {
  panels: {
    id: number
    title: string
    description: string
    gridPos: Record<"x" | "y" | "w" | "h", number>
    targets: { expr: string }[]
  }[]
  templating: { list: { query: unknown }[] }
}
const rules = groups.flatMap((group) => group.rules)
const inPanels = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
const expressions = [...rules.map(({ expr }) => expr), ...inPanels]
/** Metrics that Prometheus and Node provide themselves. */
const OTHERS = new Set(["up", "process_resident_memory_bytes", "process_cpu_seconds_total"])

const namesIn = (expression: string): readonly string[] =>
  [...expression.matchAll(/\b(?:fossick|process)_\w+/g)].map(([name]) =>
    name.replace(/_(?:bucket|count|sum)$/, ""),
  )

test("every metric they name exists in /metrics", async () => {
  await using app = await serveApp({
    engine: new FakeEngine([hit()]),
    sales: () => new Map([["paid", 1]]),
    backups: {
      plan: async () => ({ plan: { name: "nightly" }, nextRun: null }) as never,
      last: async () => null,
    },
    sourceResults: async () => [],
  })
  await app.post("/search", { query: "pumps" })
  const response = await fetch(`${app.url}/metrics`, { headers: { Authorization: `Bearer ${TEST_KEY}` } })
  const text = await response.text()
  const given = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!))
  expect(given.size).toBeGreaterThan(25)
  const named = new Set([...expressions, JSON.stringify(dashboard.templating)].flatMap(namesIn))
  expect([...named].filter((name) => !given.has(name) && !OTHERS.has(name))).toEqual([])
  expect(named.size).toBeGreaterThan(20)
})

test("every metric that the handbook recommends watching has a rule", () => {
  const handbook = readFileSync(join(import.meta.dirname, "../../docs/metrics.md"), "utf8")
  const [, section = ""] = /^## What to watch\n([^]*?)\n## /m.exec(handbook) ?? []
  const watched = new Set(namesIn(section))
  expect(watched.size).toBeGreaterThan(12)
  const ruled = new Set(rules.flatMap(({ expr }) => namesIn(expr)))
  expect([...watched].filter((name) => !ruled.has(name))).toEqual([])
})

test("panels do not overlap, and each has its own id", () => {
  const { panels } = dashboard
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
})

test("panels have titles and descriptions, and show only the selected jobs and instances", () => {
  expect(dashboard.panels.filter(({ title, description }) => !title || !description)).toEqual([])
  const metrics = inPanels.flatMap((expr) => expr.match(/\b(?:fossick|process)_\w+(?:\{[^}]*\})?/g) ?? [])
  expect(metrics.length).toBeGreaterThan(20)
  expect(metrics.filter((one) => !one.includes('{job=~"$job",instance=~"$instance"'))).toEqual([])
})

test("each rule has a case where it fires, and one where it does not", () => {
  const { tests } = parse(readFileSync(CASES, "utf8")) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[]
  }
  const cases = tests.flatMap((one) => one.alert_rule_test)
  const named = (fires: boolean) =>
    cases.filter(({ exp_alerts: alerts = [] }) => alerts.length > 0 === fires).map((one) => one.alertname)
  for (const fires of [true, false])
    expect([...new Set(named(fires))].sort()).toEqual(rules.map(({ alert }) => alert).sort())
})

test("promtool accepts the rules, and the dashboard's expressions as rules", { tags: ["promtool"] }, () => {
  const folder = mkdtempSync(join(tmpdir(), "fossick-rules-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const check = (file: string) => execFileSync("promtool", ["check", "rules", file], { encoding: "utf8" })
  expect(check(RULES)).toContain(`SUCCESS: ${rules.length} rules found`)
  const recorded = inPanels.map((expr, at) => ({
    record: `panel:${at}`,
    expr: expr.replaceAll("$__rate_interval", "5m").replaceAll(/\$(?:job|instance)/g, ".*"),
  }))
  const file = join(folder, "panels.yaml")
  writeFileSync(file, JSON.stringify({ groups: [{ name: "panels", rules: recorded }] }))
  expect(check(file)).toContain(`SUCCESS: ${recorded.length} rules found`)
})

test("promtool passes the rules' test cases, including the messages", { tags: ["promtool"] }, () => {
  const told = execFileSync("promtool", ["test", "rules", CASES], { encoding: "utf8" })
  expect(told).toContain("SUCCESS")
})
