import { useRef } from 'react'

/** Returns the focus when a dialog without a trigger closes. */
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
