import { z } from 'zod'
import type { Client } from '../_shared/clients.ts'
import { Unreadable } from '../_shared/errors.ts'
import type { Cover } from '../_shared/extraction/cover.ts'
import type { Work } from './queue.ts'

const Recognized = z.array(
  z.object({
    page: z.number(),
    lines: z.array(z.object({ text: z.string(), size: z.number(), y: z.number() })),
  }),
)

const DAY = '86400'

type UploadOptions = { contentType: string; cacheControl?: string }

export type Versions = ReturnType<typeof openVersions>

/** Returns a new folder for a document's files, because stored files never change. */
export const newFolder = ({ library_id, document_id }: Pick<Work, 'library_id' | 'document_id'>): string =>
  `${library_id}/${document_id}/${crypto.randomUUID()}`

/** Files and data of versions, except their passages. */
export function openVersions(service: Client) {
  const files = service.storage.from('documents')
  const upload = async (path: string, content: Blob, options: UploadOptions) => {
    const { error } = await files.upload(path, content, options)
    if (error) throw new Error(`upload ${path}: ${error.message}`, { cause: error })
    return path
  }
  return {
    /** @throws {Unreadable} if the file is missing. */
    download: async (path: string): Promise<Uint8Array> => {
      const { data, error } = await files.download(path)
      if (error && 'status' in error && (error.status === 404 || error.status === 400)) {
        throw new Unreadable('stored_file_gone')
      }
      if (error) throw new Error(`download ${path}: ${error.message}`, { cause: error })
      return new Uint8Array(await data.arrayBuffer())
    },
    upload,
    /** Stores the readable copy. @returns its path. */
    storeRendition: (folder: string, html: string): Promise<string> =>
      upload(`${folder}/rendition.html`, new Blob([html], { type: 'text/html' }), { contentType: 'text/html' }),
    /** @returns the cover's path, or null if it couldn't be stored: the document is readable without one. */
    storeCover: async (folder: string, { bytes, mimeType, ending }: Cover): Promise<string | null> => {
      const path = `${folder}/cover.${ending}`
      const content = new Blob([new Uint8Array(bytes)], { type: mimeType })
      const { error } = await files.upload(path, content, { cacheControl: DAY })
      if (error) console.warn(`upload ${path}: ${error.message}`)
      return error ? null : path
    },
    /** Sets the cover of a version that has none. */
    keepCover: async (version: string, path: string): Promise<void> => {
      const { error } = await service
        .from('versions')
        .update({ cover_path: path })
        .eq('id', version)
        .is('cover_path', null)
      if (error) console.warn(`cover of the version ${version}: ${error.message}`)
    },
    keepPagesWithoutText: async (version: string, pages: number[]): Promise<void> => {
      await service.rpc('store_pages_without_text', { version, pages }).throwOnError()
    },
    recognizedPages: async (version: string) => {
      const { data } = await service
        .from('recognized_pages')
        .select('page, lines')
        .eq('version_id', version)
        .throwOnError()
      return Recognized.parse(data)
    },
  }
}
