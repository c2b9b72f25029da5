import * as z from 'zod/mini'

const Text = z.catch(z.optional(z.string()), undefined)
const Name = z.object({ family: Text, given: Text, 'non-dropping-particle': Text, suffix: Text, literal: Text })
const Names = z.catch(z.optional(z.array(Name)), undefined)
const Issued = z.object({ 'date-parts': z.array(z.array(z.number())) })

/** A CSL-JSON item (docs.citationstyles.org) without the title, which the document has. */
const Reference = z.object({
  type: Text,
  author: Names,
  editor: Names,
  issued: z.catch(z.optional(Issued), undefined),
  'container-title': Text,
  'collection-title': Text,
  'event-title': Text,
  publisher: Text,
  'publisher-place': Text,
  edition: Text,
  genre: Text,
  number: Text,
  volume: Text,
  issue: Text,
  page: Text,
  DOI: Text,
  ISBN: Text,
  ISSN: Text,
  URL: Text,
  language: Text,
  'citation-key': Text,
})
export type Reference = z.infer<typeof Reference>
export type CitedName = z.infer<typeof Name>

/** Parses a reference from the database or another program; null if there is none. */
export const referenceOf = (json: unknown): Reference | null => Reference.safeParse(json).data ?? null

/** Bytes of JSON below the database's limit, which counts added spaces. */
const MAX_BYTES = 6000
const MAX_NAMES = 40

/** Shortens a reference that is too long to store. */
export function storable(reference: Reference): Reference {
  const { type, author, editor, issued, DOI } = reference
  const fits = (one: Reference) => new TextEncoder().encode(JSON.stringify(one)).length <= MAX_BYTES
  const withFewer = { ...reference, author: author?.slice(0, MAX_NAMES), editor: editor?.slice(0, MAX_NAMES) }
  return [reference, withFewer].find(fits) ?? { type, issued, DOI: DOI?.slice(0, 300) }
}

/** Returns a bare DOI, without URL or prefix; undefined if there is none. */
export const doiIn = (text: string): string | undefined =>
  /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)?(10\.\d{4,9}\/\S+)$/i.exec(text.trim())?.[1]

/** Returns a DOI's URL, escaped because DOIs may contain any character. */
export const doiAddress = (doi: string): string => `https://doi.org/${doi.split('/').map(encodeURIComponent).join('/')}`

/** Parses “Family, Given”; a name without a comma is an institution or a single name. */
export function nameFrom(text: string): CitedName {
  const [family = '', ...given] = text.split(',').map((part) => part.trim())
  return given.length > 0 ? { family, given: given.join(', ') } : { literal: family }
}

export const nameText = ({ literal, family, given, ...name }: CitedName): string =>
  literal ?? [[name['non-dropping-particle'], family].filter(Boolean).join(' '), given].filter(Boolean).join(', ')

/** Parses a document's author text: “Ada Keeper, Ben Light”. */
export function namesIn(author: string): CitedName[] {
  const parts = author.split(/\s*;\s*|\s+(?:and|und|&)\s+/).filter(Boolean)
  const names = parts.length > 1 ? parts : author.split(/\s*,\s*/)
  if (names.some((name) => !name.includes(' '))) return parts.map(nameFrom)
  return names.map((name) => {
    const words = name.split(/\s+/)
    return name.includes(',') ? nameFrom(name) : { family: words.at(-1), given: words.slice(0, -1).join(' ') }
  })
}

export const yearOf = (reference: Reference | null): number | undefined => reference?.issued?.['date-parts'][0]?.[0]
