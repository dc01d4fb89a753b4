import { percentDecoded } from "#base/text/percent-decoded.ts"
import { generatorVersion, marksOn, type Program } from "../program.ts"
import type { SiteLook } from "../../site-look.ts"

/** Namespaces that every MediaWiki has, in any language. */
const NAMESPACES = ["Special", "Media", "User", "MediaWiki", "Template", "Module", "(?:[A-Z]\\w+_)?[Tt]alk"]
/** Ids of list items whose links contain the local name of a namespace. */
const LOCAL = [/^Special:/, /^(?:n|t|pt|ca)-(?:specialpages|talk|recentchanges|login|anoncontribs)$/]

export const mediawiki: Program = {
  name: "MediaWiki",
  recipe: "mediawiki",
  evidence: (look) =>
    marksOn(look, [
      { where: "generator", fits: /^MediaWiki\b/, says: "the page names MediaWiki as its generator" },
      {
        where: "asset",
        fits: /\/load\.php\?.*\b(?:modules|only)=/,
        says: "its styles come from load.php",
      },
      { where: "markup", fits: /\bid="mw-content-text"/, says: "an element has the id mw-content-text" },
    ]),
  version: generatorVersion(/^MediaWiki ([\d.]+\S*)/),
  advise(look) {
    const namespaces = [...NAMESPACES, ...localNamespaces(look)].join("|")
    return {
      exclude: [
        "re:[?&](?:action|veaction|oldid|diff|curid|printable|redlink|returnto|section|mobileaction|useskin|uselang|feed|from|until|pagefrom|subcatfrom|filefrom)=",
        `re:(?:/|[?&]title=)(?:${namespaces})(?::|%3A)`,
        "/**/{api,load,opensearch_desc,rest}.php",
        "re:/rest\\.php/",
      ],
      ...loginOf(look),
      notes: [
        "Talk, user and template pages are left out; to include them, remove their patterns from exclude.",
      ],
    }
  },
}

/** The local prefixes of links to special pages and to the talk page: `Spezial`, `Diskussion`. */
function localNamespaces({ html }: SiteLook): string[] {
  const found = new Set<string>()
  for (const [, id = "", href = ""] of html.matchAll(
    /<li\s[^>]*\bid="([\w-]+)"[^>]*>\s*<a\s[^>]*\bhref="([^"]*)"/g,
  )) {
    if (!LOCAL.some((mark) => mark.test(id))) continue
    const name = /(?:\/|[?&;]title=)([^/?&=;#:]+):[^/]/.exec(decoded(href))?.[1]
    if (name !== undefined && /^[\p{L}\p{M}_]+$/u.test(name)) {
      found.add(name)
      found.add(encodeURIComponent(name))
    }
  }
  return [...found].filter((name) => !/^(?:Special|Talk|User|Project)$/.test(name))
}

const decoded = (href: string): string => percentDecoded(href) ?? href

function loginOf({ links }: SiteLook): { login?: string } {
  const link = links.find(({ url }) => /UserLogin|[?&]title=[^&]*(?::|%3A)(?:Anmelden|Connexion)/i.test(url))
  return link ? { login: link.url } : {}
}
