import { safeOutput } from "#base/process/safe-output.ts"
import type { Ended, Line } from "#base/testing/fossick.ts"
import { runLine } from "../run-line.ts"

// Runs command lines of `fossick` one after another, each as if in its own process, so that tests need not start Node
// and load the product for each of them.

const said = { out: "", err: "" }

function keep(stream: NodeJS.WriteStream, as: keyof typeof said): void {
  // Each command adds a listener, which notices if the command's reader goes away.
  stream.setMaxListeners(0)
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    said[as] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()
    const done = rest.at(-1)
    if (typeof done === "function") queueMicrotask(done as () => void)
    return true
  }
}
keep(process.stdout, "out")
keep(process.stderr, "err")
safeOutput()

process.removeAllListeners("warning")
process.on("disconnect", () => process.exit(0))
process.on("message", ({ args, folder, env }: Line) => {
  Object.assign(said, { out: "", err: "" })
  process.exitCode = 0
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(folder)
  void runLine(args).then(() => process.send!({ code: Number(process.exitCode), ...said } satisfies Ended))
})
