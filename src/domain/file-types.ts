/** Also the bucket's own limit, and that of the table of versions. */
export const LARGEST_FILE = 52_428_800

/** By the end of the name, because browsers know no type for several of these. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['md', 'text/markdown'],
  ['markdown', 'text/markdown'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['txt', 'text/plain'],
  ['text', 'text/plain'],
  ['csv', 'text/csv'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['rtf', 'application/rtf'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['epub', 'application/epub+zip'],
  ['eml', 'message/rfc822'],
  ['mht', 'multipart/related'],
  ['mhtml', 'multipart/related'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['avif', 'image/avif'],
])

/** For a file picker's `accept`. */
export const ACCEPTED = [...TYPES.keys()].map((ending) => `.${ending}`).join(',')

export const endingOf = (name: string) => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

/** The media type that a file's name promises, or undefined for what a library does not take. */
export const typeOf = (name: string): string | undefined => TYPES.get(endingOf(name))
