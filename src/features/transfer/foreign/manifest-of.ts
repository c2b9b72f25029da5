import type { ExportedDocument, Manifest } from '../manifest.ts'

/** What another program's export contains, in the form of our own exports, so that one importer serves all.
 *  @property problems What is in the export and cannot be imported, each with its reason. */
export type ForeignExport = {
  manifest: Manifest
  files: Map<string, Uint8Array>
  problems: { title: string; reason: string }[]
}

type Contents = Pick<Manifest, 'collections' | 'tags' | 'documents' | 'fields'>

export const manifestOf = (contents: Contents): Manifest => ({
  format: 'carrel-library',
  version: 1,
  exported_at: new Date().toISOString(),
  library: { name: '', description: '' },
  members: [],
  ...contents,
})

type Essential = Pick<ExportedDocument, 'id' | 'kind' | 'title'>

/** A document with what every document has; the rest is empty. */
export const documentOf = (document: Essential & Partial<ExportedDocument>): ExportedDocument => ({
  summary: '',
  url: null,
  collection_id: null,
  tags: [],
  created_at: '',
  created_by: null,
  versions: [],
  comments: [],
  ...document,
})

/** A version that is in the export at `path`. */
export const versionAt = (
  path: string,
  number = 1,
  fileName: string | null = null,
): ExportedDocument['versions'][number] => ({
  number,
  path,
  file_name: fileName,
  mime_type: '',
  created_at: '',
  created_by: null,
})

/** A remark that somebody has written about a whole document. */
export const remarkOf = (
  id: string,
  body: string,
  { by, at }: { by: string | null; at: string },
): ExportedDocument['comments'][number] => ({
  id,
  parent_id: null,
  body,
  quote: null,
  page: null,
  resolved_at: null,
  created_at: at,
  created_by: by,
})
