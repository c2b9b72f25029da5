import { MENTION } from '../../supabase/functions/_shared/facts.ts'

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const DOCUMENT = new RegExp(`^/l/(${ID})/d/(${ID})(?:\\?([^#]*))?$`)

/** A place in a document. The quote finds it if ids have changed. */
type PassageReference = { passage?: string; comment?: string; page?: number; quote?: string }

export type DocumentReference = PassageReference & { library: string; document: string }

/** Characters of a quote in a link: enough to find the place. */
const FINDING = 200

/** Returns a document's address for links in notes, without a host, so that libraries can move.
 *  @param place The place in the document. */
export function documentAddress(library: string, document: string, place: PassageReference = {}): string {
  const query = new URLSearchParams()
  if (place.passage) query.set('passage', place.passage)
  if (place.comment) query.set('comment', place.comment)
  if (place.page) query.set('page', String(place.page))
  // By code points, so as not to split a surrogate pair.
  if (place.quote) query.set('quote', Array.from(place.quote).slice(0, FINDING).join(''))
  // Parentheses would end the address in Markdown.
  const search = query.toString().replaceAll('(', '%28').replaceAll(')', '%29')
  return `/l/${library}/d/${document}${search ? `?${search}` : ''}`
}

/** Returns the document that an address refers to. @param address Relative, or with the app's origin. */
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

/** Replaces mentions by "@Ada", without the id. */
export const readableMentions = (text: string): string => text.replaceAll(MENTION, '@$1')

/** Strips characters that would end a mention in Markdown. */
export const mentionName = (name: string): string => name.replaceAll(/[\][]/g, '').slice(0, 80) || 'somebody'
