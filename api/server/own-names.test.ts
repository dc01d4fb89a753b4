import { hostname } from "node:os"

import { expect, test } from "vitest"

import type { Context } from "../context.ts"
import { nameCheck } from "./own-names.ts"

const check = nameCheck({
  publicUrl: "https://search.example.com/tv",
  host: "box.example.com",
  openHosts: ["Find.example.com"],
})
const isAnswered = (name: string): boolean => {
  try {
    check({ hostname: name } as Context)
    return true
  } catch {
    return false
  }
}

test.each([
  "localhost",
  "app.localhost",
  "127.0.0.1",
  "192.168.1.7",
  "203.0.113.9",
  "[::1]",
  "[fd00::7]",
  "fossick",
  "NAS.local",
  "api.search.svc.cluster.local",
  "host.docker.internal",
  "search.home.arpa.",
  hostname(),
  "search.example.com",
  "SEARCH.example.com.",
  "box.example.com",
  "find.example.com",
])("calls without a key are answered under %s", (name) => expect(isAnswered(name)).toBe(true))

test.each([
  "evil.example",
  "search.example.com.evil.example",
  "evil.search.example.com",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "1.example",
  "evillocal.example",
])("calls without a key are refused under %s", (name) => expect(isAnswered(name)).toBe(false))
