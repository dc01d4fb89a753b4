/** Files that programs leave behind: hidden files, office lock files, thumbnails. */
export const LEFT_OUT = /^(?:\.|~\$)|^(?:thumbs\.db|desktop\.ini|lost\+found|__macosx)$/i

/** Whether a name was valid UTF-8 before decoding. */
export const isText = (name: string): boolean => name.isWellFormed() && !name.includes("\uFFFD")
