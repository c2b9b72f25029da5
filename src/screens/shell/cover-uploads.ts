import { kindOfName } from '../../domain/file-kinds.ts'
import { covers } from '../../features/documents/covers/covers.ts'
import { isDrawable } from '../../features/documents/covers/drawable.ts'
import { uploads } from '../../features/uploads/uploads.ts'

const BUSY = new Set(['waiting', 'checking', 'sending', 'filing'])

/** Has covers of uploaded PDFs and images made, once no upload is under way.
 *  @returns a function that stops it. */
export function coverUploads(): () => void {
  const seen = new Set<string>()
  return uploads.subscribe(() => {
    const all = uploads.get()
    covers.setPaused(all.some(({ state }) => BUSY.has(state.step)))
    for (const { id, file, state } of all) {
      if (state.step !== 'done' || seen.has(id)) continue
      seen.add(id)
      if (isDrawable(kindOfName(file.name).mediaType)) covers.add({ document: state.document, file })
    }
  })
}
