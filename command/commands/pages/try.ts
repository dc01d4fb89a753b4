import { RENDERINGS } from "#crawler/source.ts"
import { command } from "../../spec.ts"

export const tryPage = command({
  about: "Reads one page as a run of its source would, and shows what would be indexed. Indexes nothing.",
  args: { url: { about: "address of the page" } },
  options: {
    source: {
      value: "name",
      about: "source whose settings to use; default: the source that it belongs to, if any",
    },
    rendering: { value: "how", about: "how to read the page, overriding the source", choices: RENDERINGS },
  },
  examples: [
    { line: "fossick try https://docs.example.com/setup", about: "as its source would" },
    { line: "fossick try docs.example.com/setup --rendering browser", about: "in a browser" },
  ],
  async run({ args, options: { source, rendering }, json }) {
    const { addressArgument } = await import("#crawler/commands/why/address-argument.ts")
    const url = addressArgument(args.url)
    const { tryOne } = await import("#crawler/commands/why/try-session.ts")
    return await tryOne(url, {
      json,
      ...(source !== undefined && { source }),
      ...(rendering && { rendering }),
    })
  },
})
