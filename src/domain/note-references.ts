const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const DOCUMENT = new RegExp(`^/l/(${ID})/d/(${ID})(?:\\?([^#]*))?$`)

/** The place that a link of a note leads to. */
export type DocumentReference = { library: string; document: string; passage?: string; quote?: string }

/** The address of a document, as links in notes have it: without a host, so that a library may move. */
export const documentAddress = (library: string, document: string): string => `/l/${library}/d/${document}`

/** The document that an address leads to. @param address As in a note, or with the app's own origin. */
export function referenceIn(address: string, origin = globalThis.location?.origin): DocumentReference | undefined {
  const path = origin && address.startsWith(`${origin}/`) ? address.slice(origin.length) : address
  const [, library, document, search] = DOCUMENT.exec(path) ?? []
  if (!library || !document) return undefined
  const parameters = new URLSearchParams(search)
  const [passage, quote] = [parameters.get('passage'), parameters.get('quote')]
  return { library, document, ...(passage ? { passage } : {}), ...(quote ? { quote } : {}) }
}

/** A text with mentions as readers see them: "@Ada", without the person's id. */
export const readableMentions = (text: string): string =>
  text.replaceAll(/@\[([^\][]{1,80})\]\([0-9a-f-]{36}\)/g, '@$1')

/** A name as mentions have it: without the signs that end it in Markdown. */
export const mentionName = (name: string): string => name.replaceAll(/[\][]/g, '').slice(0, 80) || 'somebody'
