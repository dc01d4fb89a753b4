import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { readSettings } from "#base/settings.ts"
import { crawlerSettings } from "../../../settings.ts"
import { startTestSite } from "../../../testing/test-site.ts"
import type { Notice } from "../alert-messages.ts"
import type { ChannelMessage } from "./channel.ts"
import { ntfy } from "./ntfy.ts"

const TOKEN = "tk_of_an_ntfy_server"

/** An ntfy server whose address has a path. It answers each message with the next status, then with 200. */
async function startServer(statuses: number[] = []) {
  const got: { path: string; headers: Record<string, unknown>; body: Record<string, unknown> }[] = []
  const site = await startTestSite({
    "*": async (request, response) => {
      const body = JSON.parse(await text(request)) as Record<string, unknown>
      got.push({ path: `${request.method} ${request.url}`, headers: request.headers, body })
      response
        .writeHead(statuses.shift() ?? 200, { location: "/elsewhere" })
        .end(JSON.stringify(request.headers))
    },
  })
  return {
    got,
    host: site.authority,
    topic: site.url("/push/ops_7"),
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  }
}

const message = (receiver: string, notice: Partial<Notice> = {}): ChannelMessage => ({
  id: "msg_1",
  receiver,
  createdAt: new Date(0),
  type: "alert.began",
  subject: "[Fossick] Überblick: the last run went wrong",
  text: "28 % of its pages are gone.",
  data: {},
  ...notice,
})

/** Sends messages with these settings. @returns how each attempt ended */
async function send(env: NodeJS.ProcessEnv, messages: readonly ChannelMessage[]) {
  const given = { FOSSICK_WEBHOOK_NETWORKS: "127.0.0.1", ...env }
  const config = readSettings(crawlerSettings, given)
  await using sender = await ntfy.open({ config, userAgent: "FossickBot/1.0", env: { NTFY_TOKEN: TOKEN } })
  const ends = []
  for (const one of messages) ends.push(await sender.send(one, new AbortController().signal))
  return ends
}

test("an alert is published as JSON with its title, priority and tags, under one id", async () => {
  await using server = await startServer()
  const { host, topic } = server
  const env = { FOSSICK_ALERT_NTFY: topic, FOSSICK_ALERT_NTFY_TOKEN: "${NTFY_TOKEN}" }
  const ended = message(host, { type: "alert.ended" })
  expect(await send(env, [message(host), ended])).toEqual([
    { error: null, status: 200 },
    { error: null, status: 200 },
  ])
  expect(server.got[0]).toMatchObject({
    path: "POST /push/",
    headers: { authorization: `Bearer ${TOKEN}`, "x-sequence-id": "msg_1", "user-agent": "FossickBot/1.0" },
    body: {
      topic: "ops_7",
      title: "[Fossick] Überblick: the last run went wrong",
      message: "28 % of its pages are gone.",
      priority: 4,
      tags: ["warning"],
    },
  })
  expect(server.got[1]!.body).toMatchObject({ priority: 3, tags: ["white_check_mark"] })
})

test("a topic without a token sends none, and a long text is cut between two characters", async () => {
  await using server = await startServer()
  const long = message(server.host, { text: `a${"ü".repeat(5000)}` })
  await send({ FOSSICK_ALERT_NTFY: server.topic }, [long])
  const [{ headers, body }] = server.got as [(typeof server.got)[number]]
  expect(headers["authorization"]).toBeUndefined()
  expect(body["message"]).toBe(`a${"ü".repeat(2047)}`)
})

test("a refusal is retried, reveals no secret, and redirects are not followed", async () => {
  await using server = await startServer([403, 307])
  const { host, topic } = server
  const env = { FOSSICK_ALERT_NTFY: topic, FOSSICK_ALERT_NTFY_TOKEN: "${NTFY_TOKEN}" }
  const ends = await send(env, [message(host), message(host)])
  expect(ends).toMatchObject([
    { error: "answered 403", final: false },
    { error: "answered 307, and redirects are not followed", final: false },
  ])
  expect(JSON.stringify(ends)).not.toContain(TOKEN)
  expect(server.got).toHaveLength(2)
  const missing = { ...env, FOSSICK_ALERT_NTFY_TOKEN: "${NOT_THERE}" }
  expect(await send(missing, [message(host)])).toMatchObject([
    { error: expect.stringContaining("${NOT_THERE}"), final: false },
  ])
  expect(server.got).toHaveLength(2)
})

test("a private network is reached when opened for webhooks, and a former server gets nothing more", async () => {
  await using server = await startServer()
  const env = { FOSSICK_ALERT_NTFY: server.topic, FOSSICK_ALERT_NTFY_TOKEN: "${NTFY_TOKEN}" }
  expect(await send({ ...env, FOSSICK_WEBHOOK_NETWORKS: "" }, [message(server.host)])).toMatchObject([
    { error: expect.stringContaining("FOSSICK_WEBHOOK_NETWORKS") },
  ])
  expect(await send(env, [message("ntfy.example")])).toMatchObject([
    { error: expect.stringContaining("another server"), final: true },
  ])
  expect(server.got).toEqual([])
})

test("a token is never sent unencrypted to another machine, and no topic is stored or shown", () => {
  const ready = (topic: string, token = "${NTFY_TOKEN}") =>
    ntfy.isReady(
      readSettings(crawlerSettings, { FOSSICK_ALERT_NTFY: topic, FOSSICK_ALERT_NTFY_TOKEN: token }),
    )
  expect([ready("https://ntfy.sh/ops_7"), ready("http://localhost/ops_7")]).toEqual([true, true])
  expect([ready("http://ntfy.example/ops_7"), ready("http://ntfy.example/ops_7", "")]).toEqual([false, true])
  expect(ready("")).toBe(false)
  expect(
    ntfy.receivers(readSettings(crawlerSettings, { FOSSICK_ALERT_NTFY: "https://ntfy.sh/ops_7" })),
  ).toEqual(["ntfy.sh"])
})
