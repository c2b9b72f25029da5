import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Upload } from '@tus/server'
import { z } from 'zod'

const Record = z.object({
  upload: z.object({
    id: z.string(),
    size: z.number().optional(),
    offset: z.number(),
    metadata: z.record(z.string(), z.string().nullable()).optional(),
    creation_date: z.string(),
  }),
  /** Who began it, for an upload that has to be finished without its client. */
  owner: z.string().nullable(),
  upsert: z.boolean(),
  /** Whether the object's row is there; the partial file is gone then. */
  committed: z.boolean(),
})
export type UploadRecord = z.infer<typeof Record>

/** The records of resumable uploads, one small file each, so that they survive the process. */
export class UploadRecords {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async find(id: string): Promise<UploadRecord | undefined> {
    try {
      return Record.parse(JSON.parse(await readFile(this.#path(id), 'utf8')))
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
      throw error
    }
  }

  async save(record: UploadRecord): Promise<void> {
    const path = this.#path(record.upload.id)
    // Written to another file and renamed: a kill in between leaves the record unchanged.
    const file = await open(`${path}.new`, 'w')
    try {
      await file.writeFile(JSON.stringify(record))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${path}.new`, path)
  }

  async delete(id: string): Promise<void> {
    await rm(this.#path(id), { force: true })
  }

  async ids(): Promise<string[]> {
    const names = await readdir(this.#folder)
    return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length))
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`)
  }
}

export const newRecord = (
  upload: Upload,
  { owner, upsert }: { readonly owner: string | null; readonly upsert: boolean },
): UploadRecord => ({
  upload: {
    id: upload.id,
    ...(upload.size !== undefined && { size: upload.size }),
    offset: 0,
    ...(upload.metadata && { metadata: upload.metadata }),
    creation_date: upload.creation_date ?? new Date().toISOString(),
  },
  owner,
  upsert,
  committed: false,
})
