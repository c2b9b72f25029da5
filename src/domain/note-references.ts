const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const DOCUMENT = new RegExp(`^/l/(${ID})/d/(${ID})(?:\\?([^#]*))?$`)

/** A place within a document. The words find it where ids have changed. */
type PassageReference = { passage?: string; comment?: string; page?: number; quote?: string }

/** The place that a link of a note leads to. */
export type DocumentReference = PassageReference & { library: string; document: string }

/** Characters of a quote that a link carries: enough to find the place. */
const FINDING = 200

/** The address of a document, as links in notes have it: without a host, so that a library may move.
 *  @param place Where in the document. */
export function documentAddress(library: string, document: string, place: PassageReference = {}): string {
  const query = new URLSearchParams()
  if (place.passage) query.set('passage', place.passage)
  if (place.comment) query.set('comment', place.comment)
  if (place.page) query.set('page', String(place.page))
  // By code points: half of a pair is in no text.
  if (place.quote) query.set('quote', Array.from(place.quote).slice(0, FINDING).join(''))
  // Parentheses would end the address in Markdown.
  const search = query.toString().replaceAll('(', '%28').replaceAll(')', '%29')
  return `/l/${library}/d/${document}${search ? `?${search}` : ''}`
}

/** The document that an address leads to. @param address As in a note, or with the app's own origin. */
export function referenceIn(address: string, origin = globalThis.location?.origin): DocumentReference | undefined {
  const path = origin && address.startsWith(`${origin}/`) ? address.slice(origin.length) : address
  const [, library, document, search] = DOCUMENT.exec(path) ?? []
  if (!library || !document) return undefined
  const parameters = new URLSearchParams(search)
  const [passage, comment, quote] = [parameters.get('passage'), parameters.get('comment'), parameters.get('quote')]
  const page = Number(parameters.get('page'))
  return {
    library,
    document,
    ...(passage ? { passage } : {}),
    ...(comment ? { comment } : {}),
    ...(Number.isSafeInteger(page) && page > 0 ? { page } : {}),
    ...(quote ? { quote } : {}),
  }
}

/** A text with mentions as readers see them: "@Ada", without the person's id. */
export const readableMentions = (text: string): string =>
  text.replaceAll(/@\[([^\][]{1,80})\]\([0-9a-f-]{36}\)/g, '@$1')

/** A name as mentions have it: without the signs that end it in Markdown. */
export const mentionName = (name: string): string => name.replaceAll(/[\][]/g, '').slice(0, 80) || 'somebody'
