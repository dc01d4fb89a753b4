import { Icon } from "../design/icons.tsx"

/** The widget's own button, in a corner of the page, used if the page has no button for it. */
export function OpenButton({ label, onOpen }: { readonly label: string; readonly onOpen: () => void }) {
  const keys = /mac|iphone|ipad/i.test(navigator.userAgent) ? ["⌘", "K"] : ["Ctrl", "K"]
  return (
    <button
      type="button"
      class="opener"
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={onOpen}
    >
      <Icon name="search" />
      <span class="label">{label}</span>
      <span class="keys" aria-hidden="true">
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </span>
    </button>
  )
}
