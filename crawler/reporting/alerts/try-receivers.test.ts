import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import path from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { makeCertificate } from "../../fetch/connect/make-certificate.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { startMailServer } from "../../testing/mail-server.ts"
import { type Answer, startTestSite } from "../../testing/test-site.ts"

const FOSSICK = fileURLToPath(new URL("../../../command/fossick.js", import.meta.url))

async function fossick(folder: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [FOSSICK, "alerts", "test"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], FOSSICK_DATA_DIR: folder, ...env },
  })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")])
  return { code: child.exitCode, out, err }
}

test.each([
  ["smtps", "start"],
  ["smtp", "starttls"],
] as const)(
  "a test alert goes by %s:// to a mail server with the operator's own authority, including the login",
  async (scheme, from) => {
    using folder = temporaryFolder()
    const authority = makeCertificate({ subject: "The house", isAuthority: true })
    const certificate = makeCertificate({
      subject: "mail",
      names: ["127.0.0.1", "localhost"],
      issuer: authority,
    })
    await using server = await startMailServer({
      tls: { from, certificate },
      login: { user: "fossick", password: "right" },
    })
    const caFile = path.join(folder.path, "house.pem")
    writeFileSync(caFile, authority.cert)
    const env = {
      FOSSICK_SMTP_URL: `${scheme}://fossick@localhost:${server.port}`,
      FOSSICK_SMTP_PASSWORD: "${MAIL_PASSWORD}",
      FOSSICK_ALERT_EMAIL: "ops@example.com, night@example.com",
      MAIL_PASSWORD: "right",
    }
    expect(await fossick(folder.path, { ...env, FOSSICK_CA_FILE: caFile })).toEqual({
      code: 0,
      out: "e-mail to ops@example.com: sent\ne-mail to night@example.com: sent\n",
      err: "",
    })
    expect(server.received.map(({ user, isSecure }) => [user, isSecure])).toEqual([
      ["fossick", true],
      ["fossick", true],
    ])
    expect(server.received[0]!.text).toContain("Subject: [Fossick] Test alert")

    const distrusted = await fossick(folder.path, env)
    expect(distrusted.code).toBe(1)
    expect(distrusted.out).toMatch(/ops@example\.com: not sent: .*certificate/)
    expect(server.received).toHaveLength(2)
  },
)

test("a test alert goes to the webhook and to ntfy, and reports failures and missing receivers", async () => {
  using folder = temporaryFolder()
  let status = 204
  const got: string[] = []
  const take: Answer = async (request, response) => {
    got.push(await text(request))
    response.writeHead(status).end()
  }
  await using site = await startTestSite({ "/hook": take, "/": take })
  const env = { FOSSICK_ALERT_WEBHOOK: site.url("/hook"), FOSSICK_WEBHOOK_NETWORKS: "127.0.0.1" }
  const taken = await fossick(folder.path, { ...env, FOSSICK_ALERT_NTFY: site.url("/ops_7") })
  const { authority } = site
  expect(taken).toEqual({
    code: 0,
    out: `ntfy to ${authority}: sent\nwebhook to ${authority}: sent\n`,
    err: "",
  })
  const bodies = got.map((one) => JSON.parse(one) as object)
  expect(bodies).toContainEqual(
    expect.objectContaining({ type: "alert.test", data: { host: expect.any(String) } }),
  )
  expect(bodies).toContainEqual(expect.objectContaining({ topic: "ops_7", title: "[Fossick] Test alert" }))

  status = 401
  const refused = await fossick(folder.path, { ...env, FOSSICK_ALERT_EMAIL: "ops@example.com" })
  expect(refused.code).toBe(1)
  expect(refused.out).toContain(
    "e-mail to ops@example.com: not sent: FOSSICK_ALERT_EMAIL needs FOSSICK_SMTP_URL",
  )
  expect(refused.out).toContain("not sent: answered 401")

  const nobody = await fossick(folder.path, {})
  expect(nobody.code).toBe(1)
  expect(nobody.err).toContain("Alerts have no recipient")
})
