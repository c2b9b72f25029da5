/** A header's characters are its bytes; they are meant as UTF-8. */
export const headerText = (header: string): string =>
  isAscii(header) ? header : Buffer.from(header, 'latin1').toString('utf8')

/** Text as a header takes it, whose characters stop at U+00FF: its UTF-8 bytes, one character each. */
export const asHeader = (text: string): string => (isAscii(text) ? text : Buffer.from(text).toString('latin1'))

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)
