import {
  book,
  type DocumentCase,
  drawn,
  fonts,
  formatted,
  FONT_1,
  odp,
  ods,
  box,
  cell,
  AT,
  paper,
  row,
  run,
  said,
  SAID,
  LAST,
  shape,
  sheet,
  show,
  SHEET,
  slide,
  style,
  swap,
  TEXT,
  word,
  wordStyles,
} from "./hidden-documents.ts"
import type { HtmlCase } from "./hidden-html.ts"

const styled = (name: string, style: string): HtmlCase => ({ name, body: `<p style="${style}">TEXT</p>` })
const classed = (name: string, css: string, body = `<div class="q7"><p>TEXT</p></div>`): HtmlCase => ({
  name,
  body,
  css,
})

interface HiddenWays {
  readonly html: readonly HtmlCase[]
  readonly documents: readonly DocumentCase[]
}

const vml = (css: string) =>
  `<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" style="${css}"><v:textbox><w:txbxContent><w:p>${run("")}</w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`
const drawing = (properties: string) =>
  `<w:p><w:r><w:drawing><wp:anchor xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wp:extent cx="3000000" cy="500000"/><wp:docPr id="5" name="x" ${properties}/><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:spPr/><wps:txbx><w:txbxContent><w:p>${run("")}</w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>`
const tall = (attributes: string) => ({ [SHEET]: swap(`<row r="2">`, `<row r="2" ${attributes}>`) })
const FRAME = "q 0 0 0 rg 40 400 540 200 re f Q"

/**
 * A third set of ways to hide a text, halved when it was written, before its author read the code that finds them: `tuning` mended it,
 * `kept` was asked once when that was done, and has mended nothing since.
 */
export const THIRD_HIDDEN: Readonly<Record<"tuning" | "kept", HiddenWays>> = {
  tuning: {
    html: [
      styled("white by lightness and no chroma", "color: lch(100% 0 0)"),
      styled("the colour of its ground in other words", "background: hwb(210 20% 40%); color: #336699"),
      {
        name: "hardly any opacity by three boxes",
        body: `<div style="opacity:.2"><div style="opacity:.2"><p style="opacity:.2">TEXT</p></div></div>`,
      },
      {
        name: "white on a ground that is seen through a little, on black",
        body: `<div style="background:#000"><p style="background:rgba(255,255,255,.99);color:#fcfcfc">TEXT</p></div>`,
      },
      styled("a mask without size", "mask: linear-gradient(#000, #000) no-repeat 0 0 / 0 0"),
      styled(
        "its back turned, which is not shown",
        "transform: rotateY(180deg); backface-visibility: hidden",
      ),
      styled("beside the window by a logical side", "position: absolute; inset-inline-start: -9999px"),
      styled("no height, by the least of several", "height: min(0px, 1em); overflow: hidden"),
      {
        name: "below a box that cuts off",
        body: `<div style="position:relative;height:20px;overflow:hidden"><p style="position:absolute;top:40px">TEXT</p></div>`,
      },
      {
        name: "below a box that is laid over it",
        body: `<div style="position:relative"><p>TEXT</p><div style="position:absolute;inset:0;background:#fff"></div></div>`,
      },
      classed("where it is wide, as a range", "@media (400px <= width <= 4000px) { .q7 { display: none } }"),
      { name: "what a bar of progress shows instead", body: `<progress value="1" max="2">TEXT</progress>` },
    ],
    documents: [
      word(
        "white by the name of a theme",
        `<w:p>${run(`<w:color w:val="auto" w:themeColor="light1"/>`)}</w:p>`,
      ),
      word("a text box that is not visible", vml("width:300pt;height:40pt;visibility:hidden")),
      show(
        "the colour of a window",
        shape(said(`<a:solidFill><a:sysClr val="window" lastClr="FFFFFF"/></a:solidFill>`)),
      ),
      book("black that is tinted to white", formatted(FONT_1, fonts(`<color theme="1" tint="1"/>`))),
      ods(
        "a column without width",
        sheet(
          `<table:table-column/><table:table-column table:style-name="co2"/>` + row(cell(SAID) + cell(TEXT)),
        ),
        style("co2", "table-column", `<style:table-column-properties style:column-width="0cm"/>`),
      ),
      odp(
        "a box that is moved off the slide",
        slide(
          box(SAID, AT) +
            box(TEXT, `svg:width="20cm" svg:height="3cm" draw:transform="translate (-60cm 2cm)"`),
        ),
      ),
      paper("letters made small by their own matrix", `BT /F1 11 Tf .001 0 0 .001 72 500 Tm (${TEXT}) Tj ET`),
      paper(
        "white in a white box on a dark one",
        `${FRAME} q 1 1 1 rg 60 480 500 60 re f Q ${drawn("1 1 1 rg")}`,
      ),
    ],
  },
  kept: {
    html: [
      styled("white in a wide space of colours", "color: color(display-p3 1 1 1)"),
      styled("a mix of mixes", "color: color-mix(in srgb, color-mix(in srgb, white, white), #fefefe 50%)"),
      styled("ink that is hardly there", "color: rgb(0 0 0 / .02)"),
      {
        name: "the colour that its ground is mixed to",
        body: `<div style="background:rgba(0,0,0,.5)"><p style="color:#7f7f7f">TEXT</p></div>`,
      },
      styled("a mask of a transparent circle", "mask-image: radial-gradient(transparent, transparent)"),
      styled(
        "its back turned by its own property, which is not shown",
        "rotate: y 180deg; backface-visibility: hidden",
      ),
      styled("above the window, from below", "position: fixed; inset: auto auto 300vh auto"),
      styled("no height, by bounds", "height: clamp(0px, 0px, 2em); overflow: hidden"),
      {
        name: "right of a box that cuts off",
        body: `<div style="width:300px;overflow:hidden"><p style="margin-left:400px;width:300px">TEXT</p></div>`,
      },
      {
        name: "below the ground of its box",
        body: `<div style="background:#fff"><p style="position:relative;z-index:-1">TEXT</p></div>`,
      },
      classed(
        "important in an earlier layer",
        "@layer a, b; @layer a { .q7 { display: none !important } } @layer b { .q7 { display: block !important } }",
      ),
      { name: "what a gauge shows instead", body: `<meter value="1" max="2">TEXT</meter>` },
    ],
    documents: [
      word(
        "letters of a style that comes of a white one",
        `<w:p>${run(`<w:rStyle w:val="D"/>`)}</w:p>`,
        wordStyles(
          `<w:style w:type="character" w:styleId="C"><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style><w:style w:type="character" w:styleId="D"><w:basedOn w:val="C"/></w:style>`,
        ),
      ),
      word("a drawing that is hidden", drawing(`hidden="1"`)),
      show(
        "black that is lightened to white",
        shape(
          said(
            `<a:solidFill><a:schemeClr val="tx1"><a:lumMod val="0"/><a:lumOff val="100000"/></a:schemeClr></a:solidFill>`,
          ),
        ),
      ),
      book("a row of half a point", tall(`ht="0.5" customHeight="1"`), { A: [[SAID], [TEXT], [LAST]] }),
      ods(
        "a row without height",
        sheet(row(cell(SAID)) + row(cell(TEXT), `table:style-name="ro2"`)),
        style(
          "ro2",
          "table-row",
          `<style:table-row-properties style:row-height="0cm" style:use-optimal-row-height="false"/>`,
        ),
      ),
      show(
        "letters of a colour by its name",
        shape(said(`<a:solidFill><a:prstClr val="white"/></a:solidFill>`)),
      ),
      paper("outside what of the page is shown", drawn(""), {
        resources: ">> /CropBox [0 600 612 792] /Group <<",
      }),
      paper("behind a box of lines", `${drawn("")} q 1 1 1 rg 60 480 m 560 480 l 560 540 l 60 540 l h f Q`),
    ],
  },
}

/** Ways that look so and do not hide. */
export const THIRD_SHOWN: Readonly<Record<"tuning" | "kept", HiddenWays>> = {
  tuning: {
    html: [
      { name: "hidden from a screen reader alone", body: `<p aria-hidden="true">TEXT</p>` },
      { name: "inert", body: `<div inert><p>TEXT</p></div>` },
      {
        name: "light on dark by lightness",
        body: `<div style="background:lab(15 0 0)"><p style="color:lab(98 0 0)">TEXT</p></div>`,
      },
      classed("display that goes back", ".q7 { display: none } .q7 { display: revert }"),
      {
        name: "before a box that is laid below it",
        body: `<div style="position:relative"><div style="position:absolute;inset:0;background:#fff"></div><p style="position:relative">TEXT</p></div>`,
      },
      classed("where it is narrow, as a range", "@media (width < 600px) { .q7 { display: none } }"),
    ],
    documents: [
      word("a text box that is visible", vml("width:300pt;height:40pt;visibility:visible")),
      show(
        "the colour of a window's text",
        shape(said(`<a:solidFill><a:sysClr val="windowText" lastClr="000000"/></a:solidFill>`)),
      ),
      book("black that is tinted a little", formatted(FONT_1, fonts(`<color theme="1" tint=".3"/>`))),
      odp(
        "a box that is moved on the slide",
        slide(
          box(SAID, AT) + box(TEXT, `svg:width="20cm" svg:height="3cm" draw:transform="translate (2cm 6cm)"`),
        ),
      ),
    ],
  },
  kept: {
    html: [
      {
        name: "a quotation that a screen reader leaves out",
        body: `<blockquote aria-hidden="true" role="presentation"><p>TEXT</p></blockquote>`,
      },
      {
        name: "light on dark in a wide space of colours",
        body: `<div style="background:color(display-p3 .1 .1 .2)"><p style="color:color(display-p3 1 1 1)">TEXT</p></div>`,
      },
      classed(
        "shown by a later layer",
        "@layer a, b; @layer a { .q7 { display: none } } @layer b { .q7 { display: block } }",
      ),
      styled("ink of three fifths", "color: rgb(0 0 0 / .6)"),
      {
        name: "below a box that one sees through",
        body: `<div style="position:relative"><p>TEXT</p><div style="position:absolute;inset:0;background:rgb(255 255 255 / .1)"></div></div>`,
      },
      styled("turned round to where it was", "rotate: y 360deg; backface-visibility: hidden"),
    ],
    documents: [
      show(
        "black that is lightened to grey",
        shape(
          said(
            `<a:solidFill><a:schemeClr val="tx1"><a:lumMod val="65000"/><a:lumOff val="35000"/></a:schemeClr></a:solidFill>`,
          ),
        ),
      ),
      word("a drawing that is not hidden", drawing(`hidden="0"`)),
      ods(
        "a row with a height",
        sheet(row(cell(SAID)) + row(cell(TEXT), `table:style-name="ro2"`)),
        style("ro2", "table-row", `<style:table-row-properties style:row-height="0.5cm"/>`),
      ),
      paper("within what of the page is shown", drawn(""), {
        resources: ">> /CropBox [0 400 612 792] /Group <<",
      }),
    ],
  },
}
