import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { ArgumentsError } from "#base/command-arguments.ts"
import { EXIT } from "#base/exit-codes.ts"
import { interruptSignal } from "#base/process/interrupt.ts"
import { CommandError } from "#base/run-command.ts"
import { takeFolder } from "#base/store/file-lock.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { trustClock } from "#base/store/clock/trusted-time.ts"
import { command } from "../../spec.ts"

export const doctor = command({
  about: `Looks at all that can be wrong with an appliance on this machine, and says what to do about each: settings, data
folder, disk, clock, ports, model, browser, index, webhooks. Needs no running appliance, disturbs none, changes nothing.
With --repair it rebuilds what is damaged and can be rebuilt: the index from the pages, state.db from its tables, counts, thumbnails. Stop
the appliance first; --dry-run only says what would be done.
With --trust-clock you say that the clock is right, when Fossick was off for so long that it is in doubt. It needs no stop.
Ends with 1 when something is wrong, or could not be repaired.`,
  options: {
    "trust-clock": { about: "the clock of this machine is right: what is too old may be deleted again" },
    repair: { about: "rebuild what is damaged and can be rebuilt" },
    "dry-run": { about: "with --repair: say what would be done, and change nothing" },
  },
  json: "every check with its findings as one JSON object",
  examples: [
    { line: "fossick doctor", about: "in the folder where you start Fossick" },
    { line: "fossick doctor --json", about: "for monitoring" },
    { line: "fossick doctor --trust-clock", about: "after months in which nothing ran" },
    { line: "fossick doctor --repair --dry-run", about: "what is damaged, and what a repair would do" },
  ],
  async run({ options, json }) {
    if (options["trust-clock"] && (options.repair || json))
      throw new ArgumentsError("--trust-clock goes alone")
    if (options["dry-run"] && !options.repair) throw new ArgumentsError("--dry-run needs --repair")
    if (options["trust-clock"]) return await trust()
    if (options.repair) return await repair(options["dry-run"], json)
    const [{ allChecks }, { isWell, runChecks }] = await Promise.all([
      import("../../doctor/all-checks.ts"),
      import("../../doctor/check.ts"),
    ])
    const checked = await runChecks(allChecks())
    const ok = isWell(checked)
    if (json) process.stdout.write(`${JSON.stringify({ ok, checks: checked }, null, 2)}\n`)
    else {
      for (const { name, findings } of checked) {
        const mark = findings.some(({ level }) => level === "wrong")
          ? "WRONG"
          : findings.length > 0
            ? "note"
            : "ok"
        process.stdout.write(`${mark.padEnd(6)} ${name}\n`)
        for (const { what, advice } of findings) {
          for (const line of [what, advice].flatMap((text) => text.split("\n")).filter(Boolean)) {
            process.stdout.write(`         ${line}\n`)
          }
        }
      }
      process.stdout.write(ok ? "\nAll is well.\n" : "\nSomething is wrong: see above.\n")
    }
    return ok ? EXIT.ok : EXIT.failed
  },
})

async function trust(): Promise<number> {
  const { readableSettings } = await import("../../doctor/settings-checks.ts")
  const { dataDir } = readableSettings()
  if (!existsSync(dataDir)) throw new CommandError(`There is no appliance: ${resolve(dataDir)} is not there.`)
  const now = new Date()
  using db = await openStateStore(dataDir)
  await trustClock(db, now.getTime())
  process.stdout.write(
    `The clock is trusted: it is ${now.toISOString()}. What is too old is deleted from now on.\n`,
  )
  return EXIT.ok
}

async function repair(isDry: boolean, json: boolean): Promise<number> {
  const [{ ALL_REPAIRS }, { runRepairs }, { readableSettings }] = await Promise.all([
    import("../../doctor/repairs/all-repairs.ts"),
    import("../../doctor/repairs/repair.ts"),
    import("../../doctor/settings-checks.ts"),
  ])
  const settings = readableSettings()
  if (!existsSync(settings.dataDir))
    throw new CommandError(`There is nothing to repair: ${resolve(settings.dataDir)} is not there.`)
  if (!isDry) for (const role of ["appliance", "crawler"] as const) await takeFolder(settings.dataDir, role)
  const repaired = await runRepairs(ALL_REPAIRS, settings, { mends: !isDry, signal: interruptSignal() })
  const damaged = repaired.flatMap((one) => one.damaged)
  const ok = damaged.every((one) => one.repaired)
  if (json) {
    process.stdout.write(`${JSON.stringify({ ok, dryRun: isDry, repairs: repaired }, null, 2)}\n`)
    return ok ? EXIT.ok : EXIT.failed
  }
  for (const { damaged: found, said } of repaired) {
    for (const { file, damage, wayBack, repaired: isBack } of found)
      process.stdout.write(`${file} ${damage}. ${isBack ? "Repaired." : wayBack}\n`)
    for (const line of said) process.stdout.write(`${line}\n`)
  }
  if (damaged.length === 0) process.stdout.write("Nothing is damaged.\n")
  else if (isDry) process.stdout.write("This was a dry run: nothing was changed.\n")
  else process.stdout.write(ok ? "All of it is repaired.\n" : "Not all of it could be repaired: see above.\n")
  return ok ? EXIT.ok : EXIT.failed
}
