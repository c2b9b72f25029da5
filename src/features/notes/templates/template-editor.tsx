import { useMutation } from '@tanstack/react-query'
import { UndoRedo } from '@tiptap/extensions'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { TextField } from '../../../components/field.tsx'
import { FailureNotice } from '../../../components/notice.tsx'
import { showFailure } from '../../../domain/failure-toast.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../lib/ui/toast.ts'
import { readMarkdown } from '../document/read-markdown.ts'
import { writeMarkdown } from '../document/write-markdown.ts'
import { NoteText } from '../editor/note-text.tsx'
import type { References } from '../editor/reference-menus.ts'
import { useNoteEditor } from '../editor/use-note-editor.ts'
import { changeTemplate } from './mutations.ts'
import type { Template } from './queries.ts'

type TemplateEditorProps = { library: string; template: Template; references: References; onClose: () => void }

const EXTENSIONS = [UndoRedo]

/** Edits a template, one person at a time; saving is explicit. */
export function TemplateEditor({ library, template, references, onClose }: TemplateEditorProps) {
  const [title, setTitle] = useState(template.title)
  const [readAt, setReadAt] = useState(template.updated_at)
  const [content] = useState(() => readMarkdown(template.body).toJSON())
  const saving = useMutation(changeTemplate)
  const save = async (): Promise<boolean> => {
    if (title.trim() === '') return false
    try {
      const body = writeMarkdown(editor.state.doc)
      setReadAt(await saving.mutateAsync({ library, id: template.id, title: title.trim(), body, readAt }))
      return true
    } catch {
      return false
    }
  }
  const done = async () => {
    if (await save()) onClose()
  }
  const { editor, menus, faces } = useNoteEditor({
    label: t('Text of {title}', { title: template.title }),
    extensions: EXTENSIONS,
    content,
    references,
    pictures: {
      store: () => Promise.reject(new Error(t('A template has no pictures. Add them to the note.'))),
      find: async () => undefined,
      onError: showFailure,
    },
    onSave: () => void save().then((isSaved) => isSaved && showToast({ title: t('Saved') })),
    onLeave: () => void done(),
  })
  return (
    <div className="grid gap-4">
      <FailureNotice error={saving.error} />
      <TextField label={t('Title')} required column="note_templates.title" value={title} onValue={setTitle} />
      <p className="text-ink-soft text-sm">
        {t('{date}, {title} and {author} are filled in when you start a note from this template.', {
          date: '{{date}}',
          title: '{{title}}',
          author: '{{author}}',
        })}
      </p>
      <div className="rounded-lg border border-line p-4">
        <NoteText editor={editor} menus={menus} faces={faces} drawing={references.drawing} />
      </div>
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button look="primary" busy={saving.isPending} disabled={title.trim() === ''} onClick={() => void done()}>
          {t('Save')}
        </Button>
      </div>
    </div>
  )
}
