import { folderOf, marksOn, type Program } from "../program.ts"

export const mkdocs: Program = {
  name: "MkDocs",
  recipe: "mkdocs-and-material-for-mkdocs",
  evidence: (look) =>
    marksOn(look, [
      { where: "generator", fits: /^mkdocs-/, says: "the page names MkDocs as its generator" },
      { where: "markup", fits: /\sdata-md-component=/, says: "it has the components of Material for MkDocs" },
      { where: "markup", fits: /<!--\s*MkDocs version\s*:/i, says: "a comment names the version of MkDocs" },
    ]),
  version: ({ generator, html }) =>
    /^mkdocs-([\d.]+)/.exec(generator)?.[1] ??
    /<!--\s*MkDocs version\s*:\s*([\d.]+)/i.exec(html)?.[1] ??
    null,
  advise: (look) => ({
    exclude: ["/**/404.html", "/**/search.html", "/**/search/**", "/**/print_page/**"],
    sitemap: new URL("sitemap.xml", folderOf(look, /\/(?:assets\/(?:stylesheets|javascripts)|css|js)\//))
      .href,
    sendsText: true,
  }),
}
