import { expect, it } from "vitest"
import { detectLanguage, languageOfMarkdown } from "./detect-language.ts"

it("recognises Chinese, Japanese and Korean by script, even in texts full of commands", () => {
  const commands = "`systemctl --user daemon-reload`, `CONFIG_QUOTA`, /etc/fstab, aptitude install quota"
  expect(detectLanguage(`配额系统可以限制用户与群组可用的磁盘空间。设置时，必须内核支持。${commands}`)).toBe(
    "zh",
  )
  expect(detectLanguage(`管理者は各ユーザーが使えるディスクの容量を制限できます。${commands}`)).toBe("ja")
  expect(detectLanguage(`관리자는 사용자마다 쓸 수 있는 디스크 용량을 제한할 수 있다. ${commands}`)).toBe(
    "ko",
  )
  // A name or two do not make a text Chinese.
  expect(detectLanguage("The quota system (配额) limits the disk space that each user may fill.")).toBe("en")
})

it("gives two-letter language codes, and nothing for other languages", () => {
  expect(
    detectLanguage("Die Schleuse wird geöffnet, wenn das Becken voll ist und die Boote fest sind."),
  ).toBe("de")
  // This is Kabyle (`ber`), which has no two-letter code.
  expect(
    detectLanguage("azul fell-awen, nekkni d imaziɣen n tmurt n leqbayel, tanemmirt nwen") ?? "",
  ).toMatch(/^(?:|[a-z]{2})$/)
  expect(detectLanguage("4711 0815")).toBeNull()
})

it("recognises English in a manual full of foreign names", () => {
  // Judged only by groups of letters, this is Portuguese.
  const savepoints = `ROLLBACK TO SAVEPOINT savepoint_name. All that was done after the savepoint is undone, and the savepoint stays as it
    is. A savepoint that stands before another savepoint is not released with it.`
  expect(detectLanguage(savepoints)).toBe("en")
})

it("looks at a page's text and not its code", () => {
  const remark =
    "// die Tabelle wird geleert, und der Zähler beginnt wieder bei eins, wenn nichts mehr übrig ist"
  const code = ["```", remark, remark, "empty()", "```"]
  const page = ["# Tables", ...code, "", "Each of these tables has a row for each of the objects.", ""].join(
    "\n",
  )
  expect(languageOfMarkdown(page)).toBe("en")
  // On a page of code there is no other text to judge by.
  expect(languageOfMarkdown(code.join("\n"))).toBe("de")
  expect(languageOfMarkdown("`a`")).toBeNull()
})
