import { describe, expect, it } from "vitest"
import { extractHtml } from "../../extract.ts"

const SENTENCE =
  "We left the car at the farm and took the path along the wall, which is dry as far as the second gate. "
/** The text that replaces `…` in a page of the table. */
const PROSE = `<p>${SENTENCE.repeat(4)}</p>`

type Case = readonly [name: string, html: string, day: string | null, url?: string]

const DATED: readonly Case[] = [
  [
    "the whole date of two in data",
    "<html lang=en><title>Lamps</title><meta name=citation_publication_date content=2017/01><meta name=citation_online_date content=2017/01/30><h1>Lamps</h1>…",
    "2017-01-30",
  ],
  [
    "the day that is said, where the data may be those of a change",
    "<html lang=de><title>Lampen</title><meta name=date content=2022-01-21><h1>Lampen</h1><p>Erstellt am: 01.02.2022</p>…",
    "2022-02-01",
  ],
  [
    "the day in the text of a time whose attribute is that of a change",
    "<html lang=fr><title>Phare</title><h1>Phare</h1><time datetime=2019-07-03T10:18:46Z>Publié le 29 juin 2019</time>…",
    "2019-06-29",
  ],
  [
    "below a heading that the title tag repeats with the site's name",
    "<html lang=en><title>Lighting the lamps | Hive</title><h1>Hive</h1><h1>Lamps</h1><h2>Lighting the lamps</h2><div>27 Sep 2016</div>…",
    "2016-09-27",
  ],
  [
    "beside a style that the line has in it",
    "<html lang=de><title>Lampen</title><h1>Lampen</h1><div><style>.a{color:red;margin:0 1px 2px 3px;padding:0 1px 2px 3px;background:#fff}</style><em>01.11.2023 11:35</em></div>…",
    "2023-11-01",
  ],
  [
    "Blogger: the day above its posts",
    "<html lang=en><div class=blog><h2 class='date-header'><span>Friday, December 23, 2016</span></h2><div class=post><h3 class='post-title'>A walk to the light</h3>…</div></div>",
    "2016-12-23",
  ],
  [
    "a line below the heading, without any class, in French",
    "<html lang=fr><title>Le phare</title><main><h1>Le phare</h1><p>Par Jeanne Morel, le 1er août 2019 à 14h05</p>…</main>",
    "2019-08-01",
  ],
  [
    "a Polish byline with the month's genitive",
    "<html lang=pl><title>Latarnia</title><article><h1>Latarnia</h1><div class=meta>Opublikowano 7 października 2020 przez Ewę</div>…</article>",
    "2020-10-07",
  ],
  [
    "a Japanese post",
    "<html lang=ja><title>灯台</title><article><span class=entry-top-info-time>2020年07月03日</span><h1>灯台</h1>…</article>",
    "2020-07-03",
  ],
  [
    "a dateline before the first sentence",
    "<html lang=de><title>Neue Lampe</title><h1>Neue Lampe</h1><p>(18.01.2018) Die Lampe im Turm brennt wieder.</p>…",
    "2018-01-18",
  ],
  [
    "a dateline in an indented paragraph",
    `<html lang=de><title>Neue Lampe</title><h1>Neue Lampe</h1><p>\n      (18.01.2018) ${SENTENCE.repeat(2)}</p>…`,
    "2018-01-18",
  ],
  [
    "a day in pieces",
    "<html lang=en><title>Lamps</title><article><div class=date><span class=day>12</span><span class=month>Dec</span><span class=year>2019</span></div><h1>Lamps</h1>…</article>",
    "2019-12-12",
  ],
  [
    "numbers of which one can be no month",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1><p class=info>By Ann | 25/03/2021</p>…",
    "2021-03-25",
  ],
  [
    "numbers in the order of a British page",
    "<html lang=en-GB><title>Lamps</title><h1>Lamps</h1><p class=info>Posted 03/04/2021</p>…",
    "2021-04-03",
  ],
  [
    "microdata whose text shows less than its content",
    "<html lang=de><title>Lampen</title><h1>Lampen</h1><p class=date itemprop=datePublished content='2022-01-14 10:31:00'>Januar 2022</p>…",
    "2022-01-14",
  ],
  [
    "the day by the reader's clock, where data give it by Greenwich's",
    "<html lang=en-US><title>Lamps</title><meta property=article:published_time content=2020-02-25T02:25:54Z><h1>Lamps</h1><p class=date>February 24, 2020</p>…",
    "2020-02-24",
  ],
  [
    "the day of an address, where data give it by Greenwich's",
    "<html lang=en-US><title>Lamps</title><meta property=article:published_time content=2020-02-25T02:25:54Z><h1>Lamps</h1>…",
    "2020-02-24",
    "https://w.example/2020/02/24/lamps",
  ],
  [
    "midnight in Berlin",
    "<html lang=de><title>Lampen</title><meta property=article:published_time content=2019-02-01T00:00:00+01:00><h1>Lampen</h1>…",
    "2019-02-01",
  ],
  [
    "Drupal's line after the text",
    "<html lang=de><title>Turm</title><article><h1>Turm</h1>…<div class=submitted>Gespeichert von <span class=username>rasos</span> am 24. Juli 2017 - 18:55</div></article>",
    "2017-07-24",
  ],
  [
    "a Russian news page",
    "<html lang=ru><title>Маяк снова горит</title><article><p class=rubric>Берег</p><p class=date>15 августа 2016, 13:43</p><h1>Маяк снова горит</h1>…</article>",
    "2016-08-15",
  ],
  [
    "a Korean news page",
    "<html lang=ko><title>등대</title><div class=view><h3 class=tit>등대</h3><span>기자 | </span> 2020-03-04 16:52:59…</div>",
    "2020-03-04",
  ],
  [
    "a Spanish page that calls itself English",
    "<html lang=en-US><title>El faro</title><div class=post><h1>El faro</h1><span class=posted-on>17 de febrero de 2020</span>…</div>",
    "2020-02-17",
  ],
  [
    "a Thai page with the Buddhist year",
    "<html lang=th><title>ประภาคาร</title><article><h1>ประภาคาร</h1><div class=date>25 พฤศจิกายน 2563</div>…</article>",
    "2020-11-25",
  ],
  [
    "an Arabic page with Arabic digits",
    "<html lang=ar><title>المنارة</title><article><h1>المنارة</h1><div class=date>٢٥ ديسمبر ٢٠٢٠</div>…</article>",
    "2020-12-25",
  ],
  [
    "an abbr of the hAtom kind",
    "<html lang=fr><title>Phare</title><div class=hentry><h2 class=entry-title>Phare</h2>…<small><abbr class=published title='2019-06-27T10:21:40Z'>jeudi 27 juin 2019</abbr>, par Luc</small></div>",
    "2019-06-27",
  ],
  [
    "a press office's table of facts",
    "<html lang=de><title>Leuchtturm</title><main><h1>Leuchtturm</h1><div class=docData><span class=label>Datum:</span> <span class=value>18.10.2021</span></div>…</main>",
    "2021-10-18",
  ],
  [
    "a data name of the site's own",
    "<html lang=de><title>Lampen</title><meta name=article-publicationDate content='Di., 25.01.2022 - 14:45'><h1>Lampen</h1>…",
    "2022-01-25",
  ],
  [
    "the first of two days, and the other is a change",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1><p>Last updated 04 Jun 2020, originally created 17 Jun 2019</p>…",
    "2019-06-17",
  ],
  [
    "the address of a script's article",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1>…",
    "2020-09-24",
    "https://w.example/news/20200924/lamps",
  ],
  [
    "article data of the page among those of others",
    '<html lang=en><title>Lamps</title><script type=application/ld+json>[{"@type":"NewsArticle","url":"https://w.example/b","headline":"Ropes","datePublished":"2021-05-06"},{"@type":"NewsArticle","url":"https://w.example/a","headline":"Lamps","datePublished":"2020-05-06"}]</script><h1>Lamps</h1>…',
    "2020-05-06",
  ],
  [
    "a Vietnamese page",
    "<html lang=vi><title>Hải đăng</title><h1>Hải đăng</h1><p class=time>Thứ hai, 5 tháng 10, 2020</p>…",
    "2020-10-05",
  ],
  [
    "a Hungarian page",
    "<html lang=hu><title>Világítótorony</title><h1>Világítótorony</h1><p class=datum>2020. január 5.</p>…",
    "2020-01-05",
  ],
  [
    "a short year",
    "<html lang=de><title>Boot</title><h1>Boot</h1><div class=article-meta>Von: Björn <span>|</span> <span>31.10.23</span></div>…",
    "2023-10-31",
  ],
  [
    "before the date of a change",
    "<html lang=fr><title>Phares</title><h1>Phares</h1><div class=info>Publié le mardi 1er février 2022 à 10h05, mis à jour le 3 février 2022</div>…",
    "2022-02-01",
  ],
  [
    "in a statement with the time, the author and the section",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1><p>Posted on March 5th, 2021 at 9:00 am by Ann Wick in Walks by the sea</p>…",
    "2021-03-05",
  ],
  [
    "by the years of an era",
    "<html lang=ja><title>灯台</title><h1>灯台</h1><p>公開日：令和4年3月9日　更新日：令和5年4月1日</p>…",
    "2022-03-09",
  ],
]

const UNDATED: readonly Case[] = [
  [
    "numbers whose order nothing tells",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1><p class=info>Posted 03/04/2021</p>…",
    null,
  ],
  [
    "a comment's day",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1>…<h2>Comments</h2><ol><li><b>Bo</b> <time datetime=2020-03-04>4 March 2020</time><p>Nice.</p></li></ol>",
    null,
  ],
  [
    "the day of a teaser",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1>…<aside><h3><a href=/b>Ropes</a></h3><span class=date>March 4, 2020</span></aside>",
    null,
  ],
  [
    "a footer's copyright",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1>…<footer>Copyright © 19.12.2019 Lamp Ltd</footer>",
    null,
  ],
  [
    "the day of an event",
    "<html lang=de><title>Messe</title><h1>Messe</h1><p class=event-date>20. Februar 2019 – 23. Februar 2019, Köln</p>…",
    null,
  ],
  [
    "a day in the prose",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1><p>The old lamp was taken down on March 4, 2020 and nobody missed it until the winter, when a boat went past the rocks without seeing them at all.</p>…",
    null,
  ],
  [
    "when it was changed, and nothing else",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1><p>Last updated: March 4, 2020</p>…",
    null,
  ],
  [
    "how long ago, and nothing else",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1><p class=date>3 days ago</p>…",
    null,
  ],
  [
    "a list of posts",
    "<html lang=en><title>All posts</title><h1>All posts</h1><ul><li><time datetime=2020-03-04>4 March 2020</time> <h2><a href=/a>Ropes</a></h2></li><li><time datetime=2020-03-03>3 March 2020</time> <h2><a href=/b>Oil</a></h2></li></ul>",
    null,
    "https://w.example/",
  ],
  [
    "today's day above the site's name",
    "<html lang=es><title>Faro</title><header><div id=date>Miércoles, 15 de abril de 2020</div><nav><a href=/>Inicio</a></nav></header><main><h1>Faro</h1>…</main>",
    null,
  ],
  [
    "a review's day below a product",
    "<html lang=en><title>Lamp 3000</title><h1>Lamp 3000</h1>…<div itemscope itemtype=https://schema.org/Review><meta itemprop=datePublished content=2020-05-06><p>Bright.</p></div>",
    null,
  ],
  [
    "a hidden day",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1><p class=date style='display:none'>March 4, 2020</p>…",
    null,
  ],
  [
    "related posts below the same heading",
    "<html lang=en><title>Lamps</title><article><h1>Lamps</h1>…<div class=related-posts><a href=/b>Ropes</a> <span class=date>4 March 2020</span><a href=/c>Oil</a> <span class=date>5 March 2020</span></div></article>",
    null,
  ],
  [
    "the end of an offer",
    "<html lang=en><title>Lamp</title><h1>Lamp</h1><p class=price>Special financing – ends Aug 2, 2025</p>…",
    null,
  ],
  [
    "the days of a list",
    "<html lang=en><title>New lamps</title><h1>New lamps</h1><ul><li><a href=/1>Fri, 6 Mar 2020</a></li><li><a href=/2>Thu, 5 Mar 2020</a></li><li><a href=/3>Wed, 4 Mar 2020</a></li></ul>…",
    null,
  ],
  [
    "when a member joined",
    "<html lang=en><title>Lamps</title><h1>Lamps</h1><div class=profile>Joined: 18 Sep 2008</div>…",
    null,
  ],
]

const dayOf = (html: string, url?: string) =>
  extractHtml(html.replaceAll("…", PROSE), url ?? "https://w.example/a")
    .publishedAt?.toISOString()
    .slice(0, 10) ?? null

describe("a page's publication date", () => {
  for (const [name, html, day, url] of DATED)
    it(`is found: ${name}`, () => {
      expect(dayOf(html, url)).toBe(day)
    })

  for (const [name, html, day, url] of UNDATED)
    it(`is not found: ${name}`, () => {
      expect(dayOf(html, url)).toBe(day)
    })

  it("takes the time of day from metadata, within the visible date", () => {
    const at = (time: string) =>
      extractHtml(`<meta property="article:published_time" content="${time}">`, "https://w.example/a")
        .publishedAt
    expect(at("2024-03-05T10:00:00+01:00")).toEqual(new Date("2024-03-05T09:00:00Z"))
    expect(at("2024-03-05T00:30:00+01:00")).toEqual(new Date("2024-03-05T00:00:00Z"))
    expect(at("2024-03-05T22:00:00-05:00")).toEqual(new Date("2024-03-05T23:59:59.999Z"))
  })
})
