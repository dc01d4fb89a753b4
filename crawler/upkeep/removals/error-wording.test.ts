import { describe, expect, test } from "vitest"
import { errorWording } from "./error-wording.ts"

const SHORT = "The page that you asked for has moved or was never here. Try the search."
const LONG = "Servers answer with this status when they know of nothing at an address. ".repeat(20)

describe("a short page that is an error page", () => {
  test.each([
    "404",
    "Error 404",
    "404!",
    "Error 404 (:",
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
    "The article doesn't exist yet",
    "Dieser Artikel existiert noch nicht",
    "Ce sujet n'existe pas encore",
    "Temat jeszcze nie istnieje",
    "Эта тема ещё не существует",
    "Emnet eksisterer ikke endnu",
    "Dokumentet finnes ikke ennå",
    "Detta ämne finns inte ännu",
    "Otsikkoa ei löydy vielä",
    "Bu başlık henüz mevcut değil",
    "Topik belum ada, tidak ditemukan",
    "主題尚不存在",
    "이 주제는 아직 존재하지 않습니다",
    "이 문서는 아직 존재하지 않습니다",
    "الموضوع غير موجود بعد",
  ])("has a wiki's headline: %s", (heading) => {
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
  ])("begins like a wiki's missing page: %s", (text) => {
    expect(errorWording("Bee keeping", text)).toBe("not-found")
  })

  test("begins like a wiki's missing page below its title, whatever the title", () => {
    const text = "This page does not exist yet. You can create it."
    expect(errorWording("Bee keeping", `# Bee keeping\n\n${text}`)).toBe("not-found")
    expect(errorWording("Product not found", text)).toBe("not-found")
  })

  test("has only a headline, or one that also names a site, however long", () => {
    expect(errorWording("404", "# 404")).toBe("not-found")
    for (const level of ["#", "##", "###"])
      expect(errorWording("Example", `${level} Page not found\n\n${SHORT}`)).toBe("not-found")
    expect(errorWording(`Page not found - ${"x".repeat(60)}`, SHORT)).toBe("not-found")
    expect(errorWording("Example| 404", SHORT)).toBe("not-found")
  })

  test("has an error headline, even if it also begins like a wiki's page", () => {
    expect(errorWording("Page not found", "# 404\n\nThis page does not exist.")).toBe("not-found")
  })

  test("has its program's marker, in any language", () => {
    expect(errorWording("apoj", "Ĉi tiu paĝo mankas.", true)).toBe("not-found")
    expect(errorWording("apoj", LONG.repeat(2), true)).toBeNull()
  })

  test.each([
    "Product not found",
    "Module not found",
    "Artikel nicht verfügbar",
    "Aucun résultat : introuvable",
    "Create new page",
    "Create a new page",
    "Create this page",
    "Create the first page",
    "Neue Seite erstellen",
    "Créer une page",
    "Créer une nouvelle page",
    "Crear página nueva",
    "Crear una página nueva",
    "Criar nova página",
    "Nieuwe pagina maken",
    "Nieuwe pagina aanmaken",
  ])("may be missing: %s", (title) => {
    expect(errorWording(title, SHORT)).toBe("maybe-not-found")
  })

  test.each([
    "Down for scheduled maintenance",
    "We'll be right back",
    "Wartungsarbeiten",
    "Site temporairement indisponible",
    "Sitio en mantenimiento",
    "メンテナンス中",
  ])("is temporarily unavailable: %s", (title) => {
    expect(errorWording(title, SHORT)).toBe("maintenance")
  })
})

describe("certainty depends on the length of the text", () => {
  const words = (count: number) => "word ".repeat(count)
  test("for pages with a marker or an error headline", () => {
    expect([150, 151].map((count) => errorWording("apoj", words(count), true))).toEqual(["not-found", null])
    expect([60, 61, 150, 151].map((count) => errorWording("404", words(count)))).toEqual([
      "not-found",
      "maybe-not-found",
      "maybe-not-found",
      null,
    ])
  })

  test("for pages that begin like a wiki's missing page, and for where the beginning ends", () => {
    // Ten words.
    const begun = "This page does not exist yet. You can create it. "
    expect([50, 51, 140, 141].map((count) => errorWording("Bees", begun + words(count)))).toEqual([
      "not-found",
      "maybe-not-found",
      "maybe-not-found",
      null,
    ])
    expect(errorWording("Bees", "This page does not exist yet.")).toBe("maybe-not-found")
    const sentence = (chars: number) => `${"This page does not exist yet, ".padEnd(chars - 1, "x")}.`
    expect([160, 161].map((chars) => errorWording("Bees", sentence(chars)))).toEqual([
      "maybe-not-found",
      null,
    ])
  })

  test("and a headline must be short", () => {
    const headline = (chars: number) => "Page not found ".padEnd(chars, "x")
    expect([60, 61].map((chars) => errorWording(headline(chars), SHORT))).toEqual(["not-found", null])
  })
})

describe("a page that is not an error page", () => {
  test.each([
    "Highway 404",
    "404 Media",
    "The page that was found",
    "410 horses",
    "404s",
    "Finding things",
    "How to create a new page",
    "Create a new page now",
  ])("%s", (title) => {
    expect(errorWording(title, SHORT)).toBeNull()
  })

  test("mentions such a headline in its text", () => {
    expect(errorWording("Example", `See # Page not found\n\n${SHORT}`)).toBeNull()
  })

  test("is a long text about errors", () => {
    expect(errorWording("404 Not Found", LONG)).toBeNull()
    expect(errorWording("HTTP errors", `# Statuses\n\n${SHORT}\n\n## Page not found\n\n${SHORT}`)).toBeNull()
  })
})

describe("a page about missing pages is not an error page", () => {
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
    ["The answer does not exist yet", "It may come with the next version of this guide."],
    ["Create new page", "Title, Content, Message, Save"],
    ["IPv6 for hives does not exist", "Support may come with the next version, when the driver is there."],
    ["Roadmap", "This page does not exist yet in print, but will be part of the next edition of the guide."],
  ])("or only possibly one, so the site is checked: %s", (title, text) => {
    expect(errorWording(title, text)).toBe("maybe-not-found")
  })
})
