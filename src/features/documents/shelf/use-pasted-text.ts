import { useEffect, useEffectEvent } from 'react'
import { isFormattedText } from '../../../domain/drag-and-drop.ts'

/** Reports text pasted outside of fields, and its HTML if there is any. The drop zone handles pasted files. */
export function usePastedText(onText: (text: string, html: string) => void): void {
  const report = useEffectEvent(onText)
  useEffect(() => {
    const listen = (event: ClipboardEvent) => {
      const { target, clipboardData } = event
      if (target instanceof Element && target.closest('input, textarea, [contenteditable], [role="dialog"]')) return
      if (!clipboardData || (clipboardData.files.length > 0 && !isFormattedText(clipboardData))) return
      const text = clipboardData.getData('text/plain')
      if (text.trim() === '') return
      event.preventDefault()
      report(text, clipboardData.getData('text/html'))
    }
    addEventListener('paste', listen)
    return () => removeEventListener('paste', listen)
  }, [])
}
