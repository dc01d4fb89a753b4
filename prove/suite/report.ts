import { availableParallelism } from "node:os"

import type { SerializedError } from "vitest"
import type { Reporter, TestCase, TestModule } from "vitest/node"

import type { Need } from "./needs.ts"

const SLOWEST = 10

/** Why a test did not run: the needs that this machine lacks, or the test's own words. */
export function reasonOf(
  { tags = [], note }: { readonly tags?: readonly string[]; readonly note?: string | undefined },
  missing: readonly Need[],
): string | null {
  const lacking = missing.filter(({ name }) => tags.includes(name))
  if (lacking.length > 0) return lacking.map(({ name, advice }) => `${name}: ${advice}`).join("; ")
  return note ?? null
}

/**
 * The end of a run, as people and `.ci/run` read it: every failure again, every skipped test with its reason, the slowest files, the
 * time, and as the last line `12 passed, 0 failed, 1 skipped`.
 */
export class ClosingReport implements Reporter {
  readonly #missing: readonly Need[]
  readonly #begun = performance.now()

  /** @param missing the needs that this machine lacks */
  constructor(missing: readonly Need[]) {
    this.#missing = missing
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const withState = (state: string) => tests.filter((test) => test.result().state === state)
    const lines: string[] = []
    // A file that can't be loaded, or whose clean-up fails, has failed whatever the results of its tests.
    const brokenFiles = modules.filter(
      (module) => module.state() === "failed" && ownErrors(module).length > 0,
    )
    for (const module of brokenFiles) lines.push(`FAILED ${placeOf(module)}: ${ownErrors(module).join("\n")}`)
    for (const test of withState("failed")) lines.push(`FAILED ${titleOf(test)}:\n${errorsOf(test)}`)
    for (const { message } of unhandled) lines.push(`FAILED outside of any test: ${message}`)

    // A run of selected tests leaves the others out on purpose.
    const isChosen = modules.some(({ project }) => project.vitest.config.testNamePattern !== undefined)
    const skipped = isChosen ? [] : withState("skipped")
    const byReason = Map.groupBy(skipped, (test) => this.#reason(test))
    for (const [reason, group] of byReason) {
      lines.push(`Skipped ${group.length} (${reason ?? "no reason given"}):`)
      for (const [file, { length }] of Map.groupBy(group, ({ module }) => placeOf(module)))
        lines.push(`  ${length} in ${file}`)
    }

    const slowest = modules.toSorted((a, b) => timeOf(b) - timeOf(a)).slice(0, SLOWEST)
    if (modules.length > SLOWEST) {
      lines.push(`The ${SLOWEST} slowest of ${modules.length} files:`)
      for (const module of slowest) lines.push(`${seconds(timeOf(module)).padStart(9)}  ${placeOf(module)}`)
    }
    const minutes = (performance.now() - this.#begun) / 60_000
    lines.push(`${minutes.toFixed(1)} minutes on ${availableParallelism()} processors`)
    const failed = withState("failed").length + brokenFiles.length + unhandled.length
    lines.push(
      `${withState("passed").length} passed, ${failed} failed, ${withState("skipped").length} skipped`,
    )
    console.log(`\n${lines.join("\n")}`)
    if (!isChosen && (byReason.get(null)?.length ?? 0) > 0) process.exitCode = 1
  }

  #reason(test: TestCase): string | null {
    const result = test.result()
    const note = result.state === "skipped" ? result.note : undefined
    return reasonOf({ tags: test.options.tags ?? [], note }, this.#missing)
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const timeOf = (module: TestModule): number => {
  const { collectDuration, duration } = module.diagnostic()
  return collectDuration + duration
}
const placeOf = ({ relativeModuleId, project }: TestModule): string => `${relativeModuleId} (${project.name})`
const titleOf = (test: TestCase): string => `${placeOf(test.module)} > ${test.fullName}`
const errorsOf = (test: TestCase): string =>
  (test.result().errors ?? []).map(({ message, stack }) => stack ?? message).join("\n")

/** Errors of a file, or of its suites, that don't belong to any of its tests. */
const ownErrors = (module: TestModule): string[] =>
  [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())].map(
    ({ message, stack }) => stack ?? message,
  )
