import { useState } from 'react'

/** Returns the focus when a dialog without a trigger closes. */
export function useFocusReturn(isOpen: boolean) {
  const [wasOpen, setWasOpen] = useState(false)
  const [opener, setOpener] = useState<Element | null>(null)
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen)
    if (isOpen) setOpener(openerOf(document.activeElement))
  }
  return {
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      if (opener instanceof HTMLElement) opener.focus()
    },
  }
}

/** Returns a menu's trigger for its entry, which is removed when the dialog appears; else the element itself. */
const openerOf = (focused: Element | null): Element | null =>
  document.getElementById(focused?.closest('[role=menu]')?.getAttribute('aria-labelledby') ?? '') ?? focused
