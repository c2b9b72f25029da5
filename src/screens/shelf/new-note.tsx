import { useQuery } from '@tanstack/react-query'
import { NoteDialog } from '../../features/documents/dialogs/note-dialog.tsx'
import { TemplatePicker } from '../../features/notes/templates/template-picker.tsx'
import { fillTemplate } from '../../features/notes/templates/template-text.ts'
import { profileQuery } from '../../features/profile/queries.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { escapeMarkdown } from '../../lib/markdown.ts'
import { useSession } from '../../lib/session/use-session.ts'

type NewNoteProps = {
  library: string
  collection: string | undefined
  open: boolean
  pasted?: string | undefined
  onClose: () => void
}

/** The dialog of a new note, which begins with nothing, a template or a pasted text. */
export function NewNote({ library, ...dialog }: NewNoteProps) {
  const { user } = useSession()
  const { data: profile } = useQuery(profileQuery(user.id))
  return (
    <NoteDialog
      {...dialog}
      library={library}
      drawBeginnings={(choose) => <TemplatePicker library={library} onChoose={choose} />}
      complete={(body, title) =>
        fillTemplate(body, {
          title: escapeMarkdown(title),
          date: formatDate(new Date().toISOString()),
          author: escapeMarkdown(profile?.display_name ?? user.email ?? ''),
        })
      }
    />
  )
}
