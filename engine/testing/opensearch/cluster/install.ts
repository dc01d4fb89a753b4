import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)
const HERE = import.meta.dirname

/** The jars of each module of the server; all other jars belong to the server itself. */
const MODULES: ReadonlyArray<readonly [name: string, main: string, jars: RegExp]> = [
  ["transport-netty4", "org.opensearch.transport.Netty4Plugin", /^(transport-netty4-client|netty-)/],
  ["analysis-common", "org.opensearch.analysis.common.CommonAnalysisPlugin", /^analysis-common-/],
  [
    "lang-painless",
    "org.opensearch.painless.PainlessPlugin",
    /^(lang-painless|opensearch-scripting-painless-spi|antlr4|asm)-/,
  ],
  ["mapper-extras", "org.opensearch.index.mapper.MapperExtrasPlugin", /^mapper-extras-client-/],
  ["parent-join", "org.opensearch.join.ParentJoinPlugin", /^parent-join-client-/],
]

export const OPENSEARCH_VERSION = /<opensearch>(.+)<\/opensearch>/.exec(
  readFileSync(path.join(HERE, "pom.xml"), "utf8"),
)![1]!

/**
 * An installation of OpenSearch from Maven Central, created once and kept in the user's cache: about 70 MB; creating it
 * takes a minute. Needs `mvn` and a JDK (Debian: `default-jdk-headless maven`).
 *
 * @returns its folder
 */
export async function installOpenSearch(): Promise<string> {
  const sources = ["pom.xml", "TestNode.java"].map((name) => readFileSync(path.join(HERE, name)))
  const made = createHash("sha256").update(Buffer.concat(sources)).digest("hex").slice(0, 12)
  const cache = path.join(process.env["XDG_CACHE_HOME"] || path.join(homedir(), ".cache"), "fossick")
  const home = path.join(cache, `opensearch-${OPENSEARCH_VERSION}-${made}`)
  if (existsSync(home)) return home
  await mkdir(cache, { recursive: true })
  const unfinished = await mkdtemp(path.join(cache, "opensearch-"))
  try {
    await run("mvn", ["-q", "-B", "-f", path.join(HERE, "pom.xml"), `-Dto=${unfinished}`, "package"], {
      maxBuffer: 64 * 1024 * 1024,
    })
    const lib = path.join(unfinished, "lib")
    for (const [name, main, jars] of MODULES) {
      const module = path.join(unfinished, "modules", name)
      await mkdir(module, { recursive: true })
      for (const jar of (await readdir(lib)).filter((one) => jars.test(one))) {
        await rename(path.join(lib, jar), path.join(module, jar))
      }
      await writeFile(path.join(module, "plugin-descriptor.properties"), descriptorOf(name, main))
    }
    await copyFile(path.join(HERE, "log4j2.properties"), path.join(unfinished, "log4j2.properties"))
    const classes = ["-cp", path.join(lib, "*"), "-d", path.join(unfinished, "classes")]
    await run("javac", [...classes, path.join(HERE, "TestNode.java")])
    await rm(path.join(unfinished, "target"), { recursive: true, force: true })
    // Another process may have finished the installation first.
    await rename(unfinished, home).catch((error: unknown) => {
      if (!existsSync(home)) throw error
    })
    return home
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

const descriptorOf = (name: string, main: string) =>
  Object.entries({
    description: name,
    version: OPENSEARCH_VERSION,
    name,
    classname: main,
    "java.version": "11",
    "opensearch.version": OPENSEARCH_VERSION,
  })
    .map(([key, value]) => `${key}=${value}\n`)
    .join("")
