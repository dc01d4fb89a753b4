import { describe, expect, test } from "vitest"
import { extractHtml } from "../extract.ts"

const left = (body: string, script = `<script src="/app.js"></script>`) =>
  extractHtml(
    `<!doctype html><title>Mills</title><body><main><h1>Mills</h1><p>The mill turns.</p>${body}</main>${script}`,
    "https://mills.example/",
  ).leftToScripts

describe("panels that scripts fill on opening", () => {
  test.each([
    [
      "a button and its empty box",
      `<h3><button aria-expanded="false" aria-controls="a">How?</button></h3><div id="a"></div>`,
    ],
    [
      "a box that is still to be made",
      `<button aria-expanded="false" aria-controls="later">Показать</button>`,
    ],
    [
      "a box that says to wait",
      `<div role="button" aria-expanded="false">もっと</div><div class="x">読み込み中…</div>`,
    ],
    [
      "a box behind its heading",
      `<h2><button aria-expanded="false">Wie oft?</button></h2><section></section>`,
    ],
    ["tabs without panels", `<div role="tablist"><a role="tab" aria-controls="p1">Linux</a></div>`],
    [
      "details that hold a summary alone",
      `<details><summary>Pièces</summary><div data-src="/parts"></div></details>`,
    ],
    [
      "a panel for two tabs",
      `<div role="tablist"><b role="tab" aria-controls="p">A</b><b role="tab" aria-controls="p">B</b></div><div id="p">Text of A.</div>`,
    ],
  ])("%s", (_, body) => {
    expect(left(body)).toEqual({ panels: expect.any(Number), branches: 0 })
    expect(left(body)).not.toEqual({ panels: 0, branches: 0 })
  })

  test.each([
    [
      "a panel that has its text",
      `<button aria-expanded="false" aria-controls="a">How?</button><div id="a">By wind.</div>`,
    ],
    [
      "a panel that holds a picture",
      `<details><summary>Plan</summary><img src="/plan.png" alt=""></details>`,
    ],
    ["a menu", `<button aria-expanded="false" aria-haspopup="menu" aria-controls="later">Share</button>`],
    [
      "the site's own menu",
      `<header><button aria-expanded="false" aria-controls="later">Menu</button></header>`,
    ],
    ["a field that completes words", `<input role="combobox" aria-expanded="false" aria-controls="later">`],
  ])("do not include %s", (_, body) => {
    expect(left(body)).toEqual({ panels: 0, branches: 0 })
  })
})

describe("placeholders that scripts fill with links", () => {
  test.each([
    ["a navigation", `<nav></nav>`],
    ["a tree", `<ul role="tree"><li role="treeitem">Loading</li></ul>`],
    ["a page tree by its name", `<div class="plugin_pagetree"><div id="children1-0"></div></div>`],
    ["an element of the site's own", `<x-pages class="page-tree"></x-pages>`],
    [
      "a closed item of a list",
      `<ul><li><button aria-expanded="false">+</button> <a href="/parts">Parts</a></li></ul>`,
    ],
    [
      "a closed item of a tree with an empty group",
      `<ul><li role="treeitem" aria-expanded="false"><a href="/parts">Parts</a><ul role="group"></ul></li></ul>`,
    ],
  ])("%s", (_, body) => {
    expect(left(body)).toMatchObject({ panels: 0, branches: 1 })
  })

  test.each([
    ["a navigation with links", `<nav><a href="/a">A</a></nav>`],
    [
      "a list of questions",
      `<ul><li><button aria-expanded="false">How?</button><p hidden>By the wind alone, which turns the sails and a shaft of oak, see <a href="/wind">the wind</a> and what it does to a mill.</p></li></ul>`,
    ],
    [
      "an item whose list is only hidden",
      `<ul><li><button aria-expanded="false">+</button><ul hidden><li><a href="/cogs">Cogs</a></li></ul></li></ul>`,
    ],
  ])("do not include %s", (_, body) => {
    expect(left(body)).toEqual({ panels: 0, branches: 0 })
  })
})

test("a page without its own script leaves nothing to scripts", () => {
  for (const script of ["", `<script async src="https://www.googletagmanager.com/gtag/js"></script>`])
    expect(left("<nav></nav><details><summary>Parts</summary></details>", script)).toBeUndefined()
})
