import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { showFailure } from '../../domain/failure-toast.ts'
import { addNote } from '../../features/documents/mutations.ts'
import { BLANK_TEXT } from '../../features/notes/blank-text.ts'
import { profileQuery } from '../../features/profile/queries.ts'
import { documentQuery, type OpenDocument } from '../../features/reader/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { untilPaused } from '../../lib/offline/outbox.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { awaitField } from '../../lib/ui/typed-ahead.ts'

type NewNote = { document: string; version: string; title: string; body: string }

/** Starts a note in a collection and opens it for writing, also offline.
 *  @returns a function to start one; without a text the note is blank, and deleted if left so. */
export function useNewNote(library: string, collection: string | undefined) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { data: profile } = useQuery(profileQuery(useSession().user.id))
  return async (text?: string, { replace = false } = {}) => {
    const stopWaiting = awaitField()
    const note = {
      document: crypto.randomUUID(),
      version: crypto.randomUUID(),
      // Defaults to the first line.
      title: text === undefined ? t('Untitled') : '',
      body: text ?? BLANK_TEXT,
    }
    // The note's text is sent after it: both have its scope.
    const mutation = queryClient
      .getMutationCache()
      .build(queryClient, { ...queryClient.defaultMutationOptions(addNote), scope: { id: note.document } })
    const adding = mutation.execute({ library, collection, ...note })
    try {
      // The browser may not have noticed being offline: then the note waits after the first tries.
      await Promise.race([adding, untilPaused(queryClient, mutation)])
      if (mutation.state.isPaused) {
        adding.catch(showFailure)
        queryClient.setQueryData(
          documentQuery(library, note.document).queryKey,
          waiting(note, profile?.display_name ?? ''),
        )
      }
      await navigate({
        to: '/l/$library/d/$document',
        params: { library, document: note.document },
        search: { edit: true },
        replace,
      })
    } catch (error) {
      stopWaiting()
      showFailure(error)
    }
  }
}

function waiting({ document, version, title, body }: NewNote, author: string): OpenDocument {
  const created_at = new Date().toISOString()
  return {
    id: document,
    title: title || t('Untitled'),
    kind: 'note',
    url: null,
    state: 'queued',
    problem: null,
    progress: 0,
    recognition: null,
    recognition_problem: null,
    page_count: null,
    size_bytes: body.length,
    created_at,
    deleted_at: null,
    dated: null,
    written_by: null,
    reference: null,
    verified_until: null,
    verified_at: null,
    verifier: null,
    author: { display_name: author },
    width: null,
    height: null,
    collection: null,
    tags: [],
    values: [],
    mail: null,
    proposed: null,
    version: {
      id: version,
      number: 1,
      storage_path: null,
      rendition_path: null,
      body,
      file_name: null,
      mime_type: 'text/markdown',
      created_at,
      pages_without_text: null,
      recognized_pages: [],
    },
  }
}
