import { expect, test } from "vitest"

import { startReceiver } from "#base/telemetry/traces/testing/receiver.ts"
import { article, startTestSite } from "#crawler/testing/test-site.ts"

import { startAppliance } from "../../testing/appliance.ts"

const TRACES = { question: "0af7651916cd43dd8448eb211c80319c", run: "1bf7651916cd43dd8448eb211c80319d" }
const PARENT = "b7ad6b7169203331"

test("a question is one trace with its caller's, and so is a run with its visits in the other process; neither contains texts", async () => {
  await using receiver = await startReceiver()
  await using site = await startTestSite({ "/": article("Marked secret heading") })
  await using appliance = await startAppliance({
    FOSSICK_HANDBOOK: "off",
    FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8",
    FOSSICK_TRACES_URL: receiver.url,
    FOSSICK_TRACES_KEY: "key-of-the-receiver",
    FOSSICK_IMAGES: "off",
  })
  const call = async (method: string, path: string, body: object, trace: string) => {
    const response = await fetch(appliance.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${appliance.apiKey}`,
        "Content-Type": "application/json",
        traceparent: `00-${trace}-${PARENT}-01`,
      },
      body: JSON.stringify(body),
    })
    expect(response.status).toBeLessThan(300)
  }
  await call(
    "PUT",
    "/admin/sources/marked?run=true",
    { seeds: [site.url("/?marked-secret-path")] },
    TRACES.run,
  )
  const inTrace = (trace: string) => receiver.got.filter(({ traceId }) => traceId === trace)
  const names = (trace: string) => inTrace(trace).map(({ service, name }) => `${service}: ${name}`)
  await expect
    .poll(() => names(TRACES.run))
    .toEqual(
      expect.arrayContaining([
        "fossick-api: PUT /admin/sources/{name}",
        "fossick-crawler: run",
        "fossick-crawler: visit",
      ]),
    )
  await call("POST", "/search", { query: "marked secret question" }, TRACES.question)
  await expect
    .poll(() => names(TRACES.question))
    .toEqual(expect.arrayContaining(["fossick-api: POST /search", "fossick-api: search the index"]))
  // Each call's span has its caller's span as its parent.
  const spanOf = (trace: string, name: string) => inTrace(trace).find((one) => one.name === name)!
  const [asked, run, visit] = ["PUT /admin/sources/{name}", "run", "visit"].map((name) =>
    spanOf(TRACES.run, name),
  )
  expect(asked!.parentSpanId).toBe(PARENT)
  expect(run!.parentSpanId).toBe(asked!.spanId)
  expect(visit!.parentSpanId).toBe(run!.spanId)
  expect(run!.attributes).toMatchObject({ "fossick.source": "marked" })
  expect(visit!.attributes).toEqual({ "fossick.outcome": "read" })
  const search = spanOf(TRACES.question, "POST /search")
  expect(search.parentSpanId).toBe(PARENT)
  expect(search.attributes).toMatchObject({ "http.route": "/search", "http.response.status_code": 200 })
  expect(spanOf(TRACES.question, "search the index").parentSpanId).toBe(search.spanId)
  expect(receiver.raw()).not.toMatch(/marked.secret/i)
  expect(receiver.raw()).not.toContain(appliance.apiKey)
  expect([...receiver.keys]).toEqual(["Bearer key-of-the-receiver"])
})
