import { useEffect, useEffectEvent } from 'react'

/** Hands over text that is pasted while nobody is typing anywhere. Files are not text: others take those. */
export function usePastedText(take: (text: string) => void): void {
  const hand = useEffectEvent(take)
  useEffect(() => {
    const listen = (event: ClipboardEvent) => {
      const target = event.target
      if (target instanceof Element && target.closest('input, textarea, [contenteditable], [role="dialog"]')) return
      if (event.clipboardData?.files.length) return
      const text = event.clipboardData?.getData('text/plain') ?? ''
      if (text.trim() === '') return
      event.preventDefault()
      hand(text)
    }
    addEventListener('paste', listen)
    return () => removeEventListener('paste', listen)
  }, [])
}
