import type { PageHead } from "./faces.ts"

/** Matches `session/waiting.tsx`: shown before the script loads, and then replaced by it. */
const WAITING =
  '<p class="booting"><img src="faces/icon.svg" alt="" width="32" height="32"><span>Fossick</span></p>'

/**
 * The document of a face. It contains only what loads the rest: every word on it but the name comes from the script,
 * and every address is relative, so that it also works behind a proxy that serves the appliance under a path.
 */
export function facePage(
  { title, description, isSearchEngine = false }: PageHead,
  { script, style }: { readonly script: string; readonly style: string },
): string {
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    `<title>${title}</title>`,
    `<meta name="description" content="${description}">`,
    '<link rel="icon" type="image/svg+xml" href="faces/icon.svg">',
    ...(isSearchEngine
      ? [
          '<link rel="search" type="application/opensearchdescription+xml" title="Fossick" href="opensearch.xml">',
        ]
      : []),
    `<link rel="stylesheet" href="faces/${style}">`,
    `<script type="module" src="faces/${script}"></script>`,
  ]
  return `<!doctype html>
<html lang="en">
<head>
${head.join("\n")}
</head>
<body>
<div id="face">${WAITING}</div>
<noscript><p>This page needs JavaScript. The <a href="docs/">handbook</a> and the API work without it.</p></noscript>
</body>
</html>
`
}
