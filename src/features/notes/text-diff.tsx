import { useEffect, useRef } from 'react'
import { openDiff } from './text-comparison.ts'

/** The width that two columns of text need, in CSS pixels. */
const TWO_COLUMNS = 720

export function TextDiff({ label, before, after }: { label: string; before: string; after: string }) {
  const parent = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = parent.current
    if (!element) return
    return openDiff(element, before, after, element.clientWidth >= TWO_COLUMNS)
  }, [before, after])
  return (
    <section
      ref={parent}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
      tabIndex={0}
      className="max-h-[55dvh] overflow-auto rounded-lg border border-line bg-surface p-3"
    />
  )
}
