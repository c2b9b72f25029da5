import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { BubbleMenu } from '@tiptap/react/menus'
import { Check } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Form } from '../../../components/form.tsx'
import { Input } from '../../../components/input.tsx'
import { t } from '../../../lib/i18n/i18n.ts'
import { selectedPicture } from './pictures.ts'
import { ToolbarButton } from './toolbar-button.tsx'

const MAX_LENGTH = 500

/** Edits the selected picture's description. Enter on the picture focuses it, Enter here saves. */
export function PictureToolbar({ editor }: { editor: Editor }) {
  const picture = useEditorState({ editor, selector: ({ editor }) => selectedPicture(editor.state) })
  return (
    <BubbleMenu
      editor={editor}
      pluginKey="pictureToolbar"
      options={{ placement: 'top', flip: { padding: { top: 112 } } }}
      shouldShow={({ editor, state }) => editor.isEditable && selectedPicture(state) !== undefined}
      role="toolbar"
      aria-label={t('Picture')}
      className="z-40 rounded-lg border border-line bg-surface p-1 shadow-lift"
    >
      {picture ? <DescriptionForm key={picture.pos} editor={editor} {...picture} /> : null}
    </BubbleMenu>
  )
}

function DescriptionForm({ editor, pos, alt }: { editor: Editor; pos: number; alt: string }) {
  const field = useRef<HTMLInputElement>(null)
  const [description, setDescription] = useState(alt)
  useEffect(() => {
    editor.storage.pictures.describe = () => field.current?.focus()
  }, [editor])
  const keep = () => {
    const { tr } = editor.state
    editor.view.dispatch(tr.setNodeAttribute(pos, 'alt', description.trim().replaceAll(/\s+/g, ' ')))
    editor.view.focus()
  }
  return (
    <Form onSubmit={keep} className="flex items-center gap-1">
      <Input
        ref={field}
        aria-label={t('Description of the picture')}
        placeholder={t('Describe the picture')}
        maxLength={MAX_LENGTH}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          setDescription(alt)
          editor.view.focus()
        }}
        className="h-8 w-72 text-sm"
      />
      <ToolbarButton label={t('Keep the description')} icon={Check} type="submit" />
    </Form>
  )
}
