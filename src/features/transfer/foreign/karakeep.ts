import * as z from 'zod/mini'
import { t } from '../../../lib/i18n/i18n.ts'
import type { ExportedDocument, Export as LibraryExport } from '../manifest.ts'
import { documentOf, manifestOf, remarkOf, versionAt } from './manifest-of.ts'

/** Karakeep's (formerly Hoarder's) JSON export; older ones have no lists. */
const Export = z.object({
  bookmarks: z.array(
    z.object({
      /** Unix time in seconds. */
      createdAt: z.number(),
      title: z.nullish(z.string()),
      tags: z.array(z.string()),
      lists: z.optional(z.array(z.string())),
      content: z.nullish(
        z.union([
          z.object({ type: z.literal('link'), url: z.string() }),
          z.object({ type: z.literal('text'), text: z.string() }),
        ]),
      ),
      note: z.nullish(z.string()),
    }),
  ),
  lists: z.optional(
    z.array(
      z.object({ id: z.string(), name: z.string(), type: z.optional(z.string()), parentId: z.nullish(z.string()) }),
    ),
  ),
})

/** Reads a Karakeep export: bookmarks become links and notes, lists collections, and remarks comments.
 *  @returns undefined for other text. */
export function fromKarakeep(text: string): LibraryExport | undefined {
  const read = Export.safeParse(parsed(text))
  if (!read.success) return undefined
  const { bookmarks, lists = [] } = read.data
  // Smart lists are searches without contents.
  const manual = lists.filter(({ type }) => type !== 'smart')
  const kept = new Set(manual.map(({ id }) => id))
  const files = new Map<string, Uint8Array>()
  const documents: ExportedDocument[] = []
  const problems: LibraryExport['problems'] = []
  for (const { createdAt, title, tags, lists: places = [], content, note } of bookmarks) {
    const at = new Date(createdAt * 1000).toISOString()
    // The export leaves out the ids.
    const id = `karakeep ${createdAt} ${content?.type === 'link' ? content.url : content?.text}`
    const shared = {
      id,
      tags,
      created_at: at,
      collection_id: places.find((id) => kept.has(id)) ?? null,
      comments: note?.trim() ? [remarkOf('note', note, { by: 'Karakeep', at })] : [],
    }
    if (content?.type === 'link') {
      documents.push(documentOf({ ...shared, kind: 'link', title: title || content.url, url: content.url }))
    } else if (content) {
      files.set(id, new TextEncoder().encode(content.text))
      const named = title || firstLine(content.text) || t('Note')
      documents.push(documentOf({ ...shared, kind: 'note', title: named, versions: [versionAt(id)] }))
    } else
      problems.push({
        title: title || at.slice(0, 10),
        reason: t('Karakeep leaves pictures and PDFs out of its export.'),
      })
  }
  const collections = manual.map(({ id, name, parentId }) => ({
    id,
    name,
    parent_id: parentId && kept.has(parentId) ? parentId : null,
  }))
  return { manifest: manifestOf({ collections, tags: [], documents }), files, problems }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const firstLine = (text: string): string => text.trim().split('\n')[0]?.slice(0, 80) ?? ''
