import { Extension } from '@tiptap/core'

type NoteKeysOptions = { onSave: () => void; onLeave: () => void }

/** Mod and S save. Escape, and Mod and Enter, leave the editor, so that Tab can indent without trapping the focus. */
export const noteKeys = ({ onSave, onLeave }: NoteKeysOptions) => {
  const then = (act: () => void) => () => {
    act()
    return true
  }
  return Extension.create({
    name: 'noteKeys',
    // After the menus, which Escape closes first, and before the breaks of lines.
    priority: 150,
    addKeyboardShortcuts: () => ({ 'Mod-s': then(onSave), 'Mod-Enter': then(onLeave), Escape: then(onLeave) }),
  })
}
