import { autoUpdate, computePosition, flip, offset, shift } from '@floating-ui/dom'
import { useEffect, useEffectEvent, useId, useRef } from 'react'
import { createPortal } from 'react-dom'

/** An element's tooltip. @param onGone Called when the element has left the page. */
export function TooltipHint({ trigger, onGone }: { trigger: HTMLElement; onGone: () => void }) {
  const hint = useRef<HTMLDivElement>(null)
  const id = useId()
  const leave = useEffectEvent(onGone)
  useEffect(() => {
    const element = hint.current
    if (!element) return
    const before = trigger.getAttribute('aria-describedby')
    trigger.setAttribute('aria-describedby', before ? `${before} ${id}` : id)
    const stop = autoUpdate(trigger, element, async () => {
      if (!trigger.isConnected) return leave()
      const { x, y } = await computePosition(trigger, element, {
        strategy: 'fixed',
        placement: 'top',
        middleware: [offset(6), flip({ padding: 8 }), shift({ padding: 8 })],
      })
      Object.assign(element.style, { left: `${x}px`, top: `${y}px`, visibility: 'visible' })
    })
    return () => {
      stop()
      if (before) trigger.setAttribute('aria-describedby', before)
      else trigger.removeAttribute('aria-describedby')
    }
  }, [trigger, id])
  const { tooltip, shortcut } = trigger.dataset
  return createPortal(
    <div
      ref={hint}
      role="tooltip"
      id={id}
      style={{ visibility: 'hidden' }}
      className="fixed start-auto top-0 left-0 z-60 flex w-max max-w-[calc(100vw-1rem)] animate-appear items-center gap-2 rounded-md bg-ink px-2.5 py-1.5 text-paper text-xs"
    >
      {tooltip}
      {shortcut ? <kbd className="font-sans opacity-70">{shortcut}</kbd> : null}
    </div>,
    // Inside a landmark, for accessibility.
    document.getElementById('main') ?? document.body,
  )
}
