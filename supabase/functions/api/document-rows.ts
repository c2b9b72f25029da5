import { z } from 'zod'
import { Document } from '../_shared/api/objects.ts'
import type { Sql } from './database.ts'
import { found } from './operation.ts'

export const documentJson = (sql: Sql) => sql`
  jsonb_build_object(
    'id', d.id, 'kind', d.kind, 'title', d.title, 'summary', d.summary, 'url', d.url, 'collection_id', d.collection_id,
    'file_name', (select v.file_name from public.versions v where v.id = d.current_version_id),
    'media_type', d.mime_type, 'size_bytes', d.size_bytes, 'page_count', d.page_count, 'state', d.state, 'author', d.author,
    'dated', d.dated, 'reference', d.reference, 'excerpt', d.excerpt, 'created_by', d.created_by, 'created_at', d.created_at,
    'updated_at', d.updated_at, 'deleted_at', d.deleted_at,
    'tags', (
      select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'color', t.color) order by lower(t.name)), '[]')
      from public.document_tags dt join public.tags t on t.id = dt.tag_id where dt.document_id = d.id),
    'fields', (
      select coalesce(jsonb_agg(jsonb_build_object('field_id', f.id, 'name', f.name, 'kind', f.kind, 'values', f.values)
        order by f.position, f.id), '[]')
      from (
        select f.id, f.name, f.kind, f.position, jsonb_agg(coalesce(to_jsonb(v.text_value), to_jsonb(v.number_value),
          to_jsonb(v.date_value), to_jsonb(v.person_id), to_jsonb(v.option_id)) order by v.id) as values
        from public.field_values v join public.collection_fields f on f.id = v.field_id
        where v.document_id = d.id and f.collection_id in (select private.collections_around(d.collection_id))
        group by f.id
      ) f)
  )`

/** @throws {Problem} if the key can't see it. */
export async function documentOf(sql: Sql, id: string): Promise<Document> {
  const [row] = await sql`select ${documentJson(sql)} as document from public.documents d where d.id = ${id}`
  return Document.parse(found(row, 'document').document)
}

const Rows = z.array(z.object({ document: Document }).loose())

/** Validates each row's `document` against its schema. */
export const documentsOf = <Row extends { document: unknown }>(
  rows: readonly Row[],
): (Row & { document: Document })[] => Rows.parse(rows) as (Row & { document: Document })[]
