import type { Editor } from '@tiptap/core'
import { findParentNode, posToDOMRect } from '@tiptap/core'
import type { EditorState, Transaction } from '@tiptap/pm/state'
import {
  addColumnAfter,
  addColumnBefore,
  addRowAfter,
  addRowBefore,
  deleteColumn,
  deleteRow,
  deleteTable,
} from '@tiptap/pm/tables'
import { BubbleMenu } from '@tiptap/react/menus'
import {
  BetweenHorizontalEnd,
  BetweenHorizontalStart,
  BetweenVerticalEnd,
  BetweenVerticalStart,
  FoldHorizontal,
  FoldVertical,
  type LucideIcon,
  Trash2,
} from 'lucide-react'
import { msg, t } from '../../../lib/i18n/i18n.ts'
import { ToolbarButton } from './toolbar-button.tsx'

type Command = (state: EditorState, dispatch: (tr: Transaction) => void) => boolean

const COMMANDS: readonly [string, LucideIcon, Command][] = [
  [msg('Row above'), BetweenHorizontalEnd, addRowBefore],
  [msg('Row below'), BetweenHorizontalStart, addRowAfter],
  [msg('Delete this row'), FoldVertical, deleteRow],
  [msg('Column before'), BetweenVerticalEnd, addColumnBefore],
  [msg('Column after'), BetweenVerticalStart, addColumnAfter],
  [msg('Delete this column'), FoldHorizontal, deleteColumn],
  [msg('Delete the table'), Trash2, deleteTable],
]

export function TableToolbar({ editor }: { editor: Editor }) {
  return (
    <BubbleMenu
      editor={editor}
      pluginKey="tableToolbar"
      // Below the table if the page headers would cover it.
      options={{ placement: 'top-start', flip: { padding: { top: 112 } } }}
      getReferencedVirtualElement={() => {
        const table = findParentNode(({ type }) => type.name === 'table')(editor.state.selection)
        if (!table) return null
        const dom = editor.view.nodeDOM(table.pos)
        const rect = () =>
          dom instanceof HTMLElement ? dom.getBoundingClientRect() : posToDOMRect(editor.view, table.pos, table.pos + 1)
        return { getBoundingClientRect: rect }
      }}
      shouldShow={({ editor, state }) => editor.isEditable && state.selection.empty && editor.isActive('table')}
      role="toolbar"
      aria-label={t('Table')}
      className="z-30 flex items-center gap-0.5 rounded-lg border border-line bg-surface p-1 shadow-lift"
    >
      {COMMANDS.map(([label, icon, command]) => (
        <ToolbarButton
          key={label}
          label={t(label)}
          icon={icon}
          onPress={() => {
            command(editor.state, editor.view.dispatch)
            editor.view.focus()
          }}
        />
      ))}
    </BubbleMenu>
  )
}
