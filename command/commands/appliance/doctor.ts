import { EXIT } from "#base/exit-codes.ts"
import { command } from "../../spec.ts"

export const doctor = command({
  about: `Looks at all that can be wrong with an appliance on this machine, and says what to do about each: settings, data
folder, disk, clock, ports, model, browser, index, webhooks. Needs no running appliance, disturbs none, changes nothing.
Ends with 1 when something is wrong.`,
  json: "every check with its findings as one JSON object",
  examples: [
    { line: "fossick doctor", about: "in the folder where you start Fossick" },
    { line: "fossick doctor --json", about: "for monitoring" },
  ],
  async run({ json }) {
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
