import type { HtmlCase } from "./hidden-html.ts"

const styled = (name: string, style: string): HtmlCase => ({ name, body: `<p style="${style}">TEXT</p>` })
const classed = (name: string, css: string, body = `<div class="q7"><p>TEXT</p></div>`): HtmlCase => ({
  name,
  body,
  css,
})

/**
 * A second set of ways to hide a text, written after the code that finds them, before its author read it again: with `tuning` it was
 * mended, `kept` was run once when that was done.
 */
export const LATER_HIDDEN: Readonly<Record<"tuning" | "kept", readonly HtmlCase[]>> = {
  tuning: [
    styled("cut off from the right", "clip-path: inset(0 100% 0 0)"),
    styled("an ellipse without height", "clip-path: ellipse(50% 0 at 50% 50%)"),
    styled("a rectangle of nothing", "clip-path: rect(0 0 0 0)"),
    styled("a path of nothing", "clip-path: path('M0 0')"),
    styled("scaled to a thousandth", "transform: scale(0.001)"),
    styled("scaled by a matrix", "transform: matrix(0, 0, 0, 0, 0, 0)"),
    styled("turned on its edge", "transform: rotateY(90deg)"),
    styled("scaled in one direction", "transform: scaleX(0)"),
    styled("zoomed to nothing", "zoom: 0.001"),
    styled("white by its lightness", "color: oklch(100% 0 0)"),
    styled("white by a mix", "color: color-mix(in oklab, white 98%, black)"),
    styled("white on a course of white", "background: linear-gradient(white, #fff); color: white"),
    styled("white with white filling", "-webkit-text-fill-color: #fff"),
    styled("nothing high, by its greatest height", "max-height: 0; overflow: hidden"),
    styled("blurred", "filter: blur(50px)"),
    classed("display by a variable", ":root { --show: none } .q7 { display: var(--show) }"),
    classed("a size by a variable", ":root { --size: 0px } .q7 p { font-size: var(--size) }"),
    classed(
      "registered as a property",
      "@property --h { syntax: '*'; inherits: true; initial-value: hidden } .q7 { visibility: var(--h) }",
    ),
    classed(
      "hidden in a container",
      "@container (min-width: 1px) { .q7 { display: none } } article { container-type: inline-size }",
    ),
    classed("hidden within a scope", "@scope (article) { .q7 { display: none } }"),
    { name: "what is shown without scripts", body: `<noscript><p>TEXT</p></noscript>` },
    {
      name: "a drawn text without size",
      body: `<svg width="9" height="9"><text font-size="0">TEXT</text></svg>`,
    },
    {
      name: "a drawn text without colour",
      body: `<svg width="900" height="30"><text y="20" fill="none">TEXT</text></svg>`,
    },
    {
      name: "definitions of a drawing",
      body: `<svg width="9" height="9"><defs><text id="t">TEXT</text></defs><symbol><text>TEXT</text></symbol></svg>`,
    },
    { name: "brackets of ruby", body: `<p>The <ruby>hose<rp>TEXT</rp><rt>h</rt></ruby> is long.</p>` },
    { name: "the title of an abbreviation", body: `<p>At <abbr title="TEXT">RPM</abbr> 900.</p>` },
    { name: "a data attribute", body: `<p data-text="TEXT" data-description="TEXT">A hose.</p>` },
  ],
  kept: [
    styled("a circle out of the box", "clip-path: circle(10px at -100px -100px)"),
    styled("cut off from below, by four lengths", "clip-path: inset(0 0 100% 0)"),
    styled("a polygon of a line", "clip-path: polygon(0 0, 100% 0, 0 0)"),
    styled("scaled in three dimensions", "transform: scale3d(0, 0, 0)"),
    styled("scaled to nothing after it was moved", "transform: translate(0, 0) scale(0)"),
    styled("turned on its edge, by its own property", "rotate: x 90deg"),
    styled("scaled by a percentage", "scale: 0%"),
    styled("moved by its own width and more", "transform: translate3d(-10000px, 0, 0)"),
    styled("white by light", "color: lab(100 0 0)"),
    styled("white by a function", "color: color(srgb 1 1 1)"),
    styled("white by hue and whiteness", "color: hwb(0 100% 0%)"),
    styled("for a light scheme", "color: light-dark(white, black)"),
    styled("relative to white", "color: rgb(from white r g b)"),
    styled("nothing high, by logical size", "block-size: 0; overflow: hidden"),
    styled("nothing wide, by its greatest width", "max-width:0; overflow:hidden; white-space:nowrap"),
    styled("without contrast", "filter: contrast(0) brightness(10)"),
    classed("visibility by a variable", ":root { --v: hidden } .q7 { visibility: var(--v) }"),
    classed("opacity by a variable in a sum", ":root { --o: 0 } .q7 { opacity: calc(var(--o) * 1) }"),
    classed("hidden where something is within", "article:has(h1) .q7 { display: none }"),
    classed("hidden by where", ":where(.q7) { display: none }"),
    classed(
      "hidden by an import of a layer",
      "@layer base, late; @layer late { .q7 { visibility: hidden } }",
    ),
    classed("where it is not narrow", "@media not all and (max-width: 10px) { .q7 { display: none } }"),
    {
      name: "a drawn text in white",
      body: `<svg width="900" height="30"><text y="20" fill="#fff">TEXT</text></svg>`,
    },
    {
      name: "a drawn text beside its drawing",
      body: `<svg width="9" height="9"><text x="-9000" y="5">TEXT</text></svg>`,
    },
    {
      name: "the title of a drawing",
      body: `<svg width="9" height="9"><title>TEXT</title><path d="M0 0"/></svg>`,
    },
    {
      name: "a label of an element",
      body: `<button aria-label="TEXT">Go</button><p aria-description="TEXT">A hose.</p>`,
    },
    {
      name: "the summary of a table",
      body: `<table summary="TEXT"><tr><th abbr="TEXT">Part</th></tr><tr><td>Hose</td></tr></table>`,
    },
    { name: "the title of a link", body: `<p><a href="/x" title="TEXT">Hoses</a> are long.</p>` },
    {
      name: "what an object shows instead",
      body: `<object data="/x.svg" type="image/svg+xml"><p>TEXT</p></object>`,
    },
    {
      name: "the label of a group of choices",
      body: `<select><optgroup label="TEXT"><option>Hose</option></optgroup></select>`,
    },
  ],
}

/** Ways that look so and do not hide. */
export const LATER_SHOWN: Readonly<Record<"tuning" | "kept", readonly HtmlCase[]>> = {
  tuning: [
    styled("cut a little from the right", "clip-path: inset(0 10% 0 0)"),
    styled("a circle of half", "clip-path: circle(50%)"),
    styled("turned round", "transform: rotate(180deg)"),
    styled("mirrored", "transform: scaleX(-1)"),
    styled("zoomed to the half", "zoom: 0.5"),
    styled("a mix of black", "color: color-mix(in srgb, black 80%, white)"),
    styled(
      "letters of a course of colours",
      "background: linear-gradient(#123, #345); -webkit-background-clip: text; color: transparent",
    ),
    styled("white on a course of white and black", "background: linear-gradient(white, #000); color: white"),
    classed("display by a variable", ":root { --show: block } .q7 { display: var(--show) }"),
    {
      name: "a word with ruby",
      body: `<p>TEXT <ruby>hose<rp>(</rp><rt>h</rt><rp>)</rp></ruby> is long.</p>`,
    },
  ],
  kept: [
    styled("cut a little, by a path", "clip-path: polygon(0 0, 100% 0, 100% 100%, 0 80%)"),
    styled("scaled to nine tenths", "transform: scale(.9)"),
    styled("turned a little", "transform: rotateX(10deg)"),
    styled("moved by half its width", "transform: translate3d(-50%, 0, 0)"),
    styled("dark in a light scheme", "color: light-dark(black, white)"),
    styled("dark by its lightness", "color: oklch(30% 0.1 200)"),
    styled("a shadow on letters", "text-shadow: 0 0 2px white; color: #333"),
    styled("a little blurred", "filter: blur(0.2px)"),
    classed("visible by a variable", ":root { --v: visible } .q7 { visibility: var(--v) }"),
    classed("where nothing is within", "article:has(video) .q7 { display: none }"),
  ],
}
