import { bytes } from "#crawler/testing/test-site.ts"
import { WebhookSender } from "#crawler/reporting/webhooks/webhook-sender.ts"
import { type Arena, type Attack, fewer, type Kind, OUTER_ADDRESS, SILENT_ADDRESS, unless } from "./attack.ts"
import { isShort } from "../proof.ts"
import { browser } from "./browsing.ts"

// Names that resolve to a public and to a private address with the same port: code that looks a name up once for the
// check and again for the connection reaches the private address.

type Answers = readonly (readonly string[])[]
const [PUBLIC, LOOPBACK] = [[OUTER_ADDRESS], ["127.0.0.1"]]

/** The answers to a name's lookups, in order; the last answer is repeated. */
const REBINDING: Readonly<Record<string, Answers>> = {
  "public, then loopback": [PUBLIC, LOOPBACK],
  "public twice, then loopback": [PUBLIC, PUBLIC, LOOPBACK],
  "public three times, then loopback": [PUBLIC, PUBLIC, PUBLIC, LOOPBACK],
  "public and loopback alternately": [PUBLIC, LOOPBACK, PUBLIC, LOOPBACK, PUBLIC, LOOPBACK],
  "loopback, then public, then loopback": [LOOPBACK, PUBLIC, LOOPBACK],
  "public, then IPv6 loopback": [PUBLIC, ["::1"]],
  "public, then mapped IPv4 in IPv6": [PUBLIC, ["::ffff:127.0.0.1"]],
  "public, then any address": [PUBLIC, ["0.0.0.0"]],
  "public, then any address of IPv6": [PUBLIC, ["::"]],
  "public, then another loopback": [PUBLIC, ["127.255.255.254"]],
  "public, then the metadata service": [PUBLIC, ["169.254.169.254"], LOOPBACK],
  "public, then a private network": [PUBLIC, ["10.0.0.1"], LOOPBACK],
  "public, then NAT64 of loopback": [PUBLIC, ["64:ff9b::7f00:1"], LOOPBACK],
  "public, then 6to4 of loopback": [PUBLIC, ["2002:7f00:1::"], LOOPBACK],
  "loopback before a public one": [["127.0.0.1", OUTER_ADDRESS], LOOPBACK],
  "loopback behind a public one": [[OUTER_ADDRESS, "127.0.0.1"], LOOPBACK],
  "IPv6 loopback behind a public one, then before it": [
    [OUTER_ADDRESS, "::1"],
    ["::1", OUTER_ADDRESS],
  ],
  // A client tries the addresses one after the other.
  "loopback after a public address that does not answer": [[SILENT_ADDRESS, "127.0.0.1"], LOOPBACK],
}

let made = 0

/** An address whose host name resolves to these answers, on the private service's port; its path begins with the host name. */
function moving({ internet, inner, outer }: Arena, answers: Answers): { host: string; url: string } {
  const host = `moving${(made += 1)}.example`
  internet.leadInTurn(host, answers)
  // The name isn't looked up again for a kept-alive connection.
  const closing = { "content-type": "text/html", connection: "close" }
  outer.serve({ "*": bytes("<title>Public</title><p>public words</p>", closing) })
  return { host, url: `http://${host}:${inner.port}/${host}` }
}

/** Null if all answers were requested, and the public ones led to the public site; otherwise the reason why nothing was tested. */
const wasPlayed = ({ internet, outer }: Arena, host: string, answers: Answers): string | null =>
  unless(internet.turnsLeft(host) === 0, () => `${internet.turnsLeft(host)} answers were not requested`) ??
  unless(
    !answers.some((one) => one === PUBLIC) || outer.requests.some((path) => path.startsWith(`/${host}/`)),
    () => "the first address was never contacted",
  )

/** Sends one request per answer, and then one more. */
const asking =
  (answers: Answers, ask: (arena: Arena, url: string) => Promise<unknown>): Attack["play"] =>
  async (arena) => {
    const { host, url } = moving(arena, answers)
    for (let turn = 0; turn <= answers.length; turn++) await ask(arena, `${url}/${turn}`)
    return wasPlayed(arena, host, answers)
  }

const attacks = (
  ask: (arena: Arena, url: string) => Promise<unknown>,
  played: readonly (readonly [name: string, answers: Answers])[] = Object.entries(REBINDING),
): readonly Attack[] => played.map(([name, answers]) => ({ name, play: asking(answers, ask) }))

/** Names are looked up by the system's resolver, which includes the arena's internet. */
async function post({ networks }: Arena, url: string): Promise<void> {
  await using sender = new WebhookSender({ networks, env: {}, userAgent: "test" })
  await sender.send(
    { id: "x", receiver: url, secret: null, body: "{}", headers: {} },
    AbortSignal.timeout(20_000),
  )
}

const MUST = "only the checked address is connected to"
export const rebindings = (scale: number): readonly Kind[] => [
  {
    kind: "DNS rebinding while a page is read",
    must: MUST,
    attacks: attacks(({ reader }, url) => reader.read(url)),
  },
  {
    kind: "DNS rebinding in live calls",
    must: MUST,
    attacks: attacks(
      ({ app }, url) => app.post("/extract", { urls: url }),
      fewer(Object.entries(REBINDING), scale, 18),
    ),
  },
  { kind: "DNS rebinding of webhooks", must: MUST, attacks: attacks(post) },
]

/** The requests that a page makes to a name, one after the other. */
const script = (url: string, { length }: Answers): string =>
  `<script type="module">for (let n = 0; n <= ${length}; n++) await fetch("${url}/" + n, { mode: "no-cors", cache: "no-store" }).catch(() => 0)</script>`

/** Pages whose scripts request names that change their addresses in the meantime. */
const asked = (name: string, all: readonly Answers[]): Attack => ({
  name,
  tries: all.length,
  play: async (arena) => {
    const names = all.map((answers) => ({ answers, ...moving(arena, answers) }))
    const path = `/moving/${encodeURIComponent(name)}`
    const scripts = names.map(({ url, answers }) => script(url, answers)).join("")
    arena.evil.serve({ [path]: `<title>x</title><p>Words of a page that asks others.</p>${scripts}` })
    const { plain } = await browser(arena)
    await plain.read(arena.at(path))
    return (
      names.map(({ host, answers }) => wasPlayed(arena, host, answers)).find((one) => one !== null) ?? null
    )
  },
})

/** A page that sends requests to its own name, which by then resolves to the private address. */
const itself: Attack = {
  name: "its own name, whose address changes once the page has loaded",
  play: async (arena) => {
    const answers = [PUBLIC, LOOPBACK]
    const { host, url } = moving(arena, answers)
    const page = `<title>x</title><p>Words of a page that moves.</p>${script(`/${host}`, answers)}<script src="/module"></script>`
    arena.outer.serve({
      [`/${host}/moves`]: bytes(page, { "content-type": "text/html", connection: "close" }),
    })
    const { plain } = await browser(arena)
    await plain.read(`${url}/moves`)
    return wasPlayed(arena, host, answers)
  },
}

/** In a short run, one page requests only a few of the names. */
export const rebindingInBrowser = (scale: number): Kind => {
  const all = fewer(Object.entries(REBINDING), scale, 4)
  return {
    kind: "DNS rebinding in a browser",
    must: MUST,
    attacks: [
      itself,
      ...(isShort(scale)
        ? [
            asked(
              "all at once",
              all.map(([, answers]) => answers),
            ),
          ]
        : all.map(([name, answers]) => asked(name, [answers]))),
    ],
  }
}
