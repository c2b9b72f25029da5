import { useLayoutEffect, useState } from 'react'
import { latePart } from '../lib/ui/late-part.ts'
import { awaitField } from '../lib/ui/typed-ahead.ts'
import type { DialogProps } from './dialog-content.tsx'

const content = latePart(() => import('./dialog-content.tsx'))

/** A modal dialog: traps the focus, returns it on close, closes on Escape. Its code is loaded on first use. */
export function Dialog(props: DialogProps) {
  const [isUsed, setUsed] = useState(props.open)
  if (props.open && !isUsed) setUsed(true)
  const parts = content.use(isUsed)
  const isLate = props.open && !parts
  useLayoutEffect(() => {
    if (isLate) awaitField()
  }, [isLate])
  return parts ? <parts.DialogContent {...props} /> : null
}
