import { type RefObject, useRef, useState } from 'react'
import { useShortcut } from '../../lib/ui/shortcut.ts'
import { awaitField } from '../../lib/ui/typed-ahead.ts'

export type Finding = {
  isOpen: boolean
  field: RefObject<HTMLInputElement | null>
  open: () => void
  close: () => void
}

/** The shortcut works before the PDF has loaded; typed text goes into the field. */
export function useFinding(isPdf: boolean): Finding {
  const [isOpen, setOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const open = () => {
    if (field.current) return field.current.select()
    awaitField()
    setOpen(true)
  }
  useShortcut('mod+f', open, isPdf)
  return { isOpen, field, open, close: () => setOpen(false) }
}
