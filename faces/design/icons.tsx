/** Icons drawn on a 24 × 24 grid, with lines 2 units wide and round ends. */
const PATHS = {
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM20 20l-4-4",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  check: "M5 13l4 4L19 7",
  alert: "M12 4 2.8 20h18.4L12 4ZM12 10v4M12 17.2v.1",
  info: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 11v5M12 7.8v.1",
  filter: "M4 6h16M7 12h10M10 18h4",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  down: "M5 9l7 7 7-7",
  up: "M5 15l7-7 7 7",
  page: "M6 3h8l4 4v14H6V3ZM14 3v5h4M9 13h6M9 17h4",
  sheet: "M5 4h14v16H5V4ZM5 9.5h14M5 15h14M11 4v16",
  slides: "M4 5h16v11H4V5ZM12 16v4M8 20h8",
  book: "M5 5a2 2 0 0 1 2-2h12v18H7a2 2 0 0 1-2-2V5ZM5 18.5A2 2 0 0 1 7 17h12",
  copy: "M9 9h11v11H9V9ZM5 15H4V4h11v1",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17",
  image: "M4 5h16v14H4V5ZM4 16l5-5 4 4 3-3 4 4M9 9.5v.1",
  why: "M5 20V10M12 20V4M19 20v-7",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 7v5l3.5 2",
  like: "M7 11v9H4v-9h3ZM7 11l4-8a2 2 0 0 1 2.5 2.4L12.7 9H19a2 2 0 0 1 2 2.4l-1.3 7A2 2 0 0 1 17.7 20H7",
  dislike: "M17 13V4h3v9h-3ZM17 13l-4 8a2 2 0 0 1-2.5-2.4l.8-3.6H5a2 2 0 0 1-2-2.4l1.3-7A2 2 0 0 1 6.3 4H17",
  key: "M15 4a5 5 0 1 0 0 10 5 5 0 0 0 0-10ZM11.3 12.7 4 20M7 17l2.5 2.5",
  exit: "M14 4h5v16h-5M4 12h11M11 8l4 4-4 4",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
  play: "M7 5v14l12-7L7 5Z",
  pause: "M8 5v14M16 5v14",
  stop: "M6 6h12v12H6V6Z",
  skip: "M6 5v14l10-7L6 5ZM19 5v14",
  inbox: "M4 13 7 5h10l3 8v6H4v-6ZM4 13h5a3 3 0 0 0 6 0h5",
  restore: "M4 9h10a5.5 5.5 0 0 1 0 11H9M8 5 4 9l4 4",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18",
  edit: "M4 20h4L19.5 8.5l-4-4L4 16v4ZM13 7l4 4",
  people:
    "M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM3 20a6 6 0 0 1 12 0M16 5.5a3.5 3.5 0 0 1 0 6.5M18 14.5a6 6 0 0 1 3 5.5",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z",
  vectors:
    "M6 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4ZM18 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4ZM9 16a2 2 0 1 0 0 4 2 2 0 0 0 0-4ZM8 6.5l8 1M7 8l1.5 8M16.7 9.6 10.4 16.5",
  tools:
    "M14.5 6.5a4 4 0 0 1 5-3l-2.5 2.7 1 1.8 2.2.6a4 4 0 0 1-5.4 3.6L8 20a2 2 0 0 1-3-3l7.3-6.6a4 4 0 0 1 2.2-3.9Z",
  code: "M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14",
  open: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
} as const

export type IconName = keyof typeof PATHS

/** An icon that repeats the text beside it, so it isn't read out. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
