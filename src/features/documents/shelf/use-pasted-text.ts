import { useEffect, useEffectEvent } from 'react'

/** Reports text pasted outside of fields. The drop zone handles pasted files. */
export function usePastedText(onText: (text: string) => void): void {
  const report = useEffectEvent(onText)
  useEffect(() => {
    const listen = (event: ClipboardEvent) => {
      const target = event.target
      if (target instanceof Element && target.closest('input, textarea, [contenteditable], [role="dialog"]')) return
      if (event.clipboardData?.files.length) return
      const text = event.clipboardData?.getData('text/plain') ?? ''
      if (text.trim() === '') return
      event.preventDefault()
      report(text)
    }
    addEventListener('paste', listen)
    return () => removeEventListener('paste', listen)
  }, [])
}
