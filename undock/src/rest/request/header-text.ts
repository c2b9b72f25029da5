/** Decodes a header that Node read as one character for each byte: the bytes are UTF-8. */
export const headerText = (header: string): string =>
  isAscii(header) ? header : Buffer.from(header, 'latin1').toString('utf8')

/** Encodes text for a header, which takes no character beyond U+00FF: its UTF-8 bytes, one character each. */
export const asHeader = (text: string): string => (isAscii(text) ? text : Buffer.from(text).toString('latin1'))

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)
