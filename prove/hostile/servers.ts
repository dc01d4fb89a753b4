import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { pack } from "tar-stream"
import { Folders, restoreInto, SmallAppliance } from "#crawler/upkeep/backup/testing/small-appliance.ts"
import { verifyBackup } from "#crawler/upkeep/backup/read-backup.ts"
import { bytes, redirect } from "#crawler/testing/test-site.ts"
import { WebhookSender } from "#crawler/reporting/webhooks/webhook-sender.ts"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { ModelServer } from "#engine/models/servers/model-server.ts"
import { aPage } from "#engine/testing/pages.ts"
import { Peer } from "../../api/services/federation/peer.ts"
import { peerSpec } from "../../api/services/federation/testing/federated.ts"
import { type Arena, type Attack, type Kind, unless } from "./attack.ts"
import { statement } from "#base/store/testing/statement.ts"

const CODES = [301, 302, 303, 307, 308]
/** Milliseconds within which a configured server has to respond. */
const PATIENCE = 20_000

/** Servers configured by the operator that redirect elsewhere: everything sent to them, including keys, is for them alone. */
const models: readonly Attack[] = (["chat", "embeddings", "reranker"] as const).flatMap((purpose) =>
  CODES.map((code) => ({
    name: `${purpose} with ${code}`,
    play: async ({ evil, inner }: Arena) => {
      evil.serve({ "/v1/any": redirect(inner.url("/v1/any"), code) })
      await using server = new ModelServer({ url: `${evil.origin}/v1`, key: "of-the-operator", purpose })
      const answered = await server
        .post("/any", { text: "of a page" }, { timeoutMs: PATIENCE, maxBytes: 10_000 })
        .then(
          () => true,
          () => false,
        )
      return unless(!answered, () => "an answer was accepted")
    },
  })),
)

/** JSON that takes seconds to parse, or overflows the stack of code that traverses it. */
const HEAVY: Readonly<Record<string, string>> = {
  "unclosed lists": "[".repeat(6_000_000),
  "unclosed objects": '{"a":'.repeat(1_200_000),
  "closed lists": `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  "countless lists": `[${"[],".repeat(2_000_000)}[]]`,
  "countless fields": `{${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join()}}`,
}
const ROOM = 16 * 1024 * 1024

const heavyAnswers: readonly Attack[] = Object.entries(HEAVY).flatMap(([name, json]) => [
  {
    name: `${name}, of a model server`,
    play: async ({ evil }: Arena) => {
      evil.serve({ "/v1/any": bytes(json, { "content-type": "application/json" }) })
      await using server = new ModelServer({ url: `${evil.origin}/v1`, key: "", purpose: "chat" })
      const asking = server.post("/any", {}, { timeoutMs: PATIENCE, maxBytes: ROOM })
      return boundHit(await asking.then(() => "it was accepted", String))
    },
  },
  {
    name: `${name}, of a peer`,
    play: async ({ evil }: Arena) => {
      evil.serve({ "/search": bytes(json, { "content-type": "application/json" }) })
      await using peer = new Peer(peerSpec("evil", evil.origin, "key"), {
        proxy: testConfig({}),
        userAgent: "test",
        env: {},
        onChange: () => {},
      })
      const call = { hops: 0, deadline: AbortSignal.timeout(PATIENCE) }
      return boundHit(
        await peer.ask("/search", {}, (answer) => answer, call).then(() => "it was accepted", String),
      )
    },
  },
])

const boundHit = (said: string): string | null =>
  unless(/nested more than|has more than/.test(said), () => said)

const receivers: readonly Attack[] = CODES.map((code) => ({
  name: `with ${code}`,
  play: async ({ evil, inner }: Arena) => {
    evil.serve({ "/hook": redirect(inner.url("/hook"), code) })
    await using sender = new WebhookSender({ networks: ["127.0.0.0/8"], env: {}, userAgent: "test" })
    const message = {
      id: "x",
      receiver: evil.url("/hook"),
      secret: null,
      body: "{}",
      headers: { "x-a": "b" },
    }
    const posted = await sender.send(message, AbortSignal.timeout(PATIENCE))
    return unless(posted.error !== null, () => JSON.stringify(posted))
  },
}))

type Header = Parameters<ReturnType<typeof pack>["entry"]>[0]
const ESCAPED = "/tmp/fossick-escaped"
const UP = `${"../".repeat(12)}tmp/fossick-escaped`
const ENTRIES: Readonly<Record<string, Header>> = {
  "a path upwards": { name: UP },
  "a path upwards within its folders": { name: `images/${UP}` },
  "an absolute path": { name: ESCAPED },
  "a link": { name: "images/00", type: "symlink", linkname: ESCAPED },
  "a link with a path upwards": { name: "index/evil", type: "symlink", linkname: UP },
  "a link of the state": { name: "state.db", type: "symlink", linkname: ESCAPED },
  "a hard link": { name: "evil", type: "link", linkname: "/etc/passwd" },
  "a device": { name: "zero", type: "character-device", devmajor: 1, devminor: 5 },
  "a pipe": { name: "pipe", type: "fifo" },
  "a folder": { name: ESCAPED, type: "directory" },
  "eight gigabytes": { name: "images/01", size: 8 ** 11 - 1 },
  "a name with a line end": { name: "images/\r\nX-Evil: 1" },
}

/** The bytes of an archive entry: its header, and its text where it has one. */
async function entryOf({ size, ...header }: Header): Promise<Buffer> {
  const archive = pack()
  archive.entry(header, (header.type ?? "file") === "file" ? "evil" : "")
  archive.finalize()
  const bytes = Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Buffer>))
  // An archive without the two empty blocks at its end.
  const entry = bytes.subarray(0, bytes.length - 1024)
  if (size === undefined) return entry
  // Makes the header claim this size; the checksum is computed with its own field as blanks.
  entry.write(size.toString(8).padStart(11, "0"), 124)
  entry.fill(" ", 148, 156)
  const sum = entry.subarray(0, 512).reduce((all, byte) => all + byte, 0)
  entry.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return entry
}

let opened: Folders | null = null
let whole: Promise<Buffer> | null = null
/** Removes the leftovers of the backup attacks. */
export function closeBackups(): void {
  opened?.[Symbol.dispose]()
  opened = whole = null
}
async function aBackup(folders: Folders): Promise<Buffer> {
  await using appliance = await SmallAppliance.open(folders.at("data"))
  await appliance.engine.index([aPage("a")])
  await appliance.engine.settled()
  await appliance.backUp(folders.at("backup.tar"))
  return await readFile(folders.at("backup.tar"))
}

const backups: readonly Attack[] = Object.entries(ENTRIES).map(([name, header], at) => ({
  name,
  play: async ({ scale }: Arena) => {
    const folders = (opened ??= new Folders())
    const bytes = await (whole ??= aBackup(folders))
    const sums = bytes.indexOf("SHA256SUMS\0")
    if (sums === -1) return "no backup was made"
    const file = folders.at(`evil-${at}.tar`)
    await writeFile(
      file,
      Buffer.concat([bytes.subarray(0, sums), await entryOf(header), bytes.subarray(sums)]),
    )
    const to = folders.at(`restored-${at}`)
    await mkdir(to)
    const isTaken = (taking: Promise<unknown>) =>
      taking.then(
        () => true,
        () => false,
      )
    const verified = await isTaken(verifyBackup(file))
    // Restoring takes longer, and uses the same reader, so a short run only restores the first backup.
    const restored = (scale >= 0.5 || at === 0) && (await isTaken(restoreInto(to, file)))
    const left = await readdir(to)
    return (
      unless(!verified && !restored, () => `it was accepted: verified ${verified}, restored ${restored}`) ??
      unless(!left.includes("state.db"), () => `it left behind ${left.join(" ")}`)
    )
  },
}))

const PLANTED = {
  trigger: "create trigger planted after insert on job begin delete from job; end",
  view: "create view planted as select * from job",
}
/** A backup of a state that an attacker wrote to: without protection, the planted content would run in the restored appliance. */
const planted: readonly Attack[] = Object.entries(PLANTED).map(([what, sql]) => ({
  name: `a ${what}`,
  play: async () => {
    const folders = (opened ??= new Folders())
    const file = folders.at(`planted-${what}.tar`)
    {
      await using appliance = await SmallAppliance.open(folders.at(`planted-${what}`))
      await appliance.db.script(sql)
      await appliance.backUp(file)
    }
    const to = folders.at(`restored-${what}`)
    await mkdir(to)
    await restoreInto(to, file)
    await using restored = await SmallAppliance.open(to)
    const left = await statement(restored.db, "select 1 from sqlite_master where name = 'planted'").get()
    return unless(left === undefined, () => "it was restored")
  },
}))

export const SERVERS: readonly Kind[] = [
  { kind: "code in the state of a backup", must: "left out", attacks: planted },
  { kind: "redirects by model servers", must: "not followed", attacks: models, shortly: 4 },
  {
    kind: "answers that are slow to parse",
    must: "aborted before they are parsed",
    attacks: heavyAnswers,
    shortly: 3,
  },
  { kind: "redirects by webhook receivers", must: "not followed", attacks: receivers },
  { kind: "unexpected entries in backups", must: "refused; nothing is written", attacks: backups },
]
