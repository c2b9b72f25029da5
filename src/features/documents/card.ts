import type { supabase } from '../../lib/backend/supabase.ts'
import type { Cursor } from './shelf/shelf-search.ts'

/** Page sizes: the first, which people wait for, and those loaded by scrolling. */
export const FIRST = 100
export const PAGE = 500

export const CARD =
  'id, title, kind, url, summary, excerpt, mime_type, size_bytes, page_count, width, height, state, problem, progress, recognition, recognition_problem, collection_id, created_at, updated_at, verified_until, written_by:author, dated, author:profiles!documents_created_by_fkey(display_name), version:versions!documents_current_version_id_fkey(id, cover_path), tags:document_tags(tag:tags(id, name, color))'

/** Fields belong to collections, so only a collection's shelf shows values. */
export const WITH_VALUES =
  `${CARD}, values:field_values(field_id, text_value, number_value, date_value, person_id, option_id)` as const

export const cardsById = (client: typeof supabase, ids: string[]) =>
  client.from('documents').select(WITH_VALUES).in('id', ids)

export type Card = NonNullable<Awaited<ReturnType<typeof cardsById>>['data']>[number]
export type ShelfPage = { documents: Card[]; total: number | null; next: Cursor | undefined }
