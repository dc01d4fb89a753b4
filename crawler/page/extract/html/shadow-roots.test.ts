import { describe, expect, it } from "vitest"
import { readPage } from "../testing/read-page.ts"

const P = "Sow the mallow outdoors in April, a thumb deep, and keep the bed damp until the leaves show."
const doc = (body: string) =>
  `<!doctype html><html lang="en"><head><title>Seeds</title></head><body>${body}</body></html>`
const GULLS =
  "Herring gulls nest on the sheds, and each spring the keeper counts the eggs and writes the number on the door."

/** [name, document, text that is read from it, text that is not] */
const CASES: readonly (readonly [string, string, readonly string[], (readonly string[])?])[] = [
  [
    "page in a shadow root",
    doc(
      `<seed-page><template shadowrootmode="open"><style>:host{display:block}</style><main><h1>Seed packets</h1><p>${P}</p><p>The code is whimbrel.</p><slot></slot></main></template><p>A line about postage.</p></seed-page>`,
    ),
    ["whimbrel", "postage"],
    ["display"],
  ],
  [
    "named slots in order",
    doc(
      `<main><x-card><template shadowrootmode="open"><h2><slot name="title">No title</slot></h2><slot></slot><p>By <slot name="by">nobody known</slot>.</p></template><p>${P}</p><span slot="title">Mallow</span></x-card></main>`,
    ),
    ["## Mallow\n\n" + P + "\n\nBy nobody known."],
    ["No title"],
  ],
  [
    "nested",
    doc(
      `<app-root><template shadowrootmode="open"><main><app-box><template shadowrootmode="closed"><section><h2>Box</h2><slot>empty box</slot></section></template><slot name="inner"></slot></app-box></main></template><p slot="inner">${P} Deep.</p></app-root>`,
    ),
    ["## Box\n\n" + P + " Deep."],
    ["empty box"],
  ],
  [
    "old attribute",
    doc(`<div><template shadowroot="open"><p>${P}</p><slot></slot></template>Beside it.</div>`),
    [P, "Beside it."],
  ],
  [
    "light text without a slot",
    doc(
      `<main><p>${P} ${P}</p><x-a><template shadowrootmode="open"><p>Shown words.</p></template><p>Unshown words.</p></x-a></main>`,
    ),
    ["Shown words."],
    ["Unshown"],
  ],
  [
    "a plain template stays out",
    doc(
      `<main><p>${P} ${P}</p><div><template><p>Inert words.</p><x-b><template shadowrootmode="open"><p>Also inert.</p></template></x-b></template></div><ul><template shadowrootmode="open"><li>No host.</li></template><li>Item</li></ul></main>`,
    ),
    ["Item"],
    ["Inert", "inert", "No host"],
  ],
  [
    "styles of the shadow hold inside alone",
    doc(
      `<main><p class="note">${P} Outer note.</p><x-c><template shadowrootmode="open"><style>.note{display:none} p{color:#000}</style><p class="note">Hidden inside.</p><p>Open inside.</p></template></x-c></main>`,
    ),
    ["Outer note.", "Open inside."],
    ["Hidden inside"],
  ],
  [
    "styles of the page stay outside",
    `<!doctype html><html><head><title>s</title><style>.gone{display:none}</style></head><body><main><p>${P}</p><p class="gone">Page hides.</p><x-d><template shadowrootmode="open"><p class="gone">Still seen.</p></template></x-d></main></body></html>`,
    ["Still seen."],
    ["Page hides"],
  ],
  [
    "second template is inert",
    doc(
      `<main><p>${P} ${P}</p><x-e><template shadowrootmode="open"><p>First root.</p></template><template shadowrootmode="open"><p>Second root.</p></template></x-e></main>`,
    ),
    ["First root."],
    ["Second root"],
  ],
  [
    "links inside",
    doc(
      `<main><x-f><template shadowrootmode="open"><p>${P} <a href="/order">Order</a></p></template></x-f></main>`,
    ),
    ["[Order](https://example.org/order)"],
  ],

  [
    "upper case and single quotes",
    doc(
      `<MY-PAGE><TEMPLATE SHADOWROOTMODE='open' shadowrootdelegatesfocus><article><h1>Gulls</h1><p>${GULLS}</p><SLOT></SLOT></article></TEMPLATE>Count: nine.</MY-PAGE>`,
    ),
    [GULLS, "Count: nine."],
  ],
  [
    "a slot that passes on",
    doc(
      `<o-ne><template shadowrootmode="open"><main><t-wo><template shadowrootmode="open"><div class="w"><slot name="b"></slot></div></template><slot name="a" slot="b"></slot></t-wo></main></template><p slot="a">${GULLS}</p></o-ne>`,
    ),
    [GULLS],
  ],
  [
    "several children in one slot",
    doc(
      `<main><x-list><template shadowrootmode="open"><h2>All</h2><div><slot name="row"></slot></div><footer><slot></slot></footer></template><p slot="row">${GULLS}</p><p slot="row">Second row of the list.</p></x-list></main>`,
    ),
    ["## All\n\n" + GULLS + "\n\nSecond row of the list."],
  ],
  [
    "same slot twice",
    doc(
      `<main><p>${GULLS} ${GULLS}</p><x-g><template shadowrootmode="open"><p>1: <slot name="n">f1</slot></p><p>2: <slot name="n">f2</slot></p></template><b slot="n">once</b></x-g></main>`,
    ),
    ["1: **once**", "2: f2"],
  ],
  [
    "host in a paragraph",
    doc(
      `<main><p>${GULLS} Price <x-p><template shadowrootmode="open"><b>4 crowns</b></template></x-p> each.</p></main>`,
    ),
    ["Price **4 crowns** each."],
  ],
  [
    "fallback with blocks",
    doc(
      `<main><x-h><template shadowrootmode="open"><slot><h2>Fallback</h2><p>${GULLS}</p></slot></template></x-h></main>`,
    ),
    ["## Fallback\n\n" + GULLS],
  ],
  [
    "unclosed host and template",
    doc(`<x-i><template shadowrootmode="open"><main><p>${GULLS}</p><slot></slot>`),
    [GULLS],
  ],
  [
    "hidden host",
    doc(
      `<main><p>${GULLS} ${GULLS}</p><x-j hidden><template shadowrootmode="open"><p>Not on show.</p></template></x-j></main>`,
    ),
    [],
    ["Not on show"],
  ],
  [
    ":host hides",
    doc(
      `<main><p>${GULLS} ${GULLS}</p><x-k><template shadowrootmode="open"><style>:host{display:none}</style><p>Never shown.</p></template></x-k></main>`,
    ),
    [],
    ["Never shown"],
  ],
  [
    "script and style inside stay out",
    doc(
      `<x-l><template shadowrootmode="open"><script>let hidden = 1</script><style>p{margin:0}</style><main><p>${GULLS}</p></main></template></x-l>`,
    ),
    [GULLS],
    ["let hidden", "margin"],
  ],
]

describe("shadow roots", () => {
  it.each(CASES.map(([name, html, wanted, unwanted = []]) => ({ name, html, wanted, unwanted })))(
    "$name",
    ({ html, wanted, unwanted }) => {
      const { markdown } = readPage(html)
      for (const text of wanted) expect(markdown).toContain(text)
      for (const text of unwanted) expect(markdown).not.toContain(text)
    },
  )

  it("never make a tree too deep to process, however they are nested", () => {
    const depth = 300
    const chain = "<x-a><template shadowrootmode=open>" + "<i>".repeat(90) + "<slot></slot></template>"
    const { markdown } = readPage(doc(`<main><p>${P} ${P}</p>${chain.repeat(depth)}`))
    expect(markdown).toContain("Sow the mallow")
  })
})
