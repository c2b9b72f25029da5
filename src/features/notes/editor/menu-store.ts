import type { Editor, Range } from '@tiptap/core'
import type { SuggestionOptions, SuggestionProps } from '@tiptap/suggestion'
import type { LucideIcon } from 'lucide-react'
import { createStore } from '../../../lib/store.ts'

/** An entry of a typing menu. `run` replaces the typed `range`. */
export type MenuEntry = {
  id: string
  label: string
  hint?: string
  icon?: LucideIcon
  run: (editor: Editor, range: Range) => void
}

/** The open menu. @property element The element that it is rendered into. */
export type OpenMenu = {
  label: string
  entries: readonly MenuEntry[]
  chosen: number
  element: HTMLElement
  choose: (entry: MenuEntry) => void
}

export const createMenuStore = () => createStore<OpenMenu | undefined>(undefined)
export type MenuStore = ReturnType<typeof createMenuStore>

/** Renders suggestions into the store's menu: arrows select, Enter and Tab confirm, Escape closes. */
export function renderInto(store: MenuStore, label: string): NonNullable<SuggestionOptions<MenuEntry>['render']> {
  return () => {
    let element: HTMLElement | undefined
    let unmount: (() => void) | undefined
    const show = ({ items, command }: SuggestionProps<MenuEntry>) => {
      if (element) store.set({ label, entries: items, chosen: 0, element, choose: command })
    }
    const hide = () => {
      unmount?.()
      element?.remove()
      element = undefined
      store.set(undefined)
    }
    return {
      onStart: (props) => {
        hide()
        element = document.createElement('div')
        element.style.zIndex = '40'
        unmount = props.mount(element)
        show(props)
      },
      onUpdate: show,
      onExit: hide,
      onKeyDown: ({ event }) => {
        const open = store.get()
        if (!open || open.entries.length === 0) return false
        const { entries, chosen } = open
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          const step = event.key === 'ArrowDown' ? 1 : entries.length - 1
          store.set({ ...open, chosen: (chosen + step) % entries.length })
          return true
        }
        const entry = entries[chosen]
        if (!entry || (event.key !== 'Enter' && event.key !== 'Tab') || event.isComposing) return false
        open.choose(entry)
        return true
      },
    }
  }
}
