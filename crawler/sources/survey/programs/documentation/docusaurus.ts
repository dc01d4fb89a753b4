import { folderOf, generatorVersion, marksOn, type Program } from "../program.ts"

export const docusaurus: Program = {
  name: "Docusaurus",
  recipe: "docusaurus",
  evidence: (look) =>
    marksOn(look, [
      { where: "generator", fits: /^Docusaurus\b/, says: "the page names Docusaurus as its generator" },
      { where: "markup", fits: /\bid=["']?__docusaurus\b/, says: "an element has the id __docusaurus" },
    ]),
  version: generatorVersion(/^Docusaurus v?([\d.]+\S*)/),
  advise: (look) => ({
    exclude: [
      "/**/404.html",
      "/**/search",
      "/**/tags/**",
      "/**/blog/{archive,authors}/**",
      "/**/blog/page/**",
      "/**/docs/next/**",
    ],
    sitemap: new URL("sitemap.xml", folderOf(look, /\/assets\/(?:css|js)\//)).href,
    sendsText: true,
    notes: [
      "docs/next is the unreleased version; older versions (docs/1.x) are crawled too unless you exclude them.",
    ],
  }),
}
