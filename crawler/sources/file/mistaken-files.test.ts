import { expect, test } from "vitest"
import { parseSources, SourcesFileError } from "./sources-file.ts"

// Files with common mistakes, and the message for each: one sentence per mistake, with its place and what to do.

const env = { WEAK_SECRET: "changemechangeme", P: "hunter2" }

function told(text: string): string[] {
  try {
    parseSources(text.slice(1), "f", { env, webhookNetworks: [] })
  } catch (error) {
    if (!(error instanceof SourcesFileError)) throw error
    return error.message.split("\n")
  }
  return []
}

test.each([
  [
    "secrets without quotes in a group in braces over several lines",
    `
sources:
  - name: wiki
    seeds: https://wiki.example.com/
    login: { kind: form, url: https://wiki.example.com/login,
      fields: { user: \${WIKI_USER}, password: \${WIKI_PASSWORD} },
      proof: Log out }
    schedule: { everyHours: 6 }
  - name: docs
    seeds: https://docs.example.com/
    exclude: ["/a/**"]
  - name: blog
    seeds: https://blog.example.com/
    limits: { pages: 500 }
`,
    [
      'f:5:23: ${WIKI_USER} must be in quotes: "${WIKI_USER}"',
      'f:5:47: ${WIKI_PASSWORD} must be in quotes: "${WIKI_PASSWORD}"',
    ],
  ],
  [
    "the same on one line each",
    `
sources:
  - { name: wiki, seeds: wiki.example.com, login: { kind: basic, user: ada, password: \${WIKI_PASSWORD} } }
  - { name: docs, seeds: docs.example.com, webhooks: [{ url: https://hooks.example.com/, secret: \${HOOK} }] }
`,
    [
      'f:2:87: ${WIKI_PASSWORD} must be in quotes: "${WIKI_PASSWORD}"',
      'f:3:98: ${HOOK} must be in quotes: "${HOOK}"',
    ],
  ],
  [
    "patterns that begin with a star",
    `
sources:
  - name: docs
    seeds: docs.example.com
    exclude: [*.pdf, *.zip]
    include:
      - *guide*
`,
    [
      "f:4:15: *.pdf must be in quotes, because it begins with *",
      "f:4:22: *.zip must be in quotes, because it begins with *",
      "f:6:9: *guide* must be in quotes, because it begins with *",
    ],
  ],
  [
    "a tab as indentation",
    `
sources:
  - name: docs
	seeds: docs.example.com
`,
    ["f:3:1: is indented with a tab; YAML allows only spaces"],
  ],
  [
    "no blank behind the colon",
    `
sources:
  - name:docs
    seeds:docs.example.com
`,
    ['f:2:5: sources[0] must be a group of fields; put a space after the colon, as in "name: docs"'],
  ],
  [
    "misspelt fields",
    `
sources:
  - name: docs
    seed: docs.example.com
    shedule: 0 3 * * *
    limit: { pages: 100 }
`,
    [
      'f:3:11: docs: seed isn\'t a field of a source; did you mean "seeds"?',
      'f:4:14: docs: shedule isn\'t a field of a source; did you mean "schedule"?',
      'f:5:5: docs: limit isn\'t a field of a source; did you mean "limits"?',
    ],
  ],
  [
    "fields that belong into a group",
    `
sources:
  - name: docs
    seeds: docs.example.com
    pages: 500
    depth: 3
    cron: 0 3 * * *
    delayMs: 200
`,
    [
      "f:4:12: docs: pages must be a group of fields; limits has a field of that name, as in limits: { pages: … }",
      "f:5:12: docs: depth isn't a field of a source; it belongs in limits, as in limits: { depth: … }",
      "f:6:11: docs: cron isn't a field of a source; it belongs in schedule, as in schedule: { cron: … }",
      "f:7:14: docs: delayMs isn't a field of a source; it belongs in politeness, as in politeness: { delayMs: … }",
    ],
  ],
  [
    "one source where a list is wanted",
    `
sources:
  name: docs
  seeds: docs.example.com
`,
    ['f:1:1: sources must be a list; begin each entry with "- "'],
  ],
  [
    "a bare list",
    `
- name: docs
  seeds: docs.example.com
`,
    ['f:1:1: must be a group of fields; put the list under "sources:"'],
  ],
  [
    "logins without their kind, or with another spelling",
    `
sources:
  - name: a
    seeds: a.example
    login: { user: ada, password: "\${P}" }
  - name: b
    seeds: b.example
    login: { kind: Basic, user: ada, password: "\${P}" }
`,
    ["f:4:5: a: login.kind is missing", "f:7:20: b: login.kind must be one of basic, headers, cookies, form"],
  ],
  [
    "a login with the fields of two kinds",
    `
sources:
  - name: a
    seeds: a.example
    login: { kind: basic, user: ada, password: hunter2, url: https://a.example/login }
  - name: b
    seeds: b.example
    login: { kind: form, fields: { user: ada } }
`,
    [
      "f:4:48: a: login.password must name a secret, not contain it: ${NAME} for an environment variable, or file:/path",
      "f:4:62: a: login.url isn't a field of a basic login; the fields are kind, user, password",
      "f:7:5: b: login.url is missing",
    ],
  ],
  [
    "a login in one text",
    `
sources:
  - name: a
    seeds: a.example
    login: "ada:hunter2"
`,
    ["f:4:12: a: login must be a group of fields or null"],
  ],
  [
    "secrets that are not there",
    `
sources:
  - name: wiki
    seeds: wiki.example.com
    login: { kind: basic, user: ada, password: "\${NOT_SET_ANYWHERE}" }
  - name: docs
    seeds: docs.example.com
    login: { kind: headers, headers: { Authorization: "Bearer \${NOT_SET_EITHER}", X-Key: "file:/run/secrets/none" } }
`,
    [
      "f:4:48: wiki: login.password cannot be used: the secret ${NOT_SET_ANYWHERE} is not set in the crawler's environment",
      "f:7:55: docs: login.headers.Authorization cannot be used: the secret ${NOT_SET_EITHER} is not set in the crawler's environment",
      "f:7:90: docs: login.headers.X-Key cannot be used: the secret file:/run/secrets/none cannot be read (ENOENT)",
    ],
  ],
  [
    "webhooks to where none may go",
    `
sources:
  - name: a
    seeds: a.example
    webhooks:
      - url: http://localhost:9000/hook
      - url: http://10.1.2.3/hook
      - url: https://[::1]/hook
      - url: http://169.254.169.254/latest
      - url: ftp://hooks.example.com/
`,
    [
      "f:5:14: a: webhooks[0].url must not be a private address; allow it with FOSSICK_WEBHOOK_NETWORKS",
      "f:6:14: a: webhooks[1].url must not be a private address; allow it with FOSSICK_WEBHOOK_NETWORKS",
      "f:7:14: a: webhooks[2].url must not be a private address; allow it with FOSSICK_WEBHOOK_NETWORKS",
      "f:8:14: a: webhooks[3].url must not lead to a cloud metadata service, which is never read",
      'f:9:14: a: webhooks[4].url must be an http or https address; "ftp://hooks.example.com/" isn\'t one',
    ],
  ],
  [
    "a webhook's secret that anybody could guess",
    `
sources:
  - name: a
    seeds: a.example
    webhooks: [{ url: https://hooks.example.com/, secret: "\${WEAK_SECRET}" }]
`,
    [
      "f:4:59: a: webhooks[0].secret cannot be used: the secret ${WEAK_SECRET} must be hard to guess: at least 16 characters, at least 8 of them different, no repeated text, and no sequence such as 0123456789abcdef. openssl rand -hex 16 makes a good one",
    ],
  ],
  [
    "a source called as the handbook",
    `
sources:
  - name: handbook
    seeds: https://handbook.example.com/
`,
    ["f:2:11: handbook: name must not be handbook: this is the appliance's own handbook"],
  ],
  [
    "a field and a name that stand twice",
    `
sources:
  - name: docs
    seeds: docs.example.com
    scope: host
    scope: domain
  - name: docs
    seeds: other.example.com
`,
    ["f:5:5: scope appears twice in one group"],
  ],
  [
    "defaults that are wrong for every source",
    `
defaults:
  exclude: ["re:("]
  webhooks: [{ url: "http://192.168.1.5/" }]
sources:
  - { name: a, seeds: a.example }
  - { name: b, seeds: b.example }
  - { name: c, seeds: c.example }
`,
    [
      "f:2:13: defaults.exclude[0] isn't a valid pattern: \"(\" isn't a valid regular expression (missing closing ): `(`).",
      "f:3:21: defaults.webhooks[0].url must not be a private address; allow it with FOSSICK_WEBHOOK_NETWORKS",
    ],
  ],
  [
    "schedules in words, in two ways and in a number",
    `
sources:
  - name: a
    seeds: a.example
    schedule: every night
  - name: b
    seeds: b.example
    schedule: { cron: "0 3 * * *", everyHours: 6, timezone: Europe/Paris }
  - name: c
    seeds: c.example
    schedule: 6
`,
    [
      'f:4:15: a: schedule.cron must have five fields, such as "15 3 * * *"',
      'f:7:61: b: schedule.timezone isn\'t a field of schedule; did you mean "timeZone"?',
      "f:10:15: c: schedule must be text or a group of fields or null",
    ],
  ],
  [
    "values of the wrong type",
    `
sources:
  - name: 2024
    seeds: 42
    scope: site
    limits: { pages: "500", depth: -1, minutes: no }
    rendering: yes
    politeness: { robots: "off" }
    removal: { maxShare: 10% }
`,
    [
      'f:2:11: sources[0].name must be text; put it in quotes: "2024"',
      'f:3:12: sources[0].seeds must be text or a list; put it in quotes: "42"',
      "f:4:12: sources[0].scope must be one of host, domain, prefix",
      "f:5:22: sources[0].limits.pages must be a whole number, without quotes",
      "f:5:36: sources[0].limits.depth must be >= 0",
      "f:5:49: sources[0].limits.minutes must be a number or null",
      "f:6:16: sources[0].rendering must be one of http, browser, auto",
      "f:7:27: sources[0].politeness.robots must be true or false or null",
      "f:8:26: sources[0].removal.maxShare must be a number",
    ],
  ],
  [
    "a quote that is not closed",
    `
sources:
  - name: docs
    seeds: "https://docs.example.com/
    scope: host
  - name: blog
    seeds: blog.example.com
    limits: { pages: 500
`,
    ['f:3:12: text that begins with " here is never closed'],
  ],
  [
    "a text with a colon",
    `
sources:
  - name: docs: the manual
    seeds: docs.example.com
  - name: blog
    seeds: blog.example.com
`,
    [
      'f:2:11: either this line or the next has the wrong indentation, or text that contains ": " isn\'t in quotes',
    ],
  ],
  [
    "lines that are indented wrongly",
    `
sources:
  - name: docs
     seeds: docs.example.com
   - name: blog
     seeds: blog.example.com
`,
    [
      'f:2:11: either this line or the next has the wrong indentation, or text that contains ": " isn\'t in quotes',
    ],
  ],
  [
    "addresses that are none",
    `
sources:
  - name: a
    seeds: [www.example.com/a b, "htp://docs.example.com", "https://", /docs/, http://ann:pw@x.example/]
  - name: b
    seeds: C:\\docs\\index.html
`,
    [
      'f:3:34: a: seeds[1] must be an http or https address; "htp://docs.example.com" isn\'t one',
      'f:3:60: a: seeds[2] must be an http or https address; "https://" isn\'t one',
      'f:3:72: a: seeds[3] must be an http or https address; "/docs/" isn\'t one',
      "f:3:80: a: seeds[4] must not contain a user or password; use login for them",
      'f:5:12: b: seeds[0] must be an http or https address; "C:\\\\docs\\\\index.html" isn\'t one',
    ],
  ],
  [
    "entries without anything",
    `
sources:
  - name: a
    seeds: a.example
  -
  - name: b
    seeds:
`,
    [
      "f:4:4: sources[1] is empty, and must be a group of fields",
      "f:6:5: b: seeds is empty, and must be text or a list",
    ],
  ],
  [
    "misspelt fields of the file",
    `
source:
  - name: a
    seeds: a.example
backups: { folder: /b }
`,
    [
      'f:1:1: source isn\'t a field of the file; did you mean "sources"?',
      'f:4:1: backups isn\'t a field of the file; did you mean "backup"?',
    ],
  ],
  [
    "quotes from a word processor",
    `
sources:
  - name: Ｄocs
    seeds: “https://docs.example.com/”
    include: [‘/a/**’]
`,
    [
      "f:3:12: Ｄocs: seeds[0] begins with a typographic quote; YAML allows only \" and '",
      'f:4:15: Ｄocs: include[0] isn\'t a valid pattern: "‘/a/**’" must begin with "/" (a path), "https://" (an address) or "re:" (a regular expression), or contain no "/" (a file name).',
    ],
  ],
  [
    "secrets in the manner of shells and templates",
    `
sources:
  - name: a
    seeds: $SITE
    login: { kind: basic, user: ada, password: $WIKI_PASSWORD }
  - name: b
    seeds: b.example
    login: { kind: basic, user: ada, password: "{{ vault.password }}" }
`,
    [
      "f:4:48: a: login.password must name a secret, not contain it: ${NAME} for an environment variable, or file:/path",
      "f:7:48: b: login.password must name a secret, not contain it: ${NAME} for an environment variable, or file:/path",
    ],
  ],
  [
    "two documents",
    `
sources: []
---
sources:
  - name: a
    seeds: a.example
`,
    ["f:2:1: begins a second document with ---, but a sources file has only one"],
  ],
  [
    "a file of something else",
    `
%sources
@x
\`y\`
`,
    ["f:2:1: isn't valid YAML: Missing directives-end/doc-start indicator line"],
  ],
  [
    "braces in a pattern without quotes",
    `
sources:
  - name: a
    seeds: a.example
    include: [/{de,fr}/**, /en/**]
    exclude: [ "/x/**" ]
  - name: b
    seeds: b.example
    colour: red
`,
    [
      'f:4:16: isn\'t valid YAML: Missing , or : between flow sequence items; text that contains *, { or [ may need quotes, as in "*.pdf"',
    ],
  ],
  [
    "texts that begin with marks",
    `
sources:
  - name: a
    seeds: a.example
    include: @docs/**
  - name: b
    seeds: b.example
    include: %20/**
`,
    [
      "f:4:14: text that begins with @ must be in quotes",
      "f:7:14: text that begins with % must be in quotes",
    ],
  ],
  [
    "certificates that are not there",
    `
sources:
  - name: a
    seeds: a.example
    caFile: /nowhere/ca.pem
  - name: b
    seeds: b.example
    caFile: /nowhere/b-ca.pem
    clientCert: { cert: "file:/nowhere/b.pem", key: "\${KEY}" }
`,
    [
      "f:4:13: a: caFile cannot be used: /nowhere/ca.pem cannot be read (ENOENT)",
      "f:7:13: b: caFile cannot be used: /nowhere/b-ca.pem cannot be read (ENOENT)",
      "f:8:25: b: clientCert.cert cannot be used: the secret file:/nowhere/b.pem cannot be read (ENOENT)",
      "f:8:53: b: clientCert.key cannot be used: the secret ${KEY} is not set in the crawler's environment",
    ],
  ],
])("%s", (_, text, expected) => {
  expect(told(text)).toEqual(expected)
  expect(told(text).join()).not.toContain("hunter2")
})
