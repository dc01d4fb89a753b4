import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import type { MadeCertificate } from "#crawler/fetch/connect/make-certificate.ts"
import { ADMIN, isGood, makeAuthority, makeIssued, NODE } from "./certificates.ts"
import { internalUsers } from "./users.ts"

// Runs to completion before the services of compose.cluster.yaml start: creates the folders that they mount, their
// passwords and their certificates. Existing files are kept, so an operator can put their own password there
// beforehand.

const DATA_DIR = process.env["FOSSICK_DATA_DIR"] ?? "/data"
/** 256 bits. */
const PASSWORD_BYTES = 32
/** The user of OpenSearch's image, who owns its files. */
const OPENSEARCH_USER: User = { uid: 1000, gid: 1000 }

interface User {
  readonly uid: number
  readonly gid: number
}

try {
  prepare()
} catch (error) {
  process.stderr.write(`${advice(error as NodeJS.ErrnoException)}\n`)
  process.exitCode = 1
}

function prepare(): void {
  const appliance: User = { uid: id("APPLIANCE_UID"), gid: id("APPLIANCE_GID") }
  const nodes = nodeNames()
  folder("", appliance)
  folder("secrets", appliance)
  for (const name of ["fossick", "postgres"]) {
    folder(name, appliance)
    folder(`secrets/${name}`, appliance)
  }
  // Files that are only for operators and that no container gets: the authority and the administrator's certificate.
  folder("secrets/operator", appliance)
  const authority = authorityOf(appliance)
  const admin = password("secrets/operator/opensearch-admin-password", appliance)
  issued("secrets/operator/admin", () => makeIssued(ADMIN, authority), { authority, owner: appliance })
  const fossick = password("secrets/fossick/opensearch-password", appliance)
  write("secrets/fossick/opensearch-ca.pem", authority.cert, appliance)
  const state = password("secrets/fossick/postgres-password", appliance)
  write("secrets/postgres/postgres-password", state, appliance)
  for (const node of nodes) {
    folder(node, OPENSEARCH_USER)
    const secrets = `secrets/${node}`
    folder(secrets, OPENSEARCH_USER)
    const owner = OPENSEARCH_USER
    write(`${secrets}/ca.pem`, authority.cert, owner)
    issued(`${secrets}/node`, () => makeIssued(NODE, authority, [node, "localhost"]), { authority, owner })
    unlessThere(`${secrets}/internal_users.yml`, () => internalUsers({ admin, fossick }), owner)
  }
}

function id(name: string): number {
  const value = process.env[name] ?? ""
  if (!/^\d{1,9}$/.test(value)) throw new Error(`${name} must be a number, as shown by \`id\`.`)
  return Number(value)
}

function nodeNames(): readonly string[] {
  const names = (process.env["CLUSTER_NODES"] ?? "").split(",")
  if (!names.every((name) => /^[a-z][a-z0-9-]{0,62}$/.test(name)))
    throw new Error("CLUSTER_NODES must be names of services, separated by commas.")
  return names
}

/** Creates the folder for its user, or hands it over if root owns it. Folders owned by other users stay unchanged. */
function folder(name: string, { uid, gid }: User): void {
  const path = join(DATA_DIR, name)
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
  if (statSync(path).uid === 0) chownSync(path, uid, gid)
}

function authorityOf(owner: User): MadeCertificate {
  const [certFile, keyFile] = ["secrets/operator/ca.pem", "secrets/operator/ca.key"]
  if (!existsSync(join(DATA_DIR, certFile)) || !existsSync(join(DATA_DIR, keyFile))) {
    const made = makeAuthority()
    write(keyFile, made.key, owner)
    write(certFile, made.cert, owner)
    return made
  }
  const cert = read(certFile)
  const key = read(keyFile)
  const { subject, publicKey } = new X509Certificate(cert)
  return {
    cert,
    key,
    spki: publicKey.export({ type: "spki", format: "der" }),
    subject: subject.replace(/^CN=/, ""),
    privateKey: createPrivateKey(key),
  }
}

/** A certificate and its key; recreated if it is missing, was issued by another authority, or expires within a year. */
function issued(
  name: string,
  make: () => MadeCertificate,
  { authority, owner }: { readonly authority: MadeCertificate; readonly owner: User },
): void {
  const [certFile, keyFile] = [`${name}.pem`, `${name}.key`]
  if (
    existsSync(join(DATA_DIR, keyFile)) &&
    existsSync(join(DATA_DIR, certFile)) &&
    isGood(read(certFile), authority.cert)
  )
    return
  const { cert, key } = make()
  write(keyFile, key, owner)
  write(certFile, cert, owner)
}

function password(file: string, owner: User): string {
  unlessThere(file, () => randomBytes(PASSWORD_BYTES).toString("base64url"), owner)
  const found = read(file).trim()
  if (found.length < 12) throw new Error(`The password in ${file} has fewer than 12 characters.`)
  return found
}

function unlessThere(file: string, text: () => string, owner: User): void {
  if (!existsSync(join(DATA_DIR, file))) write(file, text(), owner)
}

function read(file: string): string {
  return readFileSync(join(DATA_DIR, file), "utf8")
}

/** Writes the file completely or not at all, readable only by its user. */
function write(file: string, text: string, { uid, gid }: User): void {
  const path = join(DATA_DIR, file)
  const draft = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(draft, text, { mode: 0o400, flush: true })
  chmodSync(draft, 0o400)
  if (process.getuid?.() === 0) chownSync(draft, uid, gid)
  renameSync(draft, path)
}

function advice(error: NodeJS.ErrnoException): string {
  if (error.code !== "EACCES" && error.code !== "EPERM") return error.message
  return `The data folder cannot be prepared: ${error.message}. Give it to user ${process.env["APPLIANCE_UID"]}.`
}
