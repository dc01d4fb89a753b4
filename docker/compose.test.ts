import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, matchesGlob } from "node:path"
import { describe, expect, test } from "vitest"
import { parse, parseDocument } from "yaml"
import { crawlerSettings } from "#crawler/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { apiSettings } from "../api/settings.ts"
import { x402Settings } from "../api/doors/x402/settings.ts"
import { FLOORS } from "../docs/house/imports.ts"
import { IMAGE_CODE, namedPackages } from "./named-packages.ts"

// Tests of the containers that don't need Docker: they only read the files.

interface Service {
  readonly image?: string
  readonly build?: { readonly target?: string }
  readonly user?: string
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly restart?: string
  readonly mem_limit?: string
  readonly pids_limit?: number
  readonly read_only?: boolean
  readonly init?: boolean
  readonly cap_drop?: readonly string[]
  readonly cap_add?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly logging?: { readonly driver: string; readonly options: Readonly<Record<string, string>> }
  readonly healthcheck?: { readonly test: readonly string[]; readonly interval?: string }
  readonly depends_on?: unknown
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean } | null>>
}

const ROOT = join(import.meta.dirname, "..")
const TEST_ONLY = "smoke-test"
/** Service keys supported by docker-compose 1.29 (Debian 12, Ubuntu 22.04) and podman-compose 1.0. */
const OLD_KEYS = new Set(
  "build cap_add cap_drop command depends_on entrypoint environment healthcheck image init logging mem_limit networks pids_limit ports read_only restart scale security_opt stop_grace_period sysctls tmpfs user volumes working_dir".split(
    " ",
  ),
)
/** Capabilities that a service needs. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  init: ["CHOWN", "DAC_OVERRIDE", "SETGID", "SETUID"],
  prepare: ["CHOWN", "DAC_OVERRIDE"],
}
const OLD_HEALTH_KEYS = new Set(["test", "interval", "timeout", "retries", "start_period"])

const CLUSTER = "compose.cluster.yaml"
/** Services from a third-party image whose files only the image's own user can read. */
const OWN_USERS = new Set(["opensearch-1", "opensearch-2", "opensearch-3"])

const base = composeFile("compose.yaml")
const cluster = composeFile(CLUSTER)
const variants = readdirSync(import.meta.dirname)
  .map((name) => /^compose\.(.+)\.yaml$/.exec(name)?.[1])
  .filter((name) => name !== undefined)
const files = ["compose.yaml", CLUSTER, ...variants.map((name) => `docker/compose.${name}.yaml`)]
/** Each service in the file that defines it, not in those that change it. */
const services = files.flatMap((file) =>
  Object.entries(composeFile(file).services)
    .filter(([name]) => file === "compose.yaml" || file === CLUSTER || !(name in base.services))
    .map(([name, service]) => ({ name, service, file })),
)
const staying = services.filter(({ name }) => name !== "init" && name !== "prepare")
const { version, dependencies } = JSON.parse(text("package.json")) as {
  version: string
  dependencies: Record<string, string>
}

describe("every service", () => {
  test("is covered by this test", () => {
    expect(services.map(({ name }) => name)).toEqual(
      expect.arrayContaining(
        "init api crawler meilisearch gateway model site prepare proxy opensearch-3 postgres".split(" "),
      ),
    )
  })

  test.each(services)("$name runs an image with an exact version", ({ service }) => {
    expect(service.image).toMatch(/^[a-z]+(\/[a-z]+)?:v?\d+(\.\d+){1,2}(-browser)?$/)
  })

  test.each(services)("$name has resource limits and minimal privileges", ({ name, service }) => {
    expect(service).toMatchObject({
      init: true,
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      mem_limit: expect.stringMatching(/\d+[mg]\}?$/) as unknown,
      pids_limit: expect.any(Number) as unknown,
    })
    expect(service.cap_add ?? []).toEqual(RIGHTS[name] ?? [])
  })

  test.each(staying.filter(({ name }) => name !== "site"))(
    "$name does not run as root, and its log is bounded",
    ({ name, service }) => {
      expect(service.user).toBe(
        OWN_USERS.has(name) ? "1000:1000" : "${APPLIANCE_UID:-1000}:${APPLIANCE_GID:-1000}",
      )
      expect(Object.keys(service.logging?.options ?? {})).toEqual(["max-size", "max-file"])
    },
  )

  test.each(staying)("$name restarts automatically and has a health check", ({ name, service }) => {
    expect(service.restart).toBe("unless-stopped")
    // podman-compose 1.0 misinterprets CMD; only Docker runs the test's own site.
    expect(service.healthcheck?.test[0]).toBe(name === "site" ? "CMD" : "CMD-SHELL")
  })

  test("publishes ports only where clients connect, and on the host's loopback unless configured otherwise", () => {
    const published = services.filter(({ service }) => service.ports !== undefined)
    expect(published.map(({ name }) => name).sort()).toEqual(["api", "gateway", "proxy"])
    for (const { service } of published) {
      expect(service.ports).toEqual(["${APPLIANCE_ADDRESS:-127.0.0.1}:${APPLIANCE_PORT:-8080}:8080"])
    }
    // For a service with only internal networks, Docker publishes no ports.
    const airGap = composeFile("docker/compose.air-gap.yaml")
    expect(airGap.networks?.["outside"]?.internal).toBe(true)
    expect(base.services["api"]).toMatchObject({ networks: ["outside", "index"] })
    expect(composeFile("docker/compose.paid-search.yaml").services["api"]?.ports).toEqual([
      "${APPLIANCE_ADDRESS:-127.0.0.1}:${APPLIANCE_PAID_PORT:-8402}:8402",
    ])
  })

  test("stores its data in one folder", () => {
    const mounts = services.flatMap(({ service, file }) =>
      file.includes(TEST_ONLY) || file === CLUSTER ? [] : (service.volumes ?? []),
    )
    const folders = mounts.map((mount) => mount.split(/:(?=\/)/)[0])
    expect(new Set(folders.map((folder) => folder?.replace(/\/(meilisearch|secrets|model)$/, "")))).toEqual(
      new Set(["${APPLIANCE_DATA_DIR:-./index-data}", "./docker/config"]),
    )
  })

  test("stores the cluster's data there too, each service with access only to its own part and its own secrets", () => {
    const data = "${APPLIANCE_DATA_DIR:-./cluster-data}/"
    const mounted = Object.entries(cluster.services).flatMap(([name, { volumes = [] }]) =>
      volumes.flatMap((mount) => {
        const [from = "", to = "", mode] = mount.split(/:(?=\/|ro$)/)
        return from.startsWith(data) ? [{ name, part: from.slice(data.length), to, mode }] : []
      }),
    )
    for (const { name, part, mode } of mounted) {
      const kind = name === "api" || name === "crawler" ? "fossick" : name
      expect(part).toBe(mode === "ro" ? `secrets/${kind}` : kind)
    }
    expect(new Set(mounted.map(({ name }) => name))).toEqual(
      new Set(Object.keys(cluster.services).filter((name) => name !== "prepare" && name !== "proxy")),
    )
  })
})

describe("the Compose files", () => {
  test.each(files)("%s contain nothing that old engines reject", (file) => {
    const document = parseDocument(text(file), { merge: true })
    // Tags such as !reset require Compose 2.24.
    expect(document.warnings).toEqual([])
    const { services: found, ...top } = document.toJS() as ComposeFile & Record<string, unknown>
    expect(Object.keys(top).filter((key) => key !== "networks" && !key.startsWith("x-"))).toEqual([])
    for (const service of Object.values(found)) {
      expect(Object.keys(service).filter((key) => !OLD_KEYS.has(key))).toEqual([])
      expect(Object.keys(service.healthcheck ?? {}).filter((key) => !OLD_HEALTH_KEYS.has(key))).toEqual([])
      // Podman has no driver `local`.
      expect(service.logging?.driver ?? "json-file").toBe("json-file")
    }
  })

  test("report health quickly without start_interval: the index within seconds, the rest within ten more", () => {
    const seconds = (name: string) =>
      Number(/^(\d+)s$/.exec(base.services[name]?.healthcheck?.interval ?? "")?.[1])
    expect(seconds("meilisearch")).toBeLessThanOrEqual(3)
    for (const name of ["api", "crawler"]) expect(seconds(name)).toBeLessThanOrEqual(10)
  })
})

describe("the index", () => {
  test("is on an internal network, and its key is in no file that Compose reads", () => {
    expect(base.services["meilisearch"]).toMatchObject({ networks: ["index"] })
    expect(base.networks?.["index"]?.internal).toBe(true)
    expect(base.services["meilisearch"]?.environment).not.toHaveProperty("MEILI_MASTER_KEY")
  })
})

describe("the cluster's stores", () => {
  const stores = Object.entries(cluster.services).filter(([name]) => /^(opensearch-|postgres)/.test(name))

  test("are on an internal network", () => {
    expect(stores).toHaveLength(4)
    for (const [, service] of stores) expect(service).toMatchObject({ networks: ["store"] })
    expect(cluster.networks?.["store"]?.internal).toBe(true)
  })

  test("have the same names for their clients", () => {
    const names = stores.map(([name]) => name).filter((name) => name !== "postgres")
    const { environment } = cluster.services["api"]!
    expect(environment?.["FOSSICK_OPENSEARCH_URLS"]).toBe(
      names.map((name) => `https://${name}:9200`).join(","),
    )
    for (const [name, { environment: own }] of stores.filter(([one]) => one !== "postgres"))
      expect(own).toMatchObject({
        NODE_NAME: name,
        CLUSTER_NODES: names.join(","),
        SEED_HOSTS: names.join(","),
      })
    expect(cluster.services["prepare"]?.environment?.["CLUSTER_NODES"]).toBe(names.join(","))
  })

  test("have the version used in the tests", () => {
    const pom = text("engine/testing/opensearch/cluster/pom.xml")
    const tested = /<opensearch>(.+)<\/opensearch>/.exec(pom)?.[1]
    expect(cluster.services["opensearch-1"]?.image).toBe(`opensearchproject/opensearch:${tested}`)
  })
})

const docker = ["docker-compose", "docker compose"].find((command) => {
  const [program = "", ...args] = command.split(" ")
  return spawnSync(program, [...args, "version"]).status === 0
})

describe("Compose", { tags: ["compose"] }, () => {
  test.each(["compose.yaml", CLUSTER])("accepts %s", (file) => {
    const [program = "", ...args] = docker!.split(" ")
    const { stdout, stderr } = spawnSync(program, [...args, "--file", file, "config"], {
      cwd: ROOT,
      encoding: "utf8",
    })
    expect(stderr).not.toContain("ERROR")
    const rendered = parse(stdout) as ComposeFile
    expect(Object.keys(rendered.services).sort()).toEqual(Object.keys(composeFile(file).services).sort())
  })
})

describe("every setting in the Compose files", () => {
  const declared = [engineSettings, crawlerSettings, apiSettings, x402Settings].flatMap((part) =>
    Object.values(part),
  )
  const set = files.flatMap((file) =>
    Object.values(composeFile(file).services).flatMap(({ environment = {} }) => Object.entries(environment)),
  )
  const ours = set.filter(([name]) => /^(FOSSICK|X402)_/.test(name))

  test.each(ours)("%s is a Fossick setting", (name) => {
    expect(declared.map((setting) => setting.name)).toContain(name)
  })

  test.each(set)("%s contains no secret", (name, value) => {
    // The name of a file that contains a secret isn't a secret.
    const isFile = name.endsWith("_FILE") || value.startsWith("file:/")
    expect(isFile || !/_KEY$|PASSWORD|TOKEN/.test(name)).toBe(true)
    expect(URL.parse(value)?.password ?? "").toBe("")
  })

  test.each(ours.filter(([, value]) => !value.includes("${")))("%s has a valid value: %s", (name, value) => {
    expect(() => declared.find((setting) => setting.name === name)?.parse(value)).not.toThrow()
  })
})

describe("the image", () => {
  const dockerfile = text("docker/Dockerfile")

  test("is tagged with this project's version", () => {
    const own = services
      .map(({ service }) => service.image ?? "")
      .filter((image) => image.startsWith("fossick:"))
    expect(new Set(own)).toEqual(new Set([`fossick:${version}`]))
    expect(composeFile("docker/compose.browser.yaml").services["crawler"]?.image).toBe(
      `fossick:${version}-browser`,
    )
  })

  const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\$BUILDPLATFORM )?(\S+) AS (\w+)$/gm)]
  const stages = bases.map(([, , stage]) => stage)

  test("uses the Node version from the lock file, and no other base image", () => {
    expect(stages).toEqual(["packages", "faces", "appliance", "browser"])
    const foreign = bases.map(([, image]) => image).filter((image) => !stages.includes(image))
    expect(new Set(foreign)).toEqual(new Set([`node:${dependencies["node"]}-trixie-slim`]))
  })

  test("does not run as root, and has every target that Compose builds", () => {
    const ends = dockerfile.split(/^FROM /m).slice(3)
    for (const stage of ends) expect(stage.match(/^USER .*$/gm)?.at(-1)).toBe("USER 1000:1000")
    const targets = files.flatMap((file) =>
      Object.values(composeFile(file).services).map(({ build }) => build?.target),
    )
    expect(stages).toEqual(expect.arrayContaining(targets.filter((target) => target !== undefined)))
  })

  test("copies only files in the build context", () => {
    const given = [...text(".dockerignore").matchAll(/^!(\S+)$/gm)].map(([, path]) => path)
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, paths]) => paths?.split(" ") ?? [],
    )
    expect(copied.length).toBeGreaterThan(5)
    for (const path of copied) {
      expect(given).toContain(path.split("/")[0])
      expect(statSync(join(ROOT, path)).size).toBeGreaterThan(0)
    }
  })

  test.each(FLOORS.filter((floor) => floor !== "faces"))(
    "copies %s, and its packages are checked",
    (floor) => {
      expect(text(".dockerignore").split("\n")).toContain(`!${floor}`)
      expect(dockerfile.split("\n")).toContain(`COPY ${floor} ${floor}`)
      expect(IMAGE_CODE).toContain(floor)
    },
  )

  test("contains the built faces, and not their sources", () => {
    expect(dockerfile.split("\n")).toContain("COPY --from=faces /build/faces/dist faces/dist")
    expect(text(".dockerignore").split("\n")).toEqual(expect.arrayContaining(["!faces", "faces/dist"]))
  })

  test("contains no code that needs development packages", () => {
    const ofPackage = (named: string) => /^(?:@[^/]+\/)?[^/]+/.exec(named)?.[0] ?? named
    const named = new Set([...namedPackages(ROOT, inImage)].map(ofPackage))
    expect(named.size).toBeGreaterThan(20)
    expect([...named].filter((name) => !(name in dependencies))).toEqual([])
  })

  test.each([
    ["engine/lifecycle/move/meilisearch-move.server-test.ts", false],
    ["api/doors/x402/testing/chain.ts", false],
    ["command/pack/pack-command.ts", false],
    ["engine/models/build/02_quantize.py", false],
    ["docs/house/draw-command.ts", false],
    ["docker/load-packages.ts", true],
    ["crawler/page/pool/read-process-worker.ts", true],
    ["docs/getting-started.md", true],
  ])("contains only what runs in it, and no development files: %s %s", (path, expected) => {
    expect(statSync(join(ROOT, path)).isFile()).toBe(true)
    expect(inImage(path)).toBe(expected)
  })
})

/** Whether a file is sent to the builder, by its path: the last line of `.dockerignore` that matches it or one of its folders decides. */
function inImage(path: string): boolean {
  const lines = text(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  const names: string[] = []
  for (let name = path; name !== "."; name = dirname(name)) names.push(name)
  const last = lines.findLast((line) => names.some((name) => matchesGlob(name, line.replace(/^!/, ""))))
  return last?.startsWith("!") ?? true
}

function composeFile(path: string): ComposeFile {
  return parse(text(path), { merge: true }) as ComposeFile
}

function text(path: string): string {
  return readFileSync(join(ROOT, path), "utf8")
}
