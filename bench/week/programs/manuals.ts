import { createHash } from "node:crypto"
import { glob, mkdir, readFile, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { Parser } from "htmlparser2"
import { builtFolder, debianPackages, doOnce, runCommand } from "./packages.ts"
import { serveByApache, serveByNginx } from "./servers.ts"
import type { ExpectedPage, RealSite } from "./site.ts"

const CHAPTERS = "howto"

/** Apache's manual in eleven languages, on Apache; untranslated pages are in English. */
export async function apacheManual(folder: string): Promise<RealSite> {
  const root = join(await debianPackages(folder), "usr/share/doc/apache2-doc/manual")
  const seen = new Set<string>()
  const pages: ExpectedPage[] = []
  const paths = (await Array.fromAsync(glob(`*/${CHAPTERS}/*.html`, { cwd: root }))).sort()
  // English comes first: a page that is word for word the same in another language is a copy of the English one.
  for (const path of paths.sort((a, b) => Number(b.startsWith("en/")) - Number(a.startsWith("en/")))) {
    const html = await readFile(join(root, path))
    const text = /<h1>[\s\S]*/.exec(html.toString("latin1"))?.[0] ?? ""
    const digest = createHash("sha256").update(text).digest("hex")
    if (seen.has(digest)) continue
    seen.add(digest)
    const charset = /charset=([\w-]+)/i.exec(html.toString("latin1"))?.[1] ?? "utf-8"
    const decoded = new TextDecoder(charset).decode(html)
    pages.push({ path: `/manual/${path}`, title: plain(/<h1>([\s\S]*?)<\/h1>/.exec(decoded)?.[1] ?? "") })
  }
  return {
    name: "apache-manual",
    program: `Apache's manual (its ${CHAPTERS} chapters) in eleven languages, on Apache 2.4`,
    start: "/manual/en/howto/",
    pages,
    junk: /\/images\/|\/style\//,
    question: {
      text: "protect a directory of the web server by a password file",
      path: "/manual/en/howto/auth.html",
    },
    serve: (port, env) => serveByApache(folder, port, { root, prefix: "/manual" }, env),
  }
}

/** The text of a piece of HTML, on one line. */
function plain(html: string): string {
  let text = ""
  const parser = new Parser({ ontext: (data) => void (text += data) })
  parser.end(html)
  return text.replace(/\s+/g, " ").trim()
}

/** Postfix's manual behind a certificate that is signed only by the company's own certificate authority. */
export async function internalManual(folder: string): Promise<RealSite> {
  const root = join(await debianPackages(folder), "usr/share/doc/postfix/html")
  const authority = await certificates(folder)
  const pages: ExpectedPage[] = []
  for (const path of (await Array.fromAsync(glob("*README.html", { cwd: root }))).sort()) {
    const html = await readFile(join(root, path), "utf8")
    const heading =
      /<h1[^>]*>([\s\S]*?)<\/h1>/i.exec(html)?.[1] ?? /<title>([\s\S]*?)<\/title>/i.exec(html)?.[1]
    pages.push({ path: `/${relative(".", path)}`, title: plain(heading ?? "") })
  }
  return {
    name: "internal-manual",
    program: "Postfix's manual on nginx, with a certificate from an internal authority",
    start: "/",
    pages,
    junk: null,
    question: {
      text: "how does the queue manager of Postfix schedule deliveries to slow destinations",
      path: "/SCHEDULER_README.html",
    },
    serve: (port, env) => serveByNginx(folder, port, { root, certificate: authority }, env),
  }
}

/** Files of an internal certificate authority, and of a server certificate for 127.0.0.1. */
export interface Certificates {
  /** The certificate authority's own certificate, which the operator is given. */
  readonly authority: string
  readonly chain: string
  /** A certificate for the same key that expired yesterday. */
  readonly expired: string
  readonly key: string
}

export async function certificates(folder: string): Promise<Certificates> {
  const at = (name: string) => join(builtFolder(folder, "certificates"), name)
  await doOnce(folder, "certificates", async () => {
    await mkdir(at("."), { recursive: true })
    const openssl = (...args: string[]) => runCommand("openssl", args, { cwd: at(".") })
    await openssl(
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-keyout",
      "ca.key",
      "-out",
      "ca.pem",
      "-days",
      "3650",
      "-subj",
      "/CN=Example internal authority",
    )
    await writeFile(at("names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    await openssl(
      "req",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-keyout",
      "server.key",
      "-out",
      "server.csr",
      "-subj",
      "/CN=manual.internal",
    )
    const sign = ["x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"]
    await openssl(...sign, "-extfile", "names", "-days", "365", "-out", "server.pem")
    // x509 cannot make a certificate for a past period, so its lifetime is set below zero.
    await openssl(...sign, "-extfile", "names", "-days", "-1", "-out", "expired.pem")
  })
  return {
    authority: at("ca.pem"),
    chain: at("server.pem"),
    expired: at("expired.pem"),
    key: at("server.key"),
  }
}
