import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { readPeers } from "./peers-file.ts"

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-peers-"))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function read(text: string, env: NodeJS.ProcessEnv = { LAB_KEY: "key-of-the-lab-0123" }) {
  const file = join(dir, "peers.yaml")
  await writeFile(file, text)
  return readPeers(file, env)
}
const peer = (fields: string) =>
  `peers:\n  - { name: lab, url: "https://lab.example.com/", key: "\${LAB_KEY}"${fields} }`

describe("a file of peers", () => {
  test("is read with its defaults, and keys from the named secrets", async () => {
    expect(await read(peer(""))).toEqual([
      {
        name: "lab",
        url: "https://lab.example.com",
        key: "key-of-the-lab-0123",
        timeoutMs: 2000,
        sources: null,
        networks: [],
        caFile: null,
        readers: null,
      },
    ])
  })

  test("can be empty or not configured", async () => {
    expect(await read("")).toEqual([])
    expect(readPeers("", {})).toEqual([])
    expect(() => readPeers(join(dir, "other.yaml"), {})).toThrow("FOSSICK_PEERS_FILE: cannot read")
  })

  test.each([
    [", timeoutMs: 5", "peers[0].timeoutMs must be >= 100"],
    [", readers: { allow: [staff] }", "peers[0].readers.allow[0] must be user:NAME, group:NAME or signed-in"],
    [", tiemout: 5", "peers[0] has the unknown field tiemout"],
    [", networks: [10.0.0.0/99]", "peers[0].networks must be addresses, CIDR ranges or host names"],
    [", networks: [169.254.169.254]", "metadata service"],
    [", caFile: /nowhere.pem", "peers[0].caFile cannot be read (/nowhere.pem)"],
  ])("with %s is refused by field", async (fields, message) => {
    await expect(read(peer(fields))).rejects.toThrow(message)
  })

  test("rejects a key written into it without showing it", async () => {
    const written = `peers:\n  - { name: lab, url: "https://lab.example.com", key: tvly-0123456789abcdef }`
    await expect(read(written)).rejects.toThrow("peers[0].key must name a secret, not contain it")
    await expect(read(written)).rejects.not.toThrow("tvly-0123456789abcdef")
  })

  test("names an unset secret, a duplicate name, and an address with a password", async () => {
    await expect(read(peer(""), {})).rejects.toThrow("peers[0].key the secret ${LAB_KEY} is not set")
    const twice = `${peer("")}\n${peer("").split("\n")[1]}`
    await expect(read(twice)).rejects.toThrow("peers[1].name is used twice")
    const password = peer("").replace("https://", "https://me:secret-word@")
    await expect(read(password)).rejects.toThrow("peers[0].url must be an http or https address without user")
    await expect(read(password)).rejects.not.toThrow("secret-word")
  })
})
