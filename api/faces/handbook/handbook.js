// Pages work without this script. It adds a copy button to each code block, and highlights the section that the reader is in.

for (const block of document.querySelectorAll("article pre")) {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "copy"
  button.textContent = "Copy"
  const say = (text) => {
    button.textContent = text
    setTimeout(() => (button.textContent = "Copy"), 2000)
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(block.textContent.trimEnd())
      say("Copied")
    } catch {
      // Browsers deny the clipboard to pages without HTTPS, except on localhost.
      getSelection().selectAllChildren(block)
      say("Press Ctrl+C")
    }
  }
  button.addEventListener("click", () => void copy())
  const box = document.createElement("div")
  box.className = "code"
  block.replaceWith(box)
  box.append(block, button)
}

const links = new Map(
  [...document.querySelectorAll(".on-page a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
)
const headings = [...links.keys()].map((id) => document.getElementById(id)).filter((heading) => heading)

function markSection() {
  const above = headings.filter((heading) => heading.getBoundingClientRect().top < 120)
  const current = links.get(above.at(-1)?.id)
  for (const link of links.values()) {
    if (link === current) link.setAttribute("aria-current", "true")
    else link.removeAttribute("aria-current")
  }
}

let waiting = false
addEventListener(
  "scroll",
  () => {
    if (waiting) return
    waiting = true
    requestAnimationFrame(() => {
      waiting = false
      markSection()
    })
  },
  { passive: true },
)
markSection()

// The table of contents scrolls in its own column, which starts at the top on each page.
const open = document.querySelector(".contents [aria-current]")
const column = open?.closest("details")
if (column) column.scrollTop = open.offsetTop - column.clientHeight / 2
