import type { QueryClient } from '@tanstack/react-query'
import { kindOfName } from '../../domain/file-kinds.ts'
import { recognitionLanguages } from '../../domain/recognition.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { recognition } from '../../features/recognition/recognition.ts'
import { titleOf } from '../../features/uploads/limits.ts'
import type { Upload } from '../../features/uploads/upload-queue.ts'
import { uploads } from '../../features/uploads/uploads.ts'

/** Has the text of uploaded scans and images recognized, in libraries that have turned it on.
 *  @returns a function that stops it. */
export function recognizeUploads(queryClient: QueryClient): () => void {
  const seen = new Set<string>()
  return uploads.subscribe(() => {
    for (const upload of uploads.get()) {
      if (upload.state.step !== 'done' || seen.has(upload.id)) continue
      seen.add(upload.id)
      // Without an answer nothing is recognized now; the document itself offers it.
      void recognizeUpload(upload, upload.state.document, queryClient).catch(() => {})
    }
  })
}

async function recognizeUpload({ library, file }: Upload, document: string, queryClient: QueryClient): Promise<void> {
  const shown = kindOfName(file.name).show
  if (shown !== 'pages' && shown !== 'picture') return
  const { recognition_languages } = await queryClient.query(libraryQuery(library))
  if (recognitionLanguages(recognition_languages).length === 0) return
  recognition.add({ library, document, title: titleOf(file.name) })
}
