import { namesIn, type Reference, referenceOf } from '../../domain/reference.ts'
import type { CitedDocument } from './queries.ts'

const TYPES = { file: 'document', note: 'manuscript', link: 'webpage' } as const

/** Returns a document as CSL-JSON: its reference, or else its own metadata. */
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
    // Pages change, so the day it was added is the date of access.
    accessed: url && address === url ? datePart(created_at) : undefined,
  }
}

const datePart = (time: string | null) =>
  time ? { 'date-parts': [time.slice(0, 10).split('-').map(Number)] } : undefined
