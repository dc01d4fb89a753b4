import { createHash } from "node:crypto"

import { escapeHtml } from "../../faces/handbook/escape-html.ts"

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; padding: 1rem; display: grid; place-items: center; min-height: calc(100dvh - 2rem) }
main { width: 100%; max-width: 28rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.25 }
label { display: block; margin-top: 1rem; font-weight: 600 }
input { box-sizing: border-box; width: 100%; font: inherit; font-weight: 400; padding: .5rem; margin-top: .25rem }
small { display: block; font-weight: 400 }
.error { border-left: .25rem solid #c33; padding-left: .75rem }
.buttons { display: flex; gap: .75rem; margin-top: 1.5rem }
.ways { list-style: none; padding: 0 }
summary { margin-top: 1rem; cursor: pointer }
button { font: inherit; padding: .6rem 1.2rem; flex: 1; cursor: pointer }
`

export interface Consent {
  /** The program's own name for itself; any program can claim any name. */
  readonly clientName: string
  /** The address that gets the answer. */
  readonly redirectUri: string
  /** The appliance's name. */
  readonly resource: string
  /** Collections that the program requests; empty for everything that the key may see. */
  readonly collections: readonly string[]
  /** Path that the form is sent to, as the browser sees it. */
  readonly action: string
  /** The user signed in with this browser; null if no user is signed in. */
  readonly who: { readonly name: string } | null
  /** Links that sign the user in elsewhere and lead back here. */
  readonly signIns: readonly { readonly name: string; readonly url: string }[]
  /** The sealed authorization request. */
  readonly ticket: string
  /** What was wrong with the last attempt; null if nothing. */
  readonly problem: string | null
}

/** The page on which a user admits a program, as the signed-in user or with their key. It has no script. */
export function consentPage({
  clientName,
  redirectUri,
  resource,
  collections,
  ticket,
  problem,
  action,
  who,
  signIns,
}: Consent): string {
  const asked = collections.length === 0 ? "" : escapeHtml(collections.join(", "))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Allow access to Fossick?</title><style>${STYLE}</style></head>
<body><main>
<h1>Let “${escapeHtml(clientName)}” search for you?</h1>
<p>A program with this name is asking to search and read the pages of <b>${escapeHtml(resource)}</b> that ${who === null ? "you may read" : `you may read as <b>${escapeHtml(who.name)}</b>`}.
It will not see your key or your password. You will be sent back to <b>${escapeHtml(placeOf(redirectUri))}</b>. Allow access only if you came from there.</p>
${problem === null ? "" : `<p class="error" role="alert">${escapeHtml(problem)}</p>`}
<form method="post" action="${escapeHtml(action)}" autocomplete="off">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
${keyField(who, signIns)}
<label>Only these collections<small>Names separated by commas; empty for all that you may see.</small>
<input type="text" name="collections" value="${asked}" spellcheck="false"></label>
<div class="buttons"><button name="answer" value="deny">Deny</button><button name="answer" value="allow">Allow</button></div>
</form>
</main></body></html>
`
}

const KEY =
  '<label>Your API key<input type="password" name="key" autocomplete="current-password" spellcheck="false"></label>'

/** Signed-in users need no key, but may use one. */
function keyField(who: Consent["who"], signIns: Consent["signIns"]): string {
  if (who !== null) return `<details><summary>Use an API key instead</summary>${KEY}</details>`
  if (signIns.length === 0) return KEY
  const links = signIns.map(
    ({ name, url }) => `<li><a href="${escapeHtml(url)}">Sign in with ${escapeHtml(name)}</a></li>`,
  )
  return `<ul class="ways">${links.join("")}</ul><p>Or use a key:</p>${KEY}`
}

/**
 * A page that redirects to the consent page: the browser then sends the cookies that it withholds from other sites. It
 * has no script.
 */
export const comingBackPage = (path: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0;url=${escapeHtml(path)}">
<title>Allow access to Fossick?</title><style>${STYLE}</style></head>
<body><main><p><a href="${escapeHtml(path)}">Continue</a></p></main></body></html>
`

/** Allows only this page's own style, and a form that posts here and then redirects to where the program is waiting. */
export function consentPolicy(redirectUri: string): string {
  const hash = createHash("sha256").update(STYLE).digest("base64")
  const { protocol, origin } = new URL(redirectUri)
  const back = origin === "null" ? protocol : origin
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    `form-action 'self' ${back}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ")
}

function placeOf(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri)
  return origin === "null" ? `a program on your machine (${protocol})` : origin
}
