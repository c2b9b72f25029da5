import { namesIn, type Reference, referenceOf } from '../../domain/reference.ts'
import type { CitedDocument } from './queries.ts'

const TYPES = { file: 'document', note: 'manuscript', link: 'webpage' } as const

/** A document as an item of CSL-JSON: what its reference says, or else what it says itself. */
export function citedItem({ id, kind, title, url, created_at, ...document }: CitedDocument) {
  const reference: Reference = referenceOf(document.reference) ?? {}
  const address = reference.URL ?? url ?? undefined
  return {
    ...reference,
    id,
    title,
    type: reference.type ?? TYPES[kind],
    author: reference.author ?? (document.author ? namesIn(document.author) : undefined),
    issued: reference.issued ?? datePart(document.dated),
    URL: address,
    // A page may be another one tomorrow: the day on which it was added is that on which it was seen.
    accessed: url && address === url ? datePart(created_at) : undefined,
  }
}

const datePart = (time: string | null) =>
  time ? { 'date-parts': [time.slice(0, 10).split('-').map(Number)] } : undefined
