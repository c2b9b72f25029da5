import * as Slot from 'radix-ui/slot'
import { type ReactNode, useEffect, useState } from 'react'
import { latePart } from '../lib/ui/late-part.ts'

/** Describes an icon and its shortcut. The trigger still needs an accessible name. Rendered by `TooltipLayer`. */
export function Tooltip({ text, shortcut, children }: { text: string; shortcut?: string; children: ReactNode }) {
  return (
    <Slot.Root data-tooltip={text} data-shortcut={shortcut}>
      {children}
    </Slot.Root>
  )
}

const hint = latePart(() => import('./tooltip-hint.tsx'))

/** Milliseconds of hovering before it appears. */
const DELAY = 400

/** Shows the tooltip of the hovered or focused element. Mount it once; its code is loaded on first use. */
export function TooltipLayer() {
  const [trigger, setTrigger] = useState<HTMLElement>()
  const Hint = hint.use(trigger !== undefined)?.TooltipHint
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let awaited: HTMLElement | undefined
    const show = (element: HTMLElement | undefined, delay: number) => {
      clearTimeout(timer)
      awaited = element
      if (element && delay > 0) {
        hint.prepare()
        timer = setTimeout(setTrigger, delay, element)
      } else setTrigger(element)
    }
    const listeners = new AbortController()
    const listen = <Name extends keyof DocumentEventMap>(name: Name, handle: (event: DocumentEventMap[Name]) => void) =>
      document.addEventListener(name, handle, { signal: listeners.signal, capture: true, passive: true })
    const triggerAt = ({ target }: Event) =>
      (target instanceof Element && target.closest<HTMLElement>('[data-tooltip]')) || undefined
    listen('pointerover', (event) => {
      if (event.pointerType === 'touch' || (event.target instanceof Element && event.target.closest('[role=tooltip]')))
        return
      const element = triggerAt(event)
      if (element !== awaited) show(element, DELAY)
    })
    listen('focusin', (event) => {
      const element = triggerAt(event)
      if (element?.matches(':focus-visible')) show(element, 0)
    })
    listen('focusout', () => show(undefined, 0))
    // After use, no hint is needed while the pointer stays.
    const hide = () => {
      clearTimeout(timer)
      setTrigger(undefined)
    }
    listen('pointerdown', hide)
    listen('keydown', (event) => {
      if (event.key === 'Escape' || event.key === 'Enter' || event.key === ' ') hide()
    })
    return () => {
      listeners.abort()
      clearTimeout(timer)
    }
  }, [])
  return trigger && Hint ? (
    <Hint key={trigger.dataset.tooltip} trigger={trigger} onGone={() => setTrigger(undefined)} />
  ) : null
}
