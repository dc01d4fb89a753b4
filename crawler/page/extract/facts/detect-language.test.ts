import { expect, it } from "vitest"
import { detectLanguage } from "./detect-language.ts"

it("tells Chinese, Japanese and Korean by their script, in texts full of commands too", () => {
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

it("knows languages by codes of two letters, and says nothing of the others", () => {
  expect(
    detectLanguage("Die Schleuse wird geöffnet, wenn das Becken voll ist und die Boote fest sind."),
  ).toBe("de")
  // Kabyle, `ber`.
  expect(
    detectLanguage("azul fell-awen, nekkni d imaziɣen n tmurt n leqbayel, tanemmirt nwen") ?? "",
  ).toMatch(/^(?:|[a-z]{2})$/)
  expect(detectLanguage("4711 0815")).toBeNull()
})
