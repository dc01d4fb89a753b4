import { folderOf, generatorVersion, marksOn, type Program } from "../program.ts"

export const dokuwiki: Program = {
  name: "DokuWiki",
  recipe: "dokuwiki",
  evidence: (look) =>
    marksOn(look, [
      { where: "generator", fits: /^DokuWiki\b/i, says: "the page names DokuWiki as its generator" },
      { where: "asset", fits: /\/lib\/exe\/(?:css|js)\.php\b/, says: "its styles come from lib/exe/css.php" },
      { where: "markup", fits: /\bid="dokuwiki__\w+"/, says: "elements have ids such as dokuwiki__…" },
    ]),
  version: generatorVersion(/^DokuWiki (.+)$/i),
  advise(look) {
    const script = new URL("doku.php", folderOf(look, /\/lib\/(?:exe|tpl)\//))
    return {
      sitemap: `${script.href}?do=sitemap`,
      exclude: [
        // A page's forms, histories, diffs and index; "export_…" is another form of the same page.
        "re:[?&](?:do|rev|rev2|difftype|idx|tab_files|tab_details|image|sectok|mddo|export|vecdo)(?:%5B|\\[|=)",
        "re:/_(?:export|detail)/",
        "re:/lib/(?:exe/(?:detail|css|js|indexer|taskrunner|mediamanager|ajax|xmlrpc|jsonrpc|opensearch|manifest)\\.php|plugins/|tpl/)",
        "/**/feed.php",
      ],
      login: `${script.href}?id=start&do=login`,
      notes: [
        "Pages without links to them are found only if the wiki generates a sitemap (its setting sitemap, in days).",
        "DokuWiki sets noindex on pages younger than its setting indexdelay (five days), so a new wiki looks empty to crawlers until then.",
      ],
    }
  },
}
