type Name = { family?: string; given?: string; literal?: string }

/** Bibliographic data: a CSL-JSON item without the title, which the document has. */
export type Reference = {
  type?: string
  author?: Name[]
  issued?: { 'date-parts': number[][] }
  'container-title'?: string
  publisher?: string
  volume?: string
  issue?: string
  page?: string
  DOI?: string
  ISBN?: string
  ISSN?: string
}

const DOI = /\b10\.\d{4,9}\/[^\s"<>]+/g

/** Returns the distinct DOIs in a text, without trailing punctuation. */
export const doisIn = (text: string): string[] => [
  ...new Map(
    (text.match(DOI) ?? []).map((found) => {
      const doi = withoutEnd(found)
      return [doi.toLowerCase(), doi]
    }),
  ).values(),
]

/** A closing bracket belongs to the DOI if it was opened within it. */
function withoutEnd(doi: string): string {
  const end = doi.at(-1) ?? ''
  const opened = { ')': '(', ']': '[', '}': '{' }[end]
  const isOpened = opened !== undefined && doi.split(opened).length >= doi.split(end).length
  return /[.,;:'’”)\]}]/.test(end) && !isOpened ? withoutEnd(doi.slice(0, -1)) : doi
}

/** Parses “Fresnel, Augustin” or “Augustin Fresnel”; a single word is the whole name. */
export function nameOf(text: string): Name {
  const [family = '', ...given] = text.split(',').map((part) => part.trim())
  if (given.length > 0) return { family, given: given.join(', ') }
  const words = family.split(/\s+/)
  return words.length > 1 ? { family: words.at(-1) ?? '', given: words.slice(0, -1).join(' ') } : { literal: family }
}
