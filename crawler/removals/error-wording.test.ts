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
    "This topic does not exist yet",
    "Dieses Thema existiert noch nicht",
    "Cette page n'existe pas encore",
    "Este tema no existe todavía",
    "Questo argomento non esiste ancora",
    "Este tópico ainda não existe",
    "Dit onderwerp bestaat nog niet",
    "Ta strona jeszcze nie istnieje",
    "Эта страница ещё не существует",
    "この項目はまだ存在しません",
    "该主题尚不存在",
  ])("of a wiki: %s", (heading) => {
    const offer =
      "You have followed a link to it. If permissions allow, you may create it by clicking on **Create this page**."
    expect(errorWording("wiki:bees", `# ${heading}\n\n${offer}`)).toBe("not-found")
  })

  test.each([
    "There is currently no text in this page. You can search for its title, or create this page.",
    "This page does not exist yet. You can create a new empty page, or use one of the page templates.",
    "The page BeeKeeping does not exist. You can create it here.",
    "Diese Seite enthält momentan noch keinen Text. Du kannst sie erstellen.",
    "Il n’y a pour l’instant aucun texte sur cette page. Vous pouvez créer cette page.",
    "Esta página não existe. Pode criar a página.",
    "Эта страница ещё не существует. Вы можете создать её.",
  ])("of a wiki, as it begins: %s", (text) => {
    expect(errorWording("Bee keeping", text)).toBe("not-found")
  })

  test("by its headlines, when it begins like a wiki's page too", () => {
    expect(errorWording("Page not found", "# 404\n\nThis page does not exist.")).toBe("not-found")
  })

  test("by the marks of the program that made it, in any language", () => {
    expect(errorWording("apoj", "Ĉi tiu paĝo mankas.", true)).toBe("not-found")
    expect(errorWording("apoj", LONG.repeat(2), true)).toBeNull()
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

describe("a page that tells of missing pages is none", () => {
  test.each([
    [
      "When wikis say “This topic does not exist yet”",
      `A wiki links pages before anyone has written them. ${LONG}`,
    ],
    [
      "Redirects",
      "Bots meet the words: this page does not exist yet. You can create it. They mean that nobody wrote it.",
    ],
    ["Sharding", `The page cache does not exist yet in version 2; you can create one. ${LONG}`],
    [
      "Create a hive",
      "Create new pages from the menu. There is currently no text in this page of the guide that tells how.",
    ],
  ])("%s", (title, text) => {
    expect(errorWording(title, text)).toBeNull()
  })

  test.each([
    ["Create new page", "Title, Content, Message, Save"],
    ["IPv6 for hives does not exist", "Support may come with the next version, when the driver is there."],
    ["Roadmap", "This page does not exist yet in print, but will be part of the next edition of the guide."],
  ])("or perhaps one, which the site is asked for: %s", (title, text) => {
    expect(errorWording(title, text)).toBe("maybe-not-found")
  })
})
