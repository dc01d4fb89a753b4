import { describe, expect, test } from "vitest"
import { errorWording } from "./error-wording.ts"

const SHORT = "The page that you asked for has moved or was never here. Try the search."
const LONG = "Servers answer with this status when they know of nothing at an address. ".repeat(20)

describe("a short page is an error page by its headlines", () => {
  test.each([
    "404",
    "Error 404",
    "404 Not Found",
    "404 – Page not found | Example",
    "Page not found",
    "Sorry, this page doesn't exist.",
    "Seite nicht gefunden",
    "Page introuvable",
    "Página no encontrada",
    "Página não encontrada",
    "Pagina non trovata - Esempio",
    "Pagina niet gevonden",
    "Strona nie istnieje",
    "Stránka nenalezena",
    "Sidan hittades inte",
    "Siden ble ikke funnet",
    "Sivua ei löytynyt",
    "Страница не найдена",
    "Сторінку не знайдено",
    "Sayfa bulunamadı",
    "ページが見つかりません",
    "页面不存在",
    "페이지를 찾을 수 없습니다",
    "الصفحة غير موجودة, صفحة غير موجود",
  ])("%s", (title) => {
    expect(errorWording(title, SHORT)).toBe("not-found")
    expect(errorWording("Example", `# ${title}\n\n${SHORT}`)).toBe("not-found")
  })

  test.each([
    "Product not found",
    "Module not found",
    "Artikel nicht verfügbar",
    "Aucun résultat : introuvable",
  ])("perhaps: %s", (title) => {
    expect(errorWording(title, SHORT)).toBe("maybe-not-found")
  })

  test.each(["Down for scheduled maintenance", "We'll be right back", "Wartungsarbeiten", "メンテナンス中"])(
    "for a while: %s",
    (title) => {
      expect(errorWording(title, SHORT)).toBe("maintenance")
    },
  )
})

describe("no error page is", () => {
  test.each(["Highway 404", "404 Media", "The page that was found", "410 horses", "Finding things"])(
    "%s",
    (title) => {
      expect(errorWording(title, SHORT)).toBeNull()
    },
  )

  test("a long text about them", () => {
    expect(errorWording("404 Not Found", LONG)).toBeNull()
    expect(errorWording("HTTP errors", `# Statuses\n\n${SHORT}\n\n## Page not found\n\n${SHORT}`)).toBeNull()
  })
})
