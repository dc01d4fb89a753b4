import { stringify } from "yaml"
import type { Certificates } from "./programs/manuals.ts"
import { WIKI_LOGIN } from "./programs/wikis.ts"
import type { Stand } from "./world.ts"

/** Where the secrets of the sources stand: an operator changes a file, and restarts nothing. */
export interface Secrets {
  readonly wikiPassword: string
}

/** What every source of the week has: when it runs, and whom it tells. */
function defaults(hook: string) {
  return {
    schedule: { cron: "0 3 * * *", timeZone: "UTC" },
    webhooks: [{ url: hook, events: ["finished", "changed"], secret: "${WEEK_WEBHOOK_SECRET}" }],
  }
}

/** Sources as somebody writes them who has read the handbook and looked at each site for a minute. */
export function handWritten(
  stands: readonly Stand[],
  hook: string,
  certificates: Certificates,
  secrets: Secrets,
): string {
  const sources = stands.map((stand) => ({
    name: stand.name,
    seeds: stand.start,
    allowedNetworks: ["127.0.0.1", "localhost"],
    ...special(stand, certificates, secrets),
  }))
  return stringify({ defaults: defaults(hook), sources })
}

function special(stand: Stand, certificates: Certificates, secrets: Secrets): Record<string, unknown> {
  switch (stand.name) {
    case "dokuwiki":
      return { exclude: ["re:[?&](do|rev|idx|image|tab_files)=", "/lib/**", "/feed.php"] }
    case "intranet":
      return {
        exclude: ["re:[?&](do|rev|idx|image|tab_files)=", "/lib/**", "/feed.php"],
        login: {
          kind: "form",
          url: `${stand.url}/doku.php/start?do=login`,
          fields: { u: WIKI_LOGIN.user, p: `file:${secrets.wikiPassword}` },
          proof: "Log Out",
        },
      }
    case "mediawiki":
      return {
        exclude: [
          "re:[?&](action|oldid|diff|printable|redlink)=",
          "re:[/=](Special|Help|Talk|User|User_talk):",
        ],
      }
    case "apache-manual":
      return { include: ["/manual/*/howto/*.html"] }
    case "gitlab-pages":
      return { scope: "prefix" }
    case "internal-manual":
      return { caFile: certificates.authority }
    case "docsify-hash":
      return { seeds: `${stand.url}/#/`, exclude: ["re:[?&]id="], rendering: "browser" }
    case "docsify-history":
      return { exclude: ["re:[?&]id="], rendering: "browser" }
    case "react":
      return { rendering: "browser" }
    default:
      return {}
  }
}
