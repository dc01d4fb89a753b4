// The exports of this folder that the rest of the crawler uses.
export { extractHtml } from "./extract-html.ts"
export { extractLinks } from "./extract-links.ts"
export { extractText, linksOfMarkdown, normalised } from "./extract-text.ts"
export { toPlainText } from "./markdown/plain-text.ts"
