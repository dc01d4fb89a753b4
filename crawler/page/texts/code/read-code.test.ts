import { describe, expect, test } from "vitest"
import { toPassages } from "#engine/text/passages.ts"
import { headingsIn, read } from "../testing/read-page.ts"

const SESSION = `import { open } from "./pump.ts"

/** How long a pump runs, in seconds. */
export const MAX_SECONDS = 60

/**
 * Reads an address.
 * @throws when it is none
 */
export function parseUrl(text: string): URL {
  const inner = () => {
    function unseen() {}
    return unseen
  }
  return new URL(text)
}

export class Session {
  #open = false

  /** Opens it. */
  async open(
    seconds: number,
  ): Promise<void> {
    if (seconds > MAX_SECONDS) {
      throw new Error("too long")
    }
    await open(seconds)
  }

  get isOpen(): boolean {
    return this.#open
  }
}

export const close = async (session: Session) => {
  session.toString()
}
`

test("each symbol is a heading above its code, with its comment and its line's fragment", async () => {
  const page = await read("session.ts", SESSION)
  expect(page).toMatchObject({ title: "session.ts", type: "code" })
  expect(headingsIn(page)).toEqual([
    "## constant MAX_SECONDS",
    "## function parseUrl",
    "## class Session",
    "### method open",
    "### method isOpen",
    "## function close",
  ])
  expect(page.markdown).toContain("## function parseUrl\n\n```ts\n/**\n * Reads an address.")
  const lines = page.markdown.split("\n")
  const places = Object.fromEntries(page.anchors!.map(([line, fragment]) => [lines[line], fragment]))
  expect(places).toMatchObject({ "## function parseUrl": "L10", "### method open": "L22" })
})

test("a code passage names the class and method around it", async () => {
  const long = SESSION.replace("await open(seconds)", "await open(seconds) // and on\n    ".repeat(20))
  const page = await read("session.ts", long)
  const passage = toPassages(page.markdown, page.anchors).find(({ text }) => text.includes("Opens it."))
  expect(passage).toMatchObject({ headings: ["class Session", "method open"], anchor: "L22" })
})

test("the language is that of the comments, and code without comments has no language", async () => {
  const german =
    "// Die Pumpe steht auf dem Boden, und der Zulauf ist unter dem Wasser.\n// Sie zieht keine Luft, wenn sie nicht leer ist.\n"
  expect((await read("pumpe.ts", `${german}${SESSION}`)).language).toBe("de")
  const bare = SESSION.replace(/\/\*\*[^]*?\*\//g, "")
  expect((await read("session.ts", bare)).language).toBeNull()
})

test("every word of a file is on its page", async () => {
  const page = await read("session.ts", SESSION)
  for (const line of SESSION.split("\n")) expect(page.markdown).toContain(line)
})

describe("symbols in many languages", () => {
  test.each<[name: string, text: string, headings: string[]]>([
    [
      "app.py",
      '"""Text with\nclass Nothing:\n"""\n@dataclass\nclass Pump(Base):\n    async def run(\n        self,\n    ) -> None:\n        def inner(): ...\n\n    def stop(self): ...\n\ndef main():\n    pass\n',
      ["## class Pump", "### method run", "### method stop", "## function main"],
    ],
    [
      "lib.js",
      "'use strict'\nmodule.exports.run = function () {\n}\nconst stop = (a) => a\nproto.get = function get(a) {\n  if (a) {\n  }\n}\n",
      ["## function run", "## function stop", "## function get"],
    ],
    [
      "Pump.java",
      "package a;\n/* class Old { */\npublic final class Pump<T> implements Runnable {\n  private final int size = count(1);\n  @Override\n  public <R> List<R> run(int a,\n      int b) {\n    return helper(a);\n  }\n  Pump() {\n    super();\n  }\n  interface Part {\n    void stop();\n  }\n}\n",
      ["## class Pump", "### method run", "### method Pump", "### interface Part"],
    ],
    [
      "pump.go",
      "package a\n\n// Pump pumps.\ntype Pump struct {\n\tsize int\n}\n\nfunc (p *Pump[T]) Run(a int) error {\n\treturn nil\n}\n\nfunc New() *Pump {\n\treturn nil\n}\n",
      ["## type Pump", "## method Pump.Run", "## function New"],
    ],
    [
      "lib.rs",
      "#[derive(Debug)]\npub struct Pump<T> {\n    a: T,\n}\n\nimpl<E> From<E> for Pump<E>\nwhere\n    E: Copy,\n{\n    pub(crate) async fn run(&self) {}\n}\n\nmacro_rules! pump { () => {} }\n",
      ["## struct Pump", "## impl From\\<E> for Pump\\<E>", "### method run", "## macro pump"],
    ],
    [
      "pump.c",
      "#include <a.h>\n#define SIZE(a) (a)\nstatic int size = 3;\nint run(int a);\n\n/* Runs. */\nstatic const char *run_all(struct pump *p,\n                           int b)\n{\n    if (run(b)) {\n        return 0;\n    }\n}\n\nstruct pump {\n    int a;\n};\n",
      ["## macro SIZE", "## function run_all", "## struct pump"],
    ],
    [
      "pump.cpp",
      "namespace a {\n\ntemplate <typename T> class Pump : public Base {\n public:\n  template <typename T> FMT_X auto add(const T& a) -> T& {\n    return a;\n  }\n  virtual const int* run() const override {\n    go();\n  }\n  int size() const;\n};\n\n}\n\nint a::Pump::size() const {\n  return 1;\n}\n",
      ["## namespace a", "## class Pump", "### method add", "### method run", "## function a::Pump::size"],
    ],
    [
      "Pump.cs",
      "namespace A\n{\n    public sealed class Pump : Base\n    {\n        public int Size { get; }\n\n#pragma warning disable X1\n        internal async Task<int> RunAsync(int a)\n        {\n            return await Other(a);\n        }\n    }\n}\n",
      ["## namespace A", "### class Pump", "#### property Size", "#### method RunAsync"],
    ],
    [
      "pump.rb",
      "module A\n  # Pumps.\n  class Pump < Base\n    def self.build(a)\n      run do |b|\n        b\n      end\n    end\n\n    def ready? = true\n  end\nend\n",
      ["## module A", "### class Pump", "#### method self.build", "#### method ready?"],
    ],
    [
      "Pump.php",
      "<?php\nfinal class Pump extends Base {\n    /** Runs. */\n    public static function run(int $a): void {\n        $b = function () {};\n    }\n}\nfunction main() {}\n",
      ["## class Pump", "### method run", "## function main"],
    ],
    [
      "deploy.sh",
      "#!/bin/sh\nset -e\nrun_all() {\n  echo a\n}\nfunction stop {\n  exit\n}\n",
      ["## function run_all", "## function stop"],
    ],
    ["deploy", "#!/usr/bin/env bash\nrun() {\n  echo a\n}\n", ["## function run"]],
    [
      "schema.sql",
      '-- Pumps.\nCREATE TABLE IF NOT EXISTS "pump" (\n  id int\n);\ncreate or replace function public.run(a int) returns int as $$\nbegin\nend $$;\n',
      ["## table pump", "## function public.run"],
    ],
    [
      "Pump.kt",
      "data class Pump(val a: Int) {\n    suspend fun run() {\n    }\n}\nfun Pump.stop() = 1\n",
      ["## class Pump", "### method run", "## function stop"],
    ],
    [
      "Pump.swift",
      "public struct Pump {\n    mutating func run() {\n    }\n}\n",
      ["## struct Pump", "### method run"],
    ],
  ])("%s", async (name, text, headings) => {
    expect(headingsIn(await read(name, text))).toEqual(headings)
  })
})

test("a settings file is code without headings", async () => {
  const page = await read("compose.yaml", "services:\n  web:\n    image: nginx\n")
  expect(page.markdown).toBe("```yaml\nservices:\n  web:\n    image: nginx\n```")
})

test("endless lines are processed in time", async () => {
  for (const part of ["a(", "class A {\n", "public a ", "/* ", "impl<a> ", "f(a, "]) {
    const text = part.repeat(60_000)
    for (const name of ["a.ts", "a.java", "a.cs", "a.cpp", "a.rs", "a.py"])
      expect((await read(name, text)).markdown.length).toBeLessThan(3 * text.length)
  }
})
