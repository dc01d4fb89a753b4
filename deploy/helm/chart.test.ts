import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { parse, parseAllDocuments, stringify } from "yaml"
import { crawlerSettings } from "#crawler/settings.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { engineSettings } from "#engine/settings.ts"
import { apiSettings } from "../../api/settings.ts"
import type { Probe } from "./pods.ts"

const CHART = join(import.meta.dirname, "fossick")
const ROOT = join(import.meta.dirname, "../..")
const HELM = process.env["HELM"] ?? "helm"
const VALIDATE = process.env["KUBERNETES_VALIDATE"] ?? "kubernetes-validate"
const isMissing = (program: string) => spawnSync(program, ["--help"]).error !== undefined
const noHelm = isMissing(HELM)

interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly readinessProbe?: Probe
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly resources: { readonly limits?: Readonly<Record<string, string>> }
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly replicas?: number
    readonly ingress?: readonly unknown[]
    readonly template?: {
      readonly spec: {
        readonly securityContext: Readonly<Record<string, unknown>>
        readonly containers: readonly Container[]
        readonly initContainers?: readonly Container[]
        readonly affinity?: unknown
      }
    }
  }
}

/** Values that make every template produce output. */
const ALL = {
  imagePullSecrets: [{ name: "registry" }],
  settings: { FOSSICK_PUBLIC_URL: "https://search.example.com", FOSSICK_JOBS: 4 },
  settingsSecret: "more",
  sources: { sources: [{ name: "docs", seeds: "https://docs.example.com/" }] },
  data: { storageClass: "shared" },
  opensearch: { replicas: 5, storageClass: "fast" },
  postgresql: { storageClass: "fast" },
  antiAffinity: "hard",
  nodeSelector: { disk: "ssd" },
  tolerations: [{ key: "search", operator: "Exists" }],
  networkPolicy: { apiFrom: [{ namespaceSelector: { matchLabels: { name: "ingress" } } }] },
  ingress: {
    enabled: true,
    className: "nginx",
    host: "search.example.com",
    tlsSecret: "tls",
    annotations: { a: "b" },
  },
  serviceMonitor: { enabled: true, keySecret: "metrics" },
}
const ELSEWHERE = {
  opensearch: {
    enabled: false,
    external: { urls: ["https://search-1:9200"], user: "us", secret: "search", index: "ours" },
  },
  postgresql: {
    enabled: false,
    external: { address: "postgres://us@db/ours?sslmode=verify-full", secret: "state" },
  },
}

function helm(values: object) {
  // A helm built without its makefile assumes an old Kubernetes version.
  const args = [
    "template",
    "fossick",
    CHART,
    "--namespace",
    "search",
    "--kube-version",
    "1.31.0",
    "--values",
    "-",
  ]
  return spawnSync(HELM, args, { input: stringify(values), encoding: "utf8", maxBuffer: 64e6 })
}

function render(values: object): readonly Manifest[] {
  const { status, stdout, stderr } = helm(values)
  if (status !== 0) throw new Error(stderr)
  return parseAllDocuments(stdout).flatMap((document) => (document.toJS() as Manifest | null) ?? [])
}

const named = (manifests: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name)
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return found
}
const podsOf = (manifests: readonly Manifest[]) => manifests.flatMap(({ spec }) => spec?.template?.spec ?? [])
const containerOf = (manifests: readonly Manifest[], name: string): Container =>
  podsOf(manifests)
    .flatMap(({ containers, initContainers = [] }) => [...containers, ...initContainers])
    .find((one) => one.name === name)!
const decoded = (manifest: Manifest, key: string) => Buffer.from(manifest.data![key]!, "base64").toString()

describe("the chart", { tags: ["helm"] }, () => {
  test("has everything that the Compose cluster has", () => {
    const there = render({}).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(there).toEqual(
      expect.arrayContaining([
        "Deployment fossick-api",
        "Deployment fossick-crawler",
        "StatefulSet fossick-opensearch",
        "StatefulSet fossick-postgresql",
        "Service fossick-api",
        "PersistentVolumeClaim fossick-data",
        ...["api", "crawler", "opensearch"].map((name) => `PodDisruptionBudget fossick-${name}`),
        ...["api", "crawler", "opensearch", "postgresql"].map((name) => `NetworkPolicy fossick-${name}`),
      ]),
    )
    expect(there.filter((one) => /Ingress|ServiceMonitor/.test(one))).toEqual([])
    const compose = parse(readFileSync(join(ROOT, "compose.cluster.yaml"), "utf8"), { merge: true }) as {
      services: Record<string, { image: string; command: string[]; environment: Record<string, string> }>
    }
    const { api, crawler, postgres } = compose.services
    const node = compose.services["opensearch-1"]!
    const manifests = render({})
    expect(containerOf(manifests, "api").command).toEqual(api!.command)
    expect(containerOf(manifests, "crawler").command).toEqual([
      ...crawler!.command.slice(0, -1),
      "fossick-api",
    ])
    expect(containerOf(manifests, "postgresql").image).toBe(postgres!.image)
    expect(containerOf(manifests, "opensearch").image).toBe(node.image)
    expect(containerOf(manifests, "api").image).toBe(api!.image)
    const namesOf = (name: string) => containerOf(manifests, name).env!.map((one) => one.name)
    // The lists differ only in trusted proxies: only the operator knows the addresses of an Ingress.
    const expected = Object.keys(api!.environment).filter((name) => name !== "FOSSICK_TRUSTED_PROXIES")
    for (const name of ["api", "crawler"]) expect(namesOf(name)).toEqual(expected)
    expect(namesOf("opensearch").sort()).toEqual(Object.keys(node.environment).sort())
  })

  const every = noHelm ? [] : [{}, ALL, ELSEWHERE].flatMap(render)

  test("is accepted by Kubernetes", { tags: ["kubernetes-validate"] }, () => {
    using folder = temporaryFolder()
    for (const [index, manifest] of every.filter(({ kind }) => kind !== "ServiceMonitor").entries())
      writeFileSync(join(folder.path, `${index}.yaml`), stringify(manifest))
    const files = readdirSync(folder.path).map((name) => join(folder.path, name))
    const { status, stdout, stderr } = spawnSync(VALIDATE, ["--strict", ...files], { encoding: "utf8" })
    expect({ status, said: `${stdout}${stderr}`.match(/^.*(ERROR|is not|unexpected).*$/gm) }).toEqual({
      status: 0,
      said: null,
    })
  })

  test("gives each pod only the privileges it needs", () => {
    for (const { securityContext, containers, initContainers = [] } of podsOf(every)) {
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      })
      for (const container of [...containers, ...initContainers]) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        })
        expect(container.resources.limits).toHaveProperty("memory")
      }
    }
  })

  test("sets only existing Fossick settings, with valid values and no secrets", () => {
    const declared = [engineSettings, crawlerSettings, apiSettings].flatMap((part) => Object.values(part))
    for (const name of ["api", "crawler"])
      for (const manifests of [render(ALL), render(ELSEWHERE)])
        for (const { name: setting, value = "" } of containerOf(manifests, name).env!) {
          expect(declared.map((one) => one.name)).toContain(setting)
          expect(() => declared.find((one) => one.name === setting)!.parse(value)).not.toThrow()
          expect(setting.endsWith("PASSWORD") && !value.startsWith("file:/")).toBe(false)
        }
    const env = Object.fromEntries(
      containerOf(render(ELSEWHERE), "api").env!.map(({ name, value }) => [name, value]),
    )
    expect(env).toMatchObject({
      FOSSICK_OPENSEARCH_URLS: "https://search-1:9200",
      FOSSICK_OPENSEARCH_USER: "us",
      FOSSICK_OPENSEARCH_INDEX: "ours",
      FOSSICK_STATE: "postgres://us@db/ours?sslmode=verify-full",
    })
  })

  test("has no stores of its own when external ones are configured", () => {
    const there = render(ELSEWHERE).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(there.filter((one) => /StatefulSet|Secret|-(opensearch|postgresql)/.test(one))).toEqual([])
  })

  test.each([
    ["an unknown name", { opensaerch: {} }, "opensaerch"],
    ["an unknown name inside", { api: { replica: 3 } }, "replica"],
    ["no number", { api: { replicas: "two" } }, "/api/replicas"],
    ["too few nodes", { opensearch: { replicas: 2 } }, "/opensearch/replicas"],
    ["no size", { data: { size: "big" } }, "/data/size"],
    ["a setting of another's", { settings: { LOG_LEVEL: "info" } }, "LOG_LEVEL"],
    ["a setting that the chart makes", { settings: { FOSSICK_ENGINE: "embedded" } }, "FOSSICK_ENGINE"],
    ["a secret among the settings", { settings: { FOSSICK_LLM_API_KEY: "sk-1" } }, "FOSSICK_LLM_API_KEY"],
    ["no address of a cluster elsewhere", { opensearch: { enabled: false } }, "/opensearch/external"],
    [
      "a password in an address",
      { postgresql: { external: { address: "postgres://us:pw@db/x" } } },
      "/postgresql/external/address",
    ],
    ["an Ingress without a host", { ingress: { enabled: true } }, "/ingress/host"],
    ["another word for a choice", { antiAffinity: "yes" }, "/antiAffinity"],
  ])("rejects %s", (_, values, said) => {
    const { status, stderr } = helm(values)
    expect(status).toBe(1)
    // Depending on its version, helm names a field as a JSON pointer or with dots.
    expect(stderr.replaceAll(/(?<=\w)\.(?=\w)/g, "/")).toContain(said.replace(/^\//, ""))
  })

  test("makes certificates and users that a node can start with, and keeps the other keys from it", () => {
    using folder = temporaryFolder()
    const at = (...names: readonly string[]) => join(folder.path, ...names)
    for (const name of [
      "passwords",
      "certificates",
      "secrets",
      "cluster/security",
      "conf",
      "home/bin",
      "home/config",
    ])
      mkdirSync(at(name), { recursive: true })
    const manifests = render({})
    const passwords = named(manifests, "Secret", "fossick-opensearch")
    for (const user of ["admin", "fossick"]) {
      expect(decoded(passwords, `${user}-password`)).toMatch(/^\w{40}$/)
      writeFileSync(at("passwords", `${user}-password`), decoded(passwords, `${user}-password`))
    }
    const certificates = named(manifests, "Secret", "fossick-opensearch-certificates")
    for (const name of ["ca.pem", "node.pem", "node.key"])
      writeFileSync(at("certificates", name), decoded(certificates, name))
    const node = new X509Certificate(decoded(certificates, "node.pem"))
    expect(node.subject).toBe("CN=node.fossick")
    for (const host of ["fossick-opensearch-0.fossick-opensearch", "localhost"])
      expect(node.checkHost(host)).toBe(host)

    // The init container's command, unchanged except for the folders.
    const inPlace = (text: string) =>
      text
        .replace(/^\/app\//, `${ROOT}/`)
        .replace(/^\/(passwords|certificates|secrets|cluster)\b/, `${folder.path}/$1`)
    const [, ...args] = containerOf(manifests, "secrets").command!
    expect(spawnSync(process.execPath, args.map(inPlace), { encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    })
    expect(node.checkPrivateKey(createPrivateKey(readFileSync(at("secrets/node.key"))))).toBe(true)

    // Also runs the node's command, with another program in place of OpenSearch.
    for (const [map, to] of [
      ["fossick-opensearch", "cluster"],
      ["fossick-opensearch-security", "cluster/security"],
    ] as const)
      for (const [name, text] of Object.entries(named(manifests, "ConfigMap", map).data!))
        writeFileSync(at(to, name), text)
    writeFileSync(at("home/config/jvm.options"), "-Xms1g\n8:-Xlog:gc*:file=logs/gc.log\n")
    writeFileSync(at("home/bin/opensearch"), `#!/bin/sh\necho "$OPENSEARCH_PATH_CONF"; pwd\n`, {
      mode: 0o755,
    })
    const script = readFileSync(at("cluster/start.sh"), "utf8").replaceAll(
      /(?<=[ =])\/(conf|cluster|secrets)\b/g,
      `${folder.path}/$1`,
    )
    writeFileSync(at("cluster/start.sh"), script)
    const [shell = "", file = ""] = containerOf(manifests, "opensearch").command!
    const started = spawnSync(shell, [inPlace(file)], {
      env: { PATH: process.env["PATH"], OPENSEARCH_HOME: at("home") },
      encoding: "utf8",
    })
    expect(started).toMatchObject({ status: 0, stderr: "", stdout: `${at("conf")}\n${at("home")}\n` })
    expect(readFileSync(at("conf/jvm.options"), "utf8")).toBe("-Xms1g\n")
    expect(readdirSync(at("conf/certs")).sort()).toEqual(["ca.pem", "node.key", "node.pem"])
    expect(readdirSync(at("conf/opensearch-security"))).toEqual(
      expect.arrayContaining(["config.yml", "internal_users.yml", "roles.yml", "roles_mapping.yml"]),
    )
    expect(parse(readFileSync(at("conf/opensearch.yml"), "utf8"))).toHaveProperty(["cluster.name"], "fossick")
  })

  test.each(["api", "crawler"])(
    "starts %s, which reads its settings and files, waits for its state, and stops on request",
    async (name) => {
      using folder = temporaryFolder()
      const { command = [], env = [] } = containerOf(render({}), name)
      const here = (text: string) =>
        text.replace("/secrets/", `${folder.path}/`).replace(/^\/data$/, folder.path)
      for (const file of ["opensearch-password", "postgres-password", "opensearch-ca.pem"])
        writeFileSync(join(folder.path, file), "a secret of sixteen")
      const [, program = "", ...args] = command
      const child = spawn(process.execPath, [program.replace("/app", ROOT), ...args], {
        env: {
          PATH: process.env["PATH"],
          // No server answers at these addresses. They are on loopback, since looking up a name can take a long time.
          ...Object.fromEntries(
            env.map((one) => [
              one.name,
              here(one.value ?? "").replace("fossick-postgresql:5432", "127.0.0.1:1"),
            ]),
          ),
          FOSSICK_PORT: "0",
        },
      })
      let said = ""
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += String(data)))
      await expect.poll(() => said).toMatch(/127\.0\.0\.1:1\b/)
      child.kill("SIGTERM")
      expect(await once(child, "exit")).toEqual([0, null])
    },
  )
})
