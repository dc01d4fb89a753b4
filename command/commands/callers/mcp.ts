import { command } from "../../spec.ts"

export const mcp = command({
  about: `Speaks the Model Context Protocol on standard input and output, for programs that start their MCP
servers themselves. A running appliance answers. The key is taken from FOSSICK_API_KEY.`,
  options: {
    url: {
      value: "address",
      about: "address of the appliance; default: FOSSICK_PUBLIC_URL, else this machine at FOSSICK_PORT",
    },
  },
  json: null,
  examples: [
    { line: "FOSSICK_API_KEY=fsk-… fossick mcp", about: "asks the appliance on this machine" },
    { line: "FOSSICK_API_KEY=fsk-… fossick mcp --url https://search.example.com", about: "asks another one" },
  ],
  async run({ options }) {
    const { speakMcp } = await import("../../../api/operator/commands/asking/mcp-session.ts")
    return await speakMcp(options.url)
  },
})
