import { pbkdf2Sync, randomBytes } from "node:crypto"

// The users of the OpenSearch cluster, in the form its security plugin reads at the very first start.

/** The plugin's own parameters (`plugins.security.password.hashing.pbkdf2.*`), enough for passwords of 256 random bits. */
const ITERATIONS = 600_000
const KEY_BITS = 256
const SALT_BYTES = 32

/** Passwords by user. */
export interface Passwords {
  /** For operators; has all permissions. */
  readonly admin: string
  /** Has the permissions that Fossick needs. */
  readonly fossick: string
}

/**
 * A hash in the format of Password4j, which the plugin calls `PBKDF2`: `$3$`, iterations and bits in one number, salt,
 * hash.
 *
 * @see https://github.com/Password4j/password4j/blob/master/src/main/java/com/password4j/CompressedPBKDF2Function.java
 */
function hashOf(password: string): string {
  const salt = randomBytes(SALT_BYTES)
  const hash = pbkdf2Sync(password, salt, ITERATIONS, KEY_BITS / 8, "sha256")
  const numbers = (BigInt(ITERATIONS) << 32n) | BigInt(KEY_BITS)
  return ["", "3", numbers, salt.toString("base64"), hash.toString("base64")].join("$")
}

/** The file `internal_users.yml`. */
export function internalUsers({ admin, fossick }: Passwords): string {
  return `_meta: { type: "internalusers", config_version: 2 }
admin:
  hash: "${hashOf(admin)}"
  backend_roles: [admin]
  description: "The operator"
fossick:
  hash: "${hashOf(fossick)}"
  description: "The appliance"
`
}
