import { useEffect, useState } from "preact/hooks"

import { Button } from "./button.tsx"

const KEY = "theme"

const systemIsDark = (): boolean => matchMedia("(prefers-color-scheme: dark)").matches

/** The choice is kept only in this browser; a browser without storage follows the system. */
function keptTheme(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

/** Switches between light and dark, overriding the system's setting until it is pressed again. */
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
      // Without storage, the choice lasts until the user leaves the page.
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
