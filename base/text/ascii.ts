const NOT_ASCII = /[^\0-\x7f]/

/** Whether a text is ASCII, and so needs no rules of Unicode. */
export const isAscii = (text: string): boolean => !NOT_ASCII.test(text)
