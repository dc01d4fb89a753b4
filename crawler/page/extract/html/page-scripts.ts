/** Of a script inside the document, as much as is looked at. */
export const MAX_SCRIPT_CHARS = 20_000

/** Scripts of others, which watch the reader and make no page. */
const WATCHING =
  /(?:googletagmanager|google-analytics|googlesyndication|doubleclick|gtag\/js|\/gtm\.js|plausible|matomo|piwik|hotjar|clarity\.ms|cloudflareinsights|cdn-cgi|facebook\.net|segment\.com|umami|statcounter|newrelic|sentry|cookiebot|onetrust|recaptcha|adsbygoogle)/i
/** What a script does that makes a page, or goes to another. */
const MAKES =
  /innerHTML|insertAdjacent|append|createElement|document\.write|textContent|fetch\s*\(|XMLHttpRequest|import\s*\(|import\b[^;]*from|location|createApp|render|mount/

/** Whether a `<script>` of this type is a program, and not data. */
export const isProgramType = (type: string): boolean =>
  type === "" || /javascript|ecmascript|module/i.test(type)

/** Whether a script file could make a page, as far as its address tells. */
export const mayMakePage = (src: string): boolean => !WATCHING.test(src)

/** Whether a script inside the document could make the page. */
export const makesPage = (program: string): boolean => MAKES.test(program) && !WATCHING.test(program)
