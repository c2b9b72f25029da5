import { useEffect, useEffectEvent, useRef } from 'react'
import { classNames } from '../lib/ui/class-names.ts'
import { type Comparison, openDiff } from '../lib/ui/text-comparison.ts'

/** CSS pixels. */
const TWO_COLUMNS = 720

type TextDiffProps = {
  label: string
  before: string
  after: string
  onOpen?: (comparison: Comparison) => void
  className?: string
}

export function TextDiff({ label, before, after, onOpen, className }: TextDiffProps) {
  const parent = useRef<HTMLDivElement>(null)
  const report = useEffectEvent((comparison: Comparison) => onOpen?.(comparison))
  useEffect(() => {
    const element = parent.current
    if (!element) return
    const comparison = openDiff(element, before, after, element.clientWidth >= TWO_COLUMNS)
    report(comparison)
    return comparison.close
  }, [before, after])
  return (
    <section
      ref={parent}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
      tabIndex={0}
      className={classNames('overflow-auto rounded-lg border border-line bg-surface p-3', className ?? 'max-h-[55dvh]')}
    />
  )
}
