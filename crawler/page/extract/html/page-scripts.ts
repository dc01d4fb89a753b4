/** Number of characters of an inline script that are searched. */
export const MAX_SCRIPT_CHARS = 20_000

/** Matches third-party scripts for tracking, ads and consent, which don't build the page. */
const WATCHING =
  /(?:googletagmanager|google-analytics|googlesyndication|doubleclick|gtag\/js|\/gtm\.js|plausible|matomo|piwik|hotjar|clarity\.ms|cloudflareinsights|cdn-cgi|facebook\.net|segment\.com|umami|statcounter|newrelic|sentry|cookiebot|onetrust|recaptcha|adsbygoogle)/i
/** Signs that a script builds the page or navigates to another. */
const MAKES =
  /innerHTML|insertAdjacent|append|createElement|document\.write|textContent|fetch\s*\(|XMLHttpRequest|import\s*\(|import\b[^;]*from|location|createApp|render|mount/

/** Whether a `<script>` of this type is a program rather than data. */
export const isProgramType = (type: string): boolean =>
  type === "" || /javascript|ecmascript|module/i.test(type)

/** Whether a script file could build the page, judging by its address. */
export const mayMakePage = (src: string): boolean => !WATCHING.test(src)

/** Whether an inline script could build the page. */
export const makesPage = (program: string): boolean => MAKES.test(program) && !WATCHING.test(program)
