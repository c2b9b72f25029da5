import type { ExportedDocument, Manifest } from '../manifest.ts'

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

/** Fills in a document's empty properties. */
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
