import { expect, test } from "vitest"

import { extractHtml } from "../extract-html.ts"

const PROSE =
  "<p>The pump has to stand below the water line, or it takes in air and runs dry within a few minutes of its start.</p>"
const read = (scrap: string) =>
  extractHtml(
    `<title>Pumps</title><header id="head">Menu</header><main id="all"><h1 id="pumps">About pumps</h1><ul id="toc"><li><a href="#seals">Seals</a></li></ul>${PROSE}${scrap}<h2 id="seals">Seals</h2>${PROSE}</main>`,
    "https://example.com/pumps",
  ).markdown

const WORDS = /(?:Nach oben|Sommaire|\btop\b|Menu|Edit|編集|先頭|↑|up\.gif|Jump|Write|Form|Pumps \(|Rule)/

test.each([
  ['<p class="up"><a href="#pumps">Nach oben</a></p>'],
  ['<div class="retour"><p><a href="#toc">Sommaire</a></p></div>'],
  ['<p><a href="#">ページの先頭へ</a></p>'],
  ['<p>[ <a href="#top">top</a> | <a href="#toc">↑</a> ]</p>'],
  ['<div><a href="#page-header"><img alt="top" src="up.gif"></a></div>'],
  ['<p><a href="#page-header">Nach oben</a></p>'],
  ['<p><a href="javascript:window.scrollTo(0,0)">Nach oben</a></p>'],
  ['<a href="#all">Menu</a>'],
  ['<p><a href="https://git.example/o/r/edit/main/docs/pumps.md">Edit</a></p>'],
  ['<p><a href="/index.php?title=Pumps&amp;action=edit">編集</a></p>'],
])("a block of links back up the page, or to its source, is left out: %s", (scrap) => {
  expect(read(scrap)).not.toMatch(WORDS)
})

test.each([
  ['<p><a href="#seals">Jump to the seals</a></p>'],
  ['<p><a href="mailto:a@example.com">Write to us</a></p>'],
  ['<p><a href="#form">Form of complaint</a></p>'],
  ['<p>Go <a href="#top">top</a> of the tree</p>'],
  ['<h2 id="x"><a href="#pumps">Pumps (again)</a></h2>'],
  ['<table><tr><td id="r1"><a href="#r1">Rule 1</a></td><td>No air</td></tr></table>'],
  ['<div id="box"><p><a href="#box">Rule of the box</a></p></div>'],
  ['<p><a href="#">Rule out air</a></p><div>Fill it first.</div>'],
  ['<p><a href="#"><img alt="A pump" src="up.gif"></a></p>'],
  ['<p id="n1">One</p><p>[<a href="#n1">Rule 1</a>]</p>'],
  [`<div><p><a href="#pumps">Up</a></p><div>${" ".repeat(200)}<p>Rule by hand</p></div></div>`],
  ['<p><a href="/manual/edit/overview">Edit pages</a></p>'],
])("any other link is kept: %s", (text) => {
  expect(read(text)).toMatch(WORDS)
})

test("hostile pages full of such links take linear time", () => {
  const { markdown } = extractHtml(
    `<main>${PROSE}${'<a href="#top">top</a>'.repeat(50_000)}${'<p><a href="#top">top</a></p>'.repeat(20_000)}</main>`,
    "https://example.com/",
  )
  expect(markdown).toContain("The pump")
})
