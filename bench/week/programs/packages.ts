import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { glob, lstat, mkdir, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)
/** The longest that one installation or build may take. */
const INSTALL_MS = 15 * 60_000

/** Debian packages: the wikis and the PHP they need, Apache, manuals in many languages, a generator. */
const DEBIAN = ["dokuwiki", "mediawiki", "php-cli", "php-sqlite3", "php-xml", "php-mbstring", "php-intl"]
const DEBIAN_SERVERS = ["apache2", "apache2-doc", "nginx-doc", "postfix-doc", "hugo", "nginx", "nginx-common"]

/** Packages from npm's registry, in the versions that were tried. */
const NPM: Readonly<Record<string, string>> = {
  "@11ty/eleventy": "3.1.8",
  "@docusaurus/core": "3.10.2",
  "@docusaurus/preset-classic": "3.10.2",
  "@vitejs/plugin-react": "6.3.0",
  docsify: "5.0.0",
  fastify: "5.12.8",
  npm: "11.21.2",
  react: "19.3.1",
  "react-dom": "19.3.1",
  "react-router-dom": "7.18.5",
  undici: "7.30.2",
  vite: "8.3.8",
}

const PYTHON = [
  "mkdocs-material==9.8.1",
  "Sphinx==9.0.4",
  "myst-parser==5.2.0",
  "python-docx==1.2.0",
  "openpyxl==3.1.5",
  "reportlab==5.1.0",
]

/** Folders below the folder of programs, one for each registry. */
export const debianFolder = (folder: string): string => join(folder, "debian")
export const nodeFolder = (folder: string): string => join(folder, "node")
export const pythonFolder = (folder: string): string => join(folder, "python")
/** Where the packages' build results are stored. */
export const builtFolder = (folder: string, name: string): string => join(folder, "built", name)

/**
 * Does something once per folder of programs, so that later runs can skip it.
 * @param name name of the file that marks it as done
 */
export async function doOnce(folder: string, name: string, work: () => Promise<void>): Promise<void> {
  const mark = join(folder, `.done-${name}`)
  if (existsSync(mark)) return
  process.stderr.write(`making ${name}\n`)
  await work()
  await writeFile(mark, "")
}

/** Marks the builds with these names as needing a rebuild. */
export async function forget(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await rm(join(folder, `.done-${name}`), { force: true })
    await rm(builtFolder(folder, name), { recursive: true, force: true })
  }
}

/** Runs a command to its end, with these variables added to the environment. @throws Error with the end of its output */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>>; input?: string } = {},
): Promise<string> {
  const env = { ...process.env, ...options.env }
  const pending = run(command, [...args], {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env,
    maxBuffer: 1 << 26,
    timeout: INSTALL_MS,
  })
  pending.child.stdin?.end(options.input ?? "")
  try {
    return (await pending).stdout
  } catch (error) {
    const { stderr = "", stdout = "" } = error as { stderr?: string; stdout?: string }
    throw new Error(
      `${command} ${args.slice(0, 3).join(" ")} failed: ${`${stdout}\n${stderr}`.slice(-1500)}`,
      {
        cause: error,
      },
    )
  }
}

/**
 * Unpacks the Debian packages, with the dependencies that this machine lacks, below `debian/`. Nothing is installed on
 * the system, no root rights are needed, and no service is started.
 * @throws Error on a system without apt, or without these packages
 */
export async function debianPackages(folder: string): Promise<string> {
  const root = debianFolder(folder)
  await doOnce(folder, "debian", async () => {
    const archives = join(folder, "archives")
    await mkdir(join(archives, "partial"), { recursive: true })
    await runCommand("apt-get", [
      "install",
      "-y",
      "-qq",
      "--download-only",
      "--reinstall",
      "--no-install-recommends",
      "-o",
      "Debug::NoLocking=1",
      "-o",
      `Dir::Cache::archives=${archives}`,
      ...DEBIAN,
      ...DEBIAN_SERVERS,
    ])
    await rm(root, { recursive: true, force: true })
    await mkdir(root, { recursive: true })
    for (const name of (await readdir(archives)).filter((one) => one.endsWith(".deb")).sort())
      await runCommand("dpkg-deb", ["-x", join(archives, name), root])
    await rm(archives, { recursive: true })
    await linkInside(root)
  })
  return root
}

/** Absolute symbolic links in an unpacked package point to the system's root; this points them at the unpacked files. */
async function linkInside(root: string): Promise<void> {
  for await (const path of glob("**/*", { cwd: root })) {
    const link = join(root, path)
    const found = await lstat(link).catch(() => null)
    if (!found?.isSymbolicLink()) continue
    const target = await readlink(link)
    if (!target.startsWith("/") || target.startsWith(root)) continue
    await rm(link)
    await symlink(join(root, target), link)
  }
}

/** The folder of the unpacked libraries, such as `usr/lib/x86_64-linux-gnu`. */
export async function libraries(root: string): Promise<string> {
  for await (const path of glob("usr/lib/*-linux-gnu*", { cwd: root })) return join(root, path)
  throw new Error(`no libraries below ${root}`)
}

/** Installs packages from npm's registry, without running their scripts. @throws Error when the registry cannot be reached */
export async function npmPackages(folder: string): Promise<string> {
  const root = nodeFolder(folder)
  await doOnce(folder, "node", async () => {
    await mkdir(root, { recursive: true })
    const manifest = { name: "programs", version: "1.0.0", private: true, dependencies: NPM }
    await writeFile(join(root, "package.json"), JSON.stringify(manifest, null, 2))
    await runCommand("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: root })
  })
  return root
}

/** Installs packages from Python's registry in their own environment. @throws Error when it cannot be created */
export async function pythonPackages(folder: string): Promise<string> {
  const root = pythonFolder(folder)
  await doOnce(folder, "python", async () => {
    await runCommand("python3", ["-m", "venv", root])
    await runCommand(join(root, "bin/pip"), ["install", "-q", "--disable-pip-version-check", ...PYTHON])
  })
  return root
}
