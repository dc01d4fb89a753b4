import { describe, expect, it } from "vitest"
import { extractHtml, extractText } from "../extract.ts"

const unsafe = (head: string, text = "") =>
  extractHtml(`<html><head>${head}</head><body><p>${text}</p></body></html>`, "https://a.example/").unsafe

describe("a page that declares itself unsafe", () => {
  it.each([
    '<meta name="rating" content="adult">',
    '<meta name="RATING" content="RTA-5042-1996-1400-1577-RTA">',
    '<script type="application/ld+json">{"@type":"WebPage","isFamilyFriendly":false}</script>',
    '<script type="application/ld+json">{"@type":"VideoObject","isFamilyFriendly":"http://schema.org/False"}</script>',
    '<meta itemprop="isFamilyFriendly" content="false">',
    `<meta http-equiv="PICS-Label" content='(PICS-1.1 "http://www.rsac.org/ratingsv01.html" l gen true r (n 4 s 4 v 0 l 4))'>`,
    `<meta http-equiv="pics-label" content='(pics-1.1 "http://www.icra.org/ratingsv02.html" l gen true r (na 1 nc 1 sc 1 lz 1 vz 1))'>`,
  ])("%s", (head) => {
    expect(unsafe(head)).toBe(true)
  })

  it.each([
    '<meta name="rating" content="general">',
    '<meta name="rating" content="safe for kids">',
    '<script type="application/ld+json">{"@type":"WebPage","isFamilyFriendly":true}</script>',
    `<meta http-equiv="pics-label" content='(pics-1.1 "http://www.icra.org/ratingsv02.html" l gen true r (nz 1 sz 1 lz 1 vz 1))'>`,
    `<meta http-equiv="PICS-Label" content='(PICS-1.1 "http://www.rsac.org/ratingsv01.html" l gen true r (n 0 s 0 v 0 l 0))'>`,
  ])("is not one with %s", (head) => {
    expect(unsafe(head)).toBe(false)
  })
})

describe("a page that reads like pornography", () => {
  it.each([
    [
      "en",
      "Free porn videos",
      "Hot MILF blowjob and creampie scenes, new XXX clips every day. Busty and horny.",
    ],
    ["en", "Cam girls live", "Watch cam-girls on our sex cams: deepthroat, gangbang, cumshots, all xxx."],
    ["de", "Pornos gratis", "Ficken, Titten und Arschfick: heiße Fickfilme und Sex Videos, jeden Tag neu."],
    ["fr", "Vidéos porno", "Gros seins, sodomie, partouze et plus encore : nos vidéos porno gratuites."],
    ["es", "Vídeos porno", "Tetonas y culonas follando, folladas xxx en casa. Porno gratis."],
    ["it", "Video porno", "Troie e zoccole: pompini, tettone, scopate e sborrata finale."],
    ["ru", "Порно видео", "Порно онлайн: минет, сиськи, трах и ебля каждый день."],
    ["ja", "無修正 エロ動画", "巨乳と痴女のエロ動画、中出し無修正アダルト動画を毎日更新。"],
  ])("is unsafe in %s: %s", (_, title, text) => {
    expect(unsafe(`<title>${title}</title>`, text)).toBe(true)
  })

  it("is unsafe as a text file too", () => {
    expect(
      extractText("Hentai stories: milf, creampie, xxx\n\nPorn for all.", "https://a.example/x.txt").unsafe,
    ).toBe(true)
  })
})

describe("a safe page", () => {
  it.each([
    [
      "medicine",
      "Erectile dysfunction and vaginal dryness",
      "Patients report pain during intercourse. The penis, the vagina, the clitoris and the breasts may be examined; anal and " +
        "oral symptoms are noted. Orgasm and ejaculation can be affected by medication. Sexual health clinics test for herpes.",
    ],
    [
      "sex education",
      "Talking to teenagers about sex",
      "Sex is more than intercourse. Explain masturbation, condoms, consent and contraception. Many teenagers have seen porn: " +
        "hardcore scenes, threesomes or blowjobs are acted, and parents can say so. Nudes that were sent cannot be called back.",
    ],
    [
      "news about it",
      "Court rules on age checks for porn sites",
      "The court upheld the law that asks porn sites to check ages. XXX domains and sex cams are covered. Researchers said that " +
        "porn filters block health education; police charged two men over upskirt photos and revenge porn, and victims spoke.",
    ],
    [
      "language",
      "milf - Wiktionary",
      "Noun. milf (plural milfs), slang, vulgar. Etymology: acronym. Related: blowjob, creampie, xxx. Linguistics of taboo words.",
    ],
    [
      "places",
      "From Scunthorpe to Essex",
      "Scunthorpe, Penistone, Essex, Sussex, Cockfosters, Titisee, Lightwater, Clitheroe, Fucking in Austria.",
    ],
    [
      "birds",
      "Great tits and blue tits",
      "Tits, boobies and cocks: the great tit feeds its young. Pussy willows give cover to titties of blue tits.",
    ],
    [
      "swearing",
      "Lyrics",
      "Fuck this, fucking cunts and whores, they fucked it up, sluts and pussies all of them, horny too.",
    ],
    [
      "cooking",
      "Chicken breasts, cream pie",
      "Naked cake, cream pie, hot dogs with creamy sauce. Naughty but nice. Hardcore bakers only.",
    ],
    [
      "placeholders",
      "Set XXX to the port",
      "Replace xxx with the port. XXX must be free. If xxx is taken, use another xxx.",
    ],
  ])("can be about %s", (_, title, text) => {
    expect(unsafe(`<title>${title}</title>`, text)).toBe(false)
  })
})
