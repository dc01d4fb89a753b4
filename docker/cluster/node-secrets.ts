import { createPrivateKey } from "node:crypto"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { internalUsers } from "./users.ts"

// Runs on Kubernetes before an OpenSearch node starts: puts the node's certificate and the users where
// opensearch/start.sh looks for them. Usage: `node docker/cluster/node-secrets.ts PASSWORDS CERTIFICATES TO`, where all
// three are folders.

const [passwords = "", certificates = "", to = ""] = process.argv.slice(2)
const password = (name: string): string => readFileSync(join(passwords, `${name}-password`), "utf8").trim()

for (const name of ["ca.pem", "node.pem"]) copyFileSync(join(certificates, name), join(to, name))
// OpenSearch only reads keys in PKCS #8.
const key = createPrivateKey(readFileSync(join(certificates, "node.key")))
writeFileSync(join(to, "node.key"), key.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
const users = internalUsers({ admin: password("admin"), fossick: password("fossick") })
writeFileSync(join(to, "internal_users.yml"), users, { mode: 0o600 })
