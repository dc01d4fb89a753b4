import { command } from "../../spec.ts"

export const start = command({
  about: `Starts the appliance: one process that answers, one that crawls. It applies the sources file, if there is
one, prints its address and, the first time, an API key. Ctrl-C stops it. Its data is in the folder index-data
of the working directory, or in the folder set in FOSSICK_DATA_DIR.`,
  json: "the first screen as JSON objects, one per line; logs go to standard error",
  examples: [
    { line: "fossick start", about: "on port 8080 of this machine" },
    { line: "FOSSICK_PORT=9000 fossick start", about: "on another port" },
  ],
  outlivesReader: true,
  async run({ json }) {
    const { startAppliance } = await import("../../../api/start.ts")
    return await startAppliance({ json })
  },
})
