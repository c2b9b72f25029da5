import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { BubbleMenu } from '@tiptap/react/menus'
import { Bold, Code, Heading2, Italic, Link2, type LucideIcon, Strikethrough, Unlink } from 'lucide-react'
import { useState } from 'react'
import { Form } from '../../../components/form.tsx'
import { Input } from '../../../components/input.tsx'
import { msg, t } from '../../../lib/i18n/i18n.ts'
import { ToolbarButton } from './toolbar-button.tsx'

const MARKS: readonly [string, string, LucideIcon, (editor: Editor) => void][] = [
  ['bold', msg('Bold'), Bold, (editor) => editor.chain().focus().toggleBold().run()],
  ['italic', msg('Italic'), Italic, (editor) => editor.chain().focus().toggleItalic().run()],
  ['strike', msg('Strike through'), Strikethrough, (editor) => editor.chain().focus().toggleStrike().run()],
  ['code', msg('Code'), Code, (editor) => editor.chain().focus().toggleCode().run()],
  ['heading', msg('Heading'), Heading2, (editor) => editor.chain().focus().toggleHeading({ level: 2 }).run()],
]

export function SelectionToolbar({ editor }: { editor: Editor }) {
  const [linking, setLinking] = useState(false)
  const active = useEditorState({
    editor,
    selector: ({ editor }) => ({
      names: MARKS.filter(([name]) => editor.isActive(name)).map(([name]) => name),
      href: editor.getAttributes('link').href as string | undefined,
    }),
  })
  return (
    <BubbleMenu
      editor={editor}
      options={{ placement: 'top', onHide: () => setLinking(false) }}
      shouldShow={({ editor, state }) =>
        editor.isEditable &&
        !state.selection.empty &&
        state.selection.$from.parent.isTextblock &&
        !state.selection.$from.parent.type.spec.code &&
        !('node' in state.selection)
      }
      role="toolbar"
      aria-label={t('Text style')}
      className="z-40 flex items-center gap-0.5 rounded-lg border border-line bg-surface p-1 shadow-lift"
    >
      {linking ? (
        <LinkForm editor={editor} href={active?.href ?? ''} onClose={() => setLinking(false)} />
      ) : (
        <>
          {MARKS.map(([name, label, icon, run]) => (
            <ToolbarButton
              key={name}
              label={t(label)}
              icon={icon}
              isPressed={active?.names.includes(name) ?? false}
              onPress={() => run(editor)}
            />
          ))}
          <ToolbarButton
            label={t('Link')}
            icon={Link2}
            isPressed={active?.href !== undefined}
            onPress={() => setLinking(true)}
          />
        </>
      )}
    </BubbleMenu>
  )
}

type LinkFormProps = { editor: Editor; href: string; onClose: () => void }

function LinkForm({ editor, href, onClose }: LinkFormProps) {
  const [address, setAddress] = useState(href)
  const isUseful = /^(?:https?:\/\/|mailto:|tel:|\/|#)\S+$/i.test(withScheme(address))
  const link = () => {
    if (!isUseful) return
    editor
      .chain()
      .focus()
      .extendMarkRange('link')
      .setLink({ href: withScheme(address) })
      .run()
    onClose()
  }
  return (
    <Form onSubmit={link} className="flex items-center gap-1">
      <Input
        autoFocus
        aria-label={t('Link address')}
        placeholder="https://"
        value={address}
        onChange={({ target }) => setAddress(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onClose()
          editor.commands.focus()
        }}
        className="h-8 w-64 text-sm"
      />
      <ToolbarButton label={t('Set the link')} icon={Link2} type="submit" isDisabled={!isUseful} />
      {href ? (
        <ToolbarButton
          label={t('Remove the link')}
          icon={Unlink}
          onPress={() => {
            editor.chain().focus().extendMarkRange('link').unsetLink().run()
            onClose()
          }}
        />
      ) : null}
    </Form>
  )
}

const withScheme = (address: string): string =>
  /^[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/.test(address.trim()) ? `https://${address.trim()}` : address.trim()
