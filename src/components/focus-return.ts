import { useRef } from 'react'

/** For dialogs without a trigger of their own: returns the focus to the element that had it before. */
export function useFocusReturn() {
  const before = useRef<HTMLElement>(null)
  return {
    onOpenAutoFocus: () => {
      before.current = document.activeElement instanceof HTMLElement ? document.activeElement : null
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      before.current?.focus()
    },
  }
}
