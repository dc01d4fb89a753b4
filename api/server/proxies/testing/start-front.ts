import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { request, type RequestOptions } from "node:https"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { text } from "node:stream/consumers"
import { getCACertificates, setDefaultCACertificates } from "node:tls"

import { endWithUs } from "#base/testing/end-with-us.ts"
import { freePort } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"
import { makeCertificate } from "#crawler/fetch/connect/make-certificate.ts"

const DOCS = join(import.meta.dirname, "../../../../docs")
/** The site name in the handbook's examples, which can be any name. */
const EXAMPLE_NAME = "search.example.com"
/** The appliance's address in the examples. */
const EXAMPLE_APPLIANCE = "127.0.0.1:8080"

interface FrontProgram {
  /** The rest of a complete configuration, to be put around a site. */
  readonly around: (site: string, folder: string) => string
  /** The site, on a loopback port. */
  readonly placed: (site: string, port: number) => string
  readonly args: (file: string) => readonly string[]
}

export const FRONTS = {
  nginx: {
    around: (site, folder) => {
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
        .join(" ")
      const user = process.getuid?.() === 0 ? "user root;" : ""
      return `daemon off; ${user} pid ${folder}/pid; events {} http { access_log off; ${temporary}\n${site}}\n`
    },
    placed: (site, port) => site.replace("listen 443", `listen 127.0.0.1:${port}`),
    args: (file) => ["-e", "stderr", "-c", file],
  },
  caddy: {
    around: (site, folder) =>
      `{\n admin off\n auto_https disable_redirects\n default_bind 127.0.0.1\n storage file_system ${folder}\n}\n${site}`,
    placed: (site, port) =>
      site.replace(/^.*\{$/m, (names) => names.replaceAll(/[a-z]+(\.[a-z]+)*/g, `$&:${port}`)),
    args: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  },
} as const satisfies Record<string, FrontProgram>
export type FrontName = keyof typeof FRONTS

export interface Front extends AsyncDisposable {
  readonly port: number
  /** Sends a request to one of the site's names, bypassing DNS. */
  ask(
    path: string,
    options?: Omit<RequestOptions, "headers"> & {
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    },
  ): Promise<{ readonly status: number; readonly body: string }>
}

/**
 * Runs a page's example in front of an appliance, unchanged except for its port, the address of the appliance and of
 * its certificate, and `localhost` in place of the example's name. Until the front is disposed of, this process trusts
 * its certificate.
 * @param name the host name for requests
 */
export async function startFront(
  program: FrontName,
  { page, name, appliance }: { readonly page: string; readonly name: string; readonly appliance: string },
): Promise<Front> {
  const { around, placed, args }: FrontProgram = FRONTS[program]
  const folder = mkdtempSync(join(tmpdir(), "fossick-front-"))
  // Two authorities with the same name would be mistaken for each other.
  const authority = makeCertificate({ subject: basename(folder), isAuthority: true })
  const certificate = makeCertificate({ subject: name, names: [name], issuer: authority })
  writeFileSync(join(folder, "front.crt"), certificate.cert)
  writeFileSync(join(folder, "front.key"), certificate.key)
  const port = await freePort()
  const site = placed(exampleOf(page, program), port)
    .replaceAll(EXAMPLE_NAME, "localhost")
    .replace(EXAMPLE_APPLIANCE, new URL(appliance).host)
    .replaceAll(/\/etc\/\S+\.(crt|key)\b/g, `${folder}/front.$1`)
  const file = join(folder, "configuration")
  writeFileSync(file, around(site, folder))
  const child = spawn(program, args(file), {
    // Caddy writes to these folders.
    env: { PATH: process.env["PATH"], HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  })
  endWithUs(child)
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, "exit")
  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, authority.cert])

  const ask: Front["ask"] = async (path, { body, ...options } = {}) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      servername: name,
      path,
      ...options,
      headers: { ...options.headers, Host: name },
    })
    sent.end(body)
    const [response] = (await once(sent, "response")) as [IncomingMessage]
    return { status: response.statusCode ?? 0, body: await text(response) }
  }
  const front: Front = {
    port,
    ask,
    async [Symbol.asyncDispose]() {
      setDefaultCACertificates(trusted)
      child.kill("SIGTERM")
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${program} exited with code ${child.exitCode}:\n${said}`)
      return (await ask("/healthz").catch(() => null))?.status === 200
    })
  } catch (error) {
    await front[Symbol.asyncDispose]()
    throw error
  }
  return front
}

/** The only example in the given language on a page of the handbook. */
function exampleOf(page: string, language: string): string {
  const markdown = readFileSync(join(DOCS, `${page}.md`), "utf8")
  const [example, ...others] = [
    ...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm")),
  ]
  if (example?.[1] === undefined || others.length > 0)
    throw new Error(`${page}.md: not one ${language} block`)
  return example[1]
}
