import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import path from "node:path"

import { postgresPrograms } from "#base/store/testing/postgres-server.ts"
import { findBrowser } from "#crawler/fetch/render/find-browser.ts"

import { chainProgram } from "../../api/doors/x402/testing/chain-program.ts"
import { whyNot } from "../air-gap/air-gap.ts"
import { findConverter } from "#crawler/page/conversion/find-converter.ts"
import { findDokuwiki } from "#crawler/testing/dokuwiki.ts"
import { findDovecot } from "#crawler/testing/dovecot.ts"
import { findRecognition } from "#crawler/page/scans/installed.ts"
import { mayMount } from "../damage/mounts.ts"
import { findKeycloak } from "../sign-on/keycloak/keycloak.ts"

/** Things that some tests need and that a machine may lack. A test names its needs as tags: `test("…", { tags: ["chromium"] }, …)`. */
export interface Need {
  /** The tag that tests use for the need. */
  readonly name: string
  /** How to get it; printed at the end of a run. */
  readonly advice: string
  readonly isThere: () => boolean | Promise<boolean>
}

const ROOT = path.join(import.meta.dirname, "../..")

const runs = (program: string, ...args: readonly string[]) => spawnSync(program, args).status === 0
const shell = (name: string): Need => ({
  name,
  advice: `install ${name}`,
  isThere: () => [`/usr/bin/${name}`, `/bin/${name}`].some((path) => existsSync(path)),
})

export const NEEDS: readonly Need[] = [
  {
    name: "chromium",
    advice: "run `npx playwright install chromium`, or install your system's chromium package",
    isThere: async () => "path" in (await findBrowser("")),
  },
  {
    name: "postgresql",
    advice: "install a PostgreSQL server (Debian: apt-get install postgresql)",
    isThere: () => postgresPrograms() !== null,
  },
  {
    name: "chain",
    advice: "anvil, a development dependency, has no program for this machine",
    isThere: () => chainProgram() !== null,
  },
  {
    name: "mounts",
    advice: "allow user namespaces with mounts of their own (Linux)",
    isThere: () => mayMount,
  },
  { name: "namespaces", advice: "allow network namespaces (Linux)", isThere: () => whyNot() === null },
  {
    name: "strace",
    advice: "install strace",
    isThere: () => runs("strace", "--version"),
  },
  {
    name: "acl",
    advice: "install acl, the programs for access control lists",
    isThere: () => runs("setfacl", "--version"),
  },
  { name: "git", advice: "install git", isThere: () => runs("git", "--version") },
  {
    name: "promtool",
    advice: "install promtool, a program of Prometheus",
    isThere: () => runs("promtool", "--version"),
  },
  {
    name: "schemathesis",
    advice: "set SCHEMATHESIS to the path of the program",
    isThere: () => process.env["SCHEMATHESIS"] !== undefined,
  },
  {
    name: "oikb",
    advice: "set OIKB to the path of the program",
    isThere: () => process.env["OIKB"] !== undefined,
  },
  {
    name: "dovecot",
    advice: "install Dovecot 2.3 (Debian 12: apt-get install dovecot-imapd)",
    isThere: findDovecot,
  },
  {
    name: "keycloak",
    advice: "install it with prove/sign-on/keycloak/install and set KEYCLOAK to its folder",
    isThere: () => findKeycloak() !== null,
  },
  {
    name: "dokuwiki",
    advice:
      "install PHP with its XML module, unpack Debian's dokuwiki, and set DOKUWIKI to its folder: see .ci/install",
    isThere: findDokuwiki,
  },
  {
    name: "compose",
    advice: "install Docker Compose",
    isThere: () => runs("docker-compose", "version") || runs("docker", "compose", "version"),
  },
  { name: "helm", advice: "install Helm", isThere: () => runs("helm", "version") },
  {
    name: "kubernetes-validate",
    advice: "install kubernetes-validate (pip)",
    isThere: () => runs("kubernetes-validate", "--version"),
  },
  ...["nginx", "caddy", "traefik", "haproxy"].map((name) => ({
    name,
    advice: `install ${name}`,
    isThere: () => spawnSync(name, ["-h"]).error === undefined,
  })),
  {
    name: "real-server",
    advice: "a recorded conversation can't take it: npm run test:meilisearch",
    isThere: () => false,
  },
  {
    name: "meilisearch",
    advice: "set MEILI_URL to a running server: npm run test:meilisearch says how",
    isThere: () => process.env["MEILI_URL"] !== undefined,
  },
  shell("bash"),
  shell("zsh"),
  shell("fish"),
  {
    name: "recognition",
    advice: "text recognition is a development dependency: npm ci",
    isThere: () => findRecognition(ROOT) !== null,
  },
  {
    name: "libreoffice",
    advice:
      "install LibreOffice (Debian: apt-get install libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui)",
    isThere: () => "path" in findConverter(""),
  },
  { name: "root", advice: "run as root", isThere: () => process.getuid?.() === 0 },
  { name: "not-root", advice: "run as an ordinary user", isThere: () => process.getuid?.() !== 0 },
  { name: "linux", advice: "run on Linux", isThere: () => process.platform === "linux" },
  { name: "posix", advice: "run on anything but Windows", isThere: () => process.platform !== "win32" },
]

/**
 * The needs that this machine lacks, determined once for a whole run.
 *
 * @throws Error if one of `FOSSICK_TEST_NEEDS` is among them: `.ci/run` lists there what it has installed, so that a
 * failed installation can't pass as skipped tests
 */
export async function missingNeeds(env: NodeJS.ProcessEnv = process.env): Promise<Need[]> {
  const isThere = await Promise.all(NEEDS.map(async (need) => await need.isThere()))
  const missing = NEEDS.filter((_, index) => !isThere[index])
  const expected = (env["FOSSICK_TEST_NEEDS"] ?? "").split(" ").filter(Boolean)
  for (const name of expected) {
    if (!NEEDS.some((need) => need.name === name))
      throw new Error(`FOSSICK_TEST_NEEDS: ${name} isn't a need.`)
    const absent = missing.find((need) => need.name === name)
    if (absent) throw new Error(`${name} is missing, and this run must not skip its tests: ${absent.advice}.`)
  }
  return missing
}

/** The tags of all needs, for vitest: a test is skipped when one of its needs is missing. */
export const needTags = (missing: readonly Need[], needs: readonly Need[] = NEEDS) =>
  needs.map((need) => ({
    name: need.name,
    description: need.advice,
    // A `false` would override the `true` of another tag.
    ...(missing.includes(need) && { skip: true }),
  }))
