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
  about: `Checks an appliance on this machine for problems, and says how to solve them. It covers settings, data folder, disk,
clock, ports, model, browser, index and webhooks. It doesn't need or disturb a running appliance, and changes nothing.
With --repair it rebuilds damaged data where it can: the index from the pages, state.db from its tables, counts,
thumbnails. Stop the appliance first. With --dry-run as well, it only says what it would do.
With --trust-clock you confirm that the clock is right, if Fossick was off for so long that it doubts the clock. You
don't need to stop the appliance.
Exits with 1 if there is a problem, or something could not be repaired.`,
  options: {
    "trust-clock": {
      about: "confirm that this machine's clock is right, so that expired data is deleted again",
    },
    repair: { about: "rebuild damaged data where possible" },
    "dry-run": { about: "with --repair: say what would be done, change nothing" },
  },
  json: "every check with its findings as one JSON object",
  examples: [
    { line: "fossick doctor", about: "in the folder where you start Fossick" },
    { line: "fossick doctor --json", about: "for monitoring" },
    { line: "fossick doctor --trust-clock", about: "after months without running" },
    { line: "fossick doctor --repair --dry-run", about: "show the damage, and what a repair would do" },
  ],
  async run({ options, json }) {
    if (options["trust-clock"] && (options.repair || json))
      throw new ArgumentsError("--trust-clock cannot be combined with --repair or --json")
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
      process.stdout.write(ok ? "\nNo problems found.\n" : "\nProblems found: see above.\n")
    }
    return ok ? EXIT.ok : EXIT.failed
  },
})

async function trust(): Promise<number> {
  const { readableSettings } = await import("../../doctor/settings-checks.ts")
  const { dataDir } = readableSettings()
  if (!existsSync(dataDir))
    throw new CommandError(`There is no appliance: ${resolve(dataDir)} does not exist.`)
  const now = new Date()
  using db = await openStateStore(dataDir)
  await trustClock(db, now.getTime())
  process.stdout.write(
    `The clock is trusted: it is ${now.toISOString()}. Expired data will be deleted from now on.\n`,
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
    throw new CommandError(`There is nothing to repair: ${resolve(settings.dataDir)} does not exist.`)
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
  else
    process.stdout.write(
      ok ? "All damage was repaired.\n" : "Some damage could not be repaired: see above.\n",
    )
  return ok ? EXIT.ok : EXIT.failed
}
