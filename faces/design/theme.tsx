import { useEffect, useState } from "preact/hooks"

import { Button } from "./button.tsx"

const KEY = "theme"

const systemIsDark = (): boolean => matchMedia("(prefers-color-scheme: dark)").matches

/** Kept in this browser alone; a browser that keeps nothing follows the system. */
function keptTheme(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

/** Light or dark, against what the system says, until it is pressed again. */
export function ThemeButton() {
  const [theme, setTheme] = useState(keptTheme)
  useEffect(() => {
    const root = document.documentElement
    if (theme === null) delete root.dataset["theme"]
    else root.dataset["theme"] = theme
  }, [theme])
  const isDark = theme === null ? systemIsDark() : theme === "dark"
  const turn = () => {
    const next = isDark ? "light" : "dark"
    const kept = (next === "dark") === systemIsDark() ? null : next
    try {
      if (kept === null) localStorage.removeItem(KEY)
      else localStorage.setItem(KEY, kept)
    } catch {
      // It holds until the page is left.
    }
    setTheme(kept)
  }
  return (
    <Button
      look="quiet"
      icon={isDark ? "sun" : "moon"}
      label={isDark ? "Light colours" : "Dark colours"}
      onClick={turn}
    />
  )
}
