import { command } from "../../spec.ts"
import { EXIT } from "#base/exit-codes.ts"

export const why = command({
  about: `Shows why a page is or is not found: how its address was discovered, what robots.txt says, how the last visit ended,
what the index contains of it, and when it will be visited next. Sends no request to the site, changes nothing.`,
  args: { url: { about: "address of the page" } },
  options: { query: { value: "text", about: "also show the page's rank for this question" } },
  examples: [
    { line: "fossick why https://docs.example.com/setup", about: "everything known about a page" },
    {
      line: 'fossick why docs.example.com/setup --query "first steps"',
      about: "and its rank for a question",
    },
  ],
  async run({ args, options: { query }, json }) {
    const { addressArgument } = await import("#crawler/commands/why/address-argument.ts")
    const url = addressArgument(args.url)
    const { why: session } = await import("#crawler/commands/why/why-session.ts")
    await session(url, { json, ...(query !== undefined && { query }) })
    return EXIT.ok
  },
})
