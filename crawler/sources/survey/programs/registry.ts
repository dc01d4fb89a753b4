import type { SiteLook } from "../site-look.ts"
import { docsify } from "./documentation/docsify.ts"
import { docusaurus } from "./documentation/docusaurus.ts"
import { mkdocs } from "./documentation/mkdocs.ts"
import { sphinx } from "./documentation/sphinx.ts"
import { gitlab } from "./platforms/gitlab.ts"
import { nextcloud } from "./platforms/nextcloud.ts"
import { sharepoint } from "./platforms/sharepoint.ts"
import { wordpress } from "./platforms/wordpress.ts"
import type { Advice, Program } from "./program.ts"
import { scriptApp } from "./script-app.ts"
import { confluence } from "./wikis/confluence.ts"
import { dokuwiki } from "./wikis/dokuwiki.ts"
import { mediawiki } from "./wikis/mediawiki.ts"

/** All known programs, the more specific ones first. */
export const PROGRAMS: readonly Program[] = [
  dokuwiki,
  mediawiki,
  confluence,
  mkdocs,
  docusaurus,
  sphinx,
  docsify,
  gitlab,
  nextcloud,
  sharepoint,
  wordpress,
  scriptApp,
]

/** The program that made a site, and how its sites are crawled. */
export interface Recognised {
  readonly name: string
  readonly version: string | null
  readonly evidence: readonly string[]
  /** The program's section in docs/recipes.md; `null` if the program has none. */
  readonly recipe: string | null
  readonly advice: Advice
}

const MAX_NAME_CHARS = 60

/** The program that made a site: a known program, or otherwise the generator named by the page. `null` if there is no indication. */
export function recognise(look: SiteLook): Recognised | null {
  for (const program of PROGRAMS) {
    const evidence = program.evidence(look)
    if (evidence.length > 0) {
      return {
        name: program.name,
        version: program.version(look),
        evidence,
        recipe: program.recipe,
        advice: program.advise(look),
      }
    }
  }
  const name = look.generator.slice(0, MAX_NAME_CHARS).trim()
  return name === ""
    ? null
    : { name, version: null, evidence: [`the page names it as its generator`], recipe: null, advice: {} }
}
