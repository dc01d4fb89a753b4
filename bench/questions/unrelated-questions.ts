/** What nobody would ask a collection of documentation. */
export const UNRELATED: readonly string[] = [
  "best pizza in Naples",
  "how to knit a scarf",
  "Champions League final 1999 goals",
  "flights from Paris to Tokyo in May",
  "banana bread recipe without eggs",
  "who painted the Mona Lisa",
  "cheap hotels near Lake Garda",
  "how deep is the Mariana Trench",
  "used car prices Toyota Corolla 2015",
  "tango lessons for beginners",
  "how to remove red wine stains",
  "guitar chords for Wonderwall",
  "garden soil for tomatoes",
  "why do cats purr",
]
