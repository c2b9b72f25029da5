import { type Editor, Extension, InputRule } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import type { EditorView, NodeView } from '@tiptap/pm/view'
import { t } from '../../../lib/i18n/i18n.ts'

/** Check boxes of list items: rendering, toggling, and input as `[ ] `. */
export const Checklists = Extension.create({
  name: 'checklists',
  priority: 110,
  addKeyboardShortcuts() {
    return {
      Enter: () => {
        const { checked } = this.editor.getAttributes('listItem')
        // The next item starts unchecked.
        return typeof checked === 'boolean' && this.editor.commands.splitListItem('listItem', { checked: false })
      },
      'Mod-Shift-9': () => toggleChecklist(this.editor),
    }
  },
  addInputRules() {
    return [
      new InputRule({
        find: /^\[([ xX])?] $/,
        handler: ({ range, match, chain }) => {
          const checked = match[1]?.toLowerCase() === 'x'
          const start = chain().deleteRange(range)
          const inList = this.editor.isActive('listItem') ? start : start.toggleBulletList()
          inList.updateAttributes('listItem', { checked }).run()
        },
      }),
    ]
  },
  addProseMirrorPlugins: () => [
    new Plugin({ props: { nodeViews: { listItem: (node, view, getPos) => itemView(node, view, getPos) } } }),
  ],
})

export function toggleChecklist(editor: Editor): boolean {
  const { checked } = editor.getAttributes('listItem')
  const chain = editor.chain().focus()
  if (!editor.isActive('listItem')) chain.toggleBulletList()
  return chain.updateAttributes('listItem', { checked: typeof checked === 'boolean' ? null : false }).run()
}

function itemView(node: Node, view: EditorView, getPos: () => number | undefined): NodeView {
  const dom = document.createElement('li')
  const { checked } = node.attrs
  if (typeof checked !== 'boolean') return { dom, contentDOM: dom, update: (next) => isPlainItem(next) }
  const box = Object.assign(document.createElement('input'), { type: 'checkbox', contentEditable: 'false' })
  box.setAttribute('aria-label', t('Done'))
  box.addEventListener('mousedown', (event) => event.preventDefault())
  box.addEventListener('change', () => {
    const pos = getPos()
    if (pos !== undefined) view.dispatch(view.state.tr.setNodeAttribute(pos, 'checked', box.checked))
  })
  const contentDOM = document.createElement('div')
  dom.append(box, contentDOM)
  const draw = (isDone: boolean) => {
    dom.dataset.checked = String(isDone)
    box.checked = isDone
  }
  draw(checked)
  return {
    dom,
    contentDOM,
    ignoreMutation: (mutation) => !contentDOM.contains(mutation.target),
    update: (next) => {
      if (next.type !== node.type || typeof next.attrs.checked !== 'boolean') return false
      draw(next.attrs.checked)
      return true
    },
  }
}

const isPlainItem = (node: Node): boolean => node.type.name === 'listItem' && node.attrs.checked === null
