import { parse, stringify } from "yaml"
import type { WeekAppliance } from "./appliance.ts"
import type { Certificates } from "./programs/manuals.ts"
import { WIKI_LOGIN } from "./programs/wikis.ts"
import type { Stand } from "./world.ts"

/** Facts that only an operator knows, and that cannot be learned by looking at the site. */
export interface Knowledge {
  /** File with the password of the wiki behind its login form. */
  readonly passwordFile: string
  /** File with the certificate of the company's own authority. */
  readonly authority: Certificates["authority"]
}

/** A source for one site, and the cost of examining it. */
interface Proposal {
  readonly source: Record<string, unknown>
  readonly seconds: number
  readonly requests: number
}

/** The proposal of `fossick sources add` for each site, unchanged, plus the parts that only an operator can know. */
export async function proposedSources(
  appliance: WeekAppliance,
  stands: readonly Stand[],
  knowledge: Knowledge,
): Promise<ReadonlyMap<string, Proposal>> {
  const proposals = new Map<string, Proposal>()
  for (const stand of stands) {
    const { out, err } = await appliance.command("sources", "add", stand.start, "--json")
    const look = parse(out === "" ? "{}" : out) as {
      source?: Record<string, unknown>
      requests?: number
      took_ms?: number
    }
    if (!look.source) process.stderr.write(`no proposal for ${stand.name}: ${err || out}\n`)
    proposals.set(stand.name, {
      source: {
        seeds: stand.start,
        ...look.source,
        ...known(stand, look.source ?? {}, knowledge),
        name: stand.name,
      },
      seconds: (look.took_ms ?? 0) / 1000,
      requests: look.requests ?? 0,
    })
  }
  return proposals
}

/** The facts that only the operator knows: the wiki's account, the authority's certificate that came by mail, and which part of a site is wanted. */
function known(
  stand: Stand,
  proposed: Record<string, unknown>,
  { passwordFile, authority }: Knowledge,
): Record<string, unknown> {
  const login = proposed["login"] as { fields?: Record<string, string> } | null | undefined
  if (login?.fields) {
    const fields = Object.entries(login.fields).map(([name, value]) => [
      name,
      value.startsWith("${") || value.startsWith("file:") ? `file:${passwordFile}` : WIKI_LOGIN.user,
    ])
    return { login: { ...login, fields: Object.fromEntries(fields) as Record<string, string> } }
  }
  if (stand.name === "internal-manual") return { caFile: authority }
  // The operator wants some chapters of the manual, in every language.
  if (stand.name === "apache-manual") return { scope: "host", include: ["/manual/*/howto/*.html"] }
  return {}
}

/** The sources file: each source runs at three in the morning and notifies `hook`. */
export function sourcesFile(sources: readonly Record<string, unknown>[], hook: string): string {
  const common = {
    schedule: { cron: "0 3 * * *", timeZone: "UTC" },
    // Visits every page every night: a page that isn't due tells us nothing about a sick site.
    revisit: { minHours: 1, maxHours: 12 },
    webhooks: [{ url: hook, events: ["finished", "changed"], secret: "${WEEK_WEBHOOK_SECRET}" }],
  }
  return stringify({ sources: sources.map((source) => ({ ...source, ...common })) })
}
