import { escapeHtml } from "./handbook/escape-html.ts"

/**
 * Information that lets a browser offer the appliance as a search engine: OpenSearch 1.1, Draft 6.
 * @param base address of the appliance
 * @param hasSuggestions whether the appliance answers browsers that send neither key nor cookie, which is how they
 * request suggestions
 */
export function openSearchDescription(base: string, hasSuggestions: boolean): string {
  const own = escapeHtml(base.replace(/\/+$/, ""))
  return `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Fossick</ShortName>
<Description>Search the pages of this appliance.</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="32" height="32" type="image/svg+xml">${own}/faces/icon.svg</Image>
<Url type="text/html" method="get" template="${own}/?q={searchTerms}"/>
${hasSuggestions ? `<Url type="application/x-suggestions+json" template="${own}/suggest/opensearch?q={searchTerms}"/>\n` : ""}<Url type="application/opensearchdescription+xml" rel="self" template="${own}/opensearch.xml"/>
</OpenSearchDescription>
`
}
