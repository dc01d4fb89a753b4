import type { PageUrl } from "#engine"
import { folderOf, marksOn, type Program } from "../program.ts"

const GENERATED =
  /(?:Created using|Generated with|Built with)\s*(?:<[^>]*>\s*){0,2}Sphinx(?:<\/a>)?\s*v?([\d.]*\d)?/i

export const sphinx: Program = {
  name: "Sphinx",
  recipe: "sphinx",
  evidence: (look) =>
    marksOn(look, [
      {
        where: "asset",
        fits: /\/_static\/(?:documentation_options|doctools|sphinx_highlight)\.js/,
        says: "its scripts include _static/doctools.js",
      },
      { where: "markup", fits: GENERATED, says: "it says that Sphinx made it" },
      { where: "markup", fits: /\bclass="sphinxsidebar/, says: "an element has the class sphinxsidebar" },
    ]),
  version: ({ html }) => GENERATED.exec(html)?.[1] ?? null,
  advise(look) {
    const root = folderOf(look, /\/_static\//)
    return {
      exclude: [
        "/**/_sources/**",
        "/**/_modules/**",
        "re:/(?:genindex(?:-\\w+)?|search|[a-z]+-modindex)(?:\\.html|/)(?:[?#]|$)",
      ],
      // Read the Docs and similar hosts put each language and version in a separate folder.
      ...(isVersioned(look.asked, root) ? { seed: root as PageUrl } : {}),
      sitemap: new URL("sitemap.xml", root).href,
      sendsText: true,
      notes: ["Source code pages (_modules) are left out; to include them, remove the pattern from exclude."],
    }
  },
}

const isVersioned = (asked: string, root: string): boolean =>
  new URL(asked).pathname === "/" &&
  /^\/(?:[a-z]{2}(?:[-_][a-z]{2,4})?\/)?(?:latest|stable|main|master|dev|v?\d[\d.]*)\/$/i.test(
    new URL(root).pathname,
  )
