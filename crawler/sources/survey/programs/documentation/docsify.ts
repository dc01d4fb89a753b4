import type { PageUrl } from "#engine"
import { marksOn, type Program } from "../program.ts"

export const docsify: Program = {
  name: "docsify",
  recipe: "docsify",
  evidence: (look) =>
    marksOn(look, [
      { where: "markup", fits: /\$docsify\s*=/, says: "the page sets window.$docsify" },
      { where: "asset", fits: /\/docsify(?:@[^/]*)?\/|\/docsify(?:\.min)?\.js/, says: "it loads docsify.js" },
    ]),
  version: ({ assets }) =>
    assets.map((asset) => /\/docsify@(\d+(?:\.\d+)*)/.exec(asset)?.[1]).find(Boolean) ?? null,
  advise({ html, url }) {
    const isHistory = /routerMode["']?\s*:\s*["']history["']/.test(html)
    return {
      needsBrowser: true,
      exclude: isHistory
        ? ["re:[?&]id=", "/**/_{sidebar,navbar,coverpage}*"]
        : ["re:#!?/.*[?&]id=", "re:#!?/(?:.*/)?_(?:sidebar|navbar|coverpage)"],
      ...(isHistory ? {} : { seed: `${new URL(".", url).href}#/` as PageUrl }),
      notes: [
        isHistory
          ? "Its pages are at plain addresses (routerMode history)."
          : "Its pages are at addresses behind #/; results open them there.",
        "Addresses of headings (?id=…) are left out: they are sections of pages.",
      ],
    }
  },
}
