const NOT_ASCII = /[^\0-\x7f]/

/** Whether text is ASCII, so that no Unicode rules are needed. */
export const isAscii = (text: string): boolean => !NOT_ASCII.test(text)
